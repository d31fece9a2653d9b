import { setMaxListeners } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { Connection, isGrpcServiceError } from '@temporalio/client';
import { ensureSearchAttributes, type SearchAttributes } from '../ensure-search-attributes.ts';
import { readOneSchedule } from './read-one-schedule.ts';

export interface ReadyOptions {
  /** host:port of the gRPC frontend. */
  address: string;
  namespace: string;
  searchAttributes: SearchAttributes;
  timeoutMs: number;
  /** Ends the wait early, with a rejection. */
  signal: AbortSignal;
}

const ATTEMPT_TIMEOUT_MS = 2_000;
const RETRY_INTERVAL_MS = 100;
const READING_TIMEOUT_MS = 10_000;

/**
 * Waits until the server answers, has the namespace and finds workflows by the search attributes
 * (missing ones are added), and has read from its database what workflows need.
 *
 * @throws Error with the last failure when `timeoutMs` are over; or if a search attribute has another type
 */
export async function waitUntilReady(options: ReadyOptions): Promise<void> {
  const { address, namespace, searchAttributes, timeoutMs, signal } = options;
  const deadline = Date.now() + timeoutMs;
  // Each attempt listens to the signal, and the client keeps its listeners.
  setMaxListeners(0, signal);
  const connection = Connection.lazy({
    address,
    // The loop below retries; the default backoff would add a second to every start.
    interceptors: [],
    channelArgs: {
      'grpc.initial_reconnect_backoff_ms': 100,
      'grpc.max_reconnect_backoff_ms': 500,
      // A proxy for the outside world (http_proxy) does not lead to our loopback address.
      'grpc.enable_http_proxy': 0,
    },
  });
  const untilDone = async (call: () => Promise<unknown>): Promise<void> => {
    for (;;) {
      try {
        await connection.withAbortSignal(signal, () =>
          connection.withDeadline(Math.min(Date.now() + ATTEMPT_TIMEOUT_MS, deadline), call),
        );
        return;
      } catch (error) {
        signal.throwIfAborted();
        if (!isGrpcServiceError(error)) throw error;
        if (Date.now() >= deadline) {
          throw new Error(`not ready after ${timeoutMs / 1000} s: ${String(error)}`, { cause: error });
        }
      }
      await sleep(RETRY_INTERVAL_MS, undefined, { signal });
    }
  };
  try {
    await untilDone(() => connection.workflowService.getSystemInfo({}));
    await untilDone(() => connection.workflowService.describeNamespace({ namespace }));
    await untilDone(() => ensureSearchAttributes(connection, namespace, searchAttributes));
    const query = Object.keys(searchAttributes)
      .map((name) => `${name} IS NULL`)
      .join(' AND ');
    await untilDone(() => connection.workflowService.countWorkflowExecutions({ namespace, query }));
    const readBy = Math.min(Date.now() + READING_TIMEOUT_MS, deadline);
    await connection
      .withAbortSignal(signal, () =>
        connection.withDeadline(readBy, () => readOneSchedule(connection, namespace)),
      )
      .catch((error: unknown) => {
        signal.throwIfAborted();
        // One that cannot be read is no reason to stop all others. The server's log says if the database is damaged.
        if (!isGrpcServiceError(error)) throw error;
      });
  } finally {
    await connection.close();
  }
}
