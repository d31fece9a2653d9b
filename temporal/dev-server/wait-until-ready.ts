import { setMaxListeners } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { Connection, isGrpcServiceError } from '@temporalio/client';
import { ensureSearchAttributes, searchBy, type SearchAttributes } from '../ensure-search-attributes.ts';
import type { DamageWatch } from './damage-watch.ts';
import type { ServerProcess } from './server-process.ts';

/** What a server must have before it can be worked with. */
export interface ServedContent {
  namespace: string;
  searchAttributes: SearchAttributes;
}

/** A server process whose gRPC frontend listens at `address` (host:port). */
export interface RunningServer {
  server: ServerProcess;
  address: string;
  damage: DamageWatch;
}

const ATTEMPT_TIMEOUT_MS = 2_000;
const RETRY_INTERVAL_MS = 100;
const READING_TIMEOUT_MS = 10_000;

/**
 * Waits until the server answers, has the namespace, and finds workflows by the search attributes. Adds missing attributes.
 * By then the server has read from its database what workflows need.
 *
 * @throws Error at once if the server ends or reports damage of its database (it answers even then), or if a search
 *   attribute has another type; with the last failure when `timeoutMs` are over
 */
export async function waitUntilReady(
  { server, address, damage }: RunningServer,
  content: ServedContent,
  timeoutMs: number,
): Promise<void> {
  const ended = new AbortController();
  // Each attempt listens to the signal, and the client keeps its listeners.
  setMaxListeners(0, ended.signal);
  void server.exited.then((code) => {
    ended.abort(new Error(`it ended with ${code === null ? 'a signal' : `exit code ${code}`}`));
  });
  void damage.found.then((words) => {
    ended.abort(damaged(words));
  });
  const connection = Connection.lazy({
    address,
    // The calls below are retried. The default backoff would add a second to every start.
    interceptors: [],
    channelArgs: {
      'grpc.initial_reconnect_backoff_ms': 100,
      'grpc.max_reconnect_backoff_ms': 500,
      // A proxy for the outside world (http_proxy) does not lead to our loopback address.
      'grpc.enable_http_proxy': 0,
    },
  });
  try {
    await connection.withAbortSignal(ended.signal, () =>
      prepare(connection, content, timeoutMs, ended.signal),
    );
  } catch (error) {
    ended.signal.throwIfAborted();
    throw error;
  } finally {
    await connection.close();
  }
  const words = await damage.look();
  if (words !== null) throw damaged(words);
}

const damaged = (words: string): Error => new Error(`its database is damaged: ${words}`);

async function prepare(
  connection: Connection,
  { namespace, searchAttributes }: ServedContent,
  timeoutMs: number,
  signal: AbortSignal,
): Promise<void> {
  const deadline = Date.now() + timeoutMs;
  const untilDone = async (call: () => Promise<unknown>): Promise<void> => {
    for (;;) {
      try {
        await connection.withDeadline(Math.min(Date.now() + ATTEMPT_TIMEOUT_MS, deadline), call);
        return;
      } catch (error) {
        if (signal.aborted || !isGrpcServiceError(error)) throw error;
        if (Date.now() >= deadline)
          throw new Error(`not ready after ${timeoutMs / 1000} s: ${String(error)}`, { cause: error });
      }
      await sleep(RETRY_INTERVAL_MS, undefined, { signal });
    }
  };
  await untilDone(() => connection.workflowService.getSystemInfo({}));
  await untilDone(() => connection.workflowService.describeNamespace({ namespace }));
  await untilDone(() => ensureSearchAttributes(connection, namespace, searchAttributes));
  await untilDone(() => searchBy(connection, namespace, searchAttributes));
  const readBy = Math.min(Date.now() + READING_TIMEOUT_MS, deadline);
  try {
    await connection.withDeadline(readBy, () => readOneSchedule(connection, namespace));
  } catch (error) {
    // An unreadable schedule does not stop the others. The server's log reports if the database is damaged.
    if (signal.aborted || !isGrpcServiceError(error)) throw error;
  }
}

/**
 * Reads the workflow behind one of the namespace's schedules, if it has any, and the first event of its history. The
 * server then needs the tables of every workflow: it answers other calls even if these tables are damaged.
 *
 * @throws if the server cannot read them, or does not find a workflow that it has listed
 */
async function readOneSchedule({ workflowService }: Connection, namespace: string): Promise<void> {
  const { executions } = await workflowService.listWorkflowExecutions({
    namespace,
    pageSize: 1,
    query: "TemporalNamespaceDivision = 'TemporalScheduler'",
  });
  const execution = executions[0]?.execution;
  if (!execution) return;
  await workflowService.describeWorkflowExecution({ namespace, execution });
  await workflowService.getWorkflowExecutionHistory({ namespace, execution, maximumPageSize: 1 });
}
