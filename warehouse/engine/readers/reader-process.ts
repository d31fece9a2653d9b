// The separate process in which DuckDB reads files that the service did not write. A file that crashes DuckDB, even by a stack
// overflow, ends only this process. The parent process sends requests as messages (reader.ts).
import { writeFile } from 'node:fs/promises';
import { VARCHAR, type DuckDBInstance } from '@duckdb/node-api';
import { openInstance, type InstanceOptions } from '../open-instance.ts';
import { Session } from '../session.ts';
import type { Parameters } from '../sql/parameters.ts';

/** Calls of the parent, one at a time. Only an `interrupt` may arrive during a call. */
export type ReaderCall =
  | { call: 'open'; options: InstanceOptions }
  | { call: 'run' | 'query'; sql: string; parameters: Parameters }
  | { call: 'append'; table: string; columns: TextColumns }
  /** Replies with the memory that the process still holds, in bytes. */
  | { call: 'close' };

/** Text rows as columns of equal length. */
export type TextColumns = readonly (readonly (string | null)[])[];

export type ReaderRequest = (ReaderCall & { id: number }) | { call: 'interrupt' };

export type ReaderReply =
  | { id: number; value: unknown }
  /** `breakdown` means that the error has ended DuckDB itself, not only the call. */
  | { id: number; error: string; breakdown: boolean }
  /** How many rows the running statement has read. It comes without a request. */
  | { rowsRead: number };

const PROGRESS_MS = 500;

let opened: { instance: DuckDBInstance; session: Session } | null = null;

async function handle(request: ReaderCall): Promise<unknown> {
  if (request.call === 'open') {
    const instance = await openInstance(request.options);
    const session = new Session(await instance.connect());
    opened = { instance, session };
    await session.run(`SET TimeZone = 'UTC'`);
    return null;
  }
  if (opened === null) throw new Error('the reader is not open');
  const { instance, session } = opened;
  switch (request.call) {
    case 'run':
      return session.run(request.sql, request.parameters);
    case 'query':
      return session.query(request.sql, request.parameters);
    case 'append':
      await session.append(
        request.table,
        request.columns.map(() => VARCHAR),
        request.columns,
      );
      return null;
    case 'close':
      opened = null;
      session.close();
      instance.closeSync();
      return process.memoryUsage.rss();
  }
}

function send(reply: ReaderReply): void {
  process.send?.(reply);
}

process.on('message', (request: ReaderRequest) => {
  if (request.call === 'interrupt') {
    opened?.session.interrupt();
    return;
  }
  const { id } = request;
  handle(request).then(
    (value) => {
      send({ id, value });
    },
    (error: unknown) => {
      send({
        id,
        error: error instanceof Error ? error.message : String(error),
        breakdown: opened?.session.isLost ?? false,
      });
    },
  );
});

setInterval(() => {
  if (opened !== null) send({ rowsRead: opened.session.rowsRead });
}, PROGRESS_MS).unref();

// Ignores signals to the process group, because the parent first waits for its activities and then ends this process.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined);
process.on('disconnect', () => process.kill(process.pid, 'SIGKILL'));

// If memory runs out, Linux kills this process before the service.
await writeFile('/proc/self/oom_score_adj', '500').catch((error: unknown) => error);
