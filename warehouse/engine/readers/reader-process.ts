// A process of its own, in which DuckDB reads what others have written: whatever a file does to it, even to its stack, it does
// to this process alone. Its parent asks by messages (reader.ts).
import { writeFile } from 'node:fs/promises';
import { VARCHAR, type DuckDBInstance } from '@duckdb/node-api';
import { openInstance, type InstanceOptions } from '../open-instance.ts';
import { Session, type Parameters } from '../session.ts';

/** What the parent asks for; one after the other, but for `interrupt`. */
export type ReaderCall =
  | { call: 'open'; options: InstanceOptions }
  | { call: 'run' | 'query'; sql: string; parameters: Parameters }
  | { call: 'append'; table: string; columns: TextColumns }
  | { call: 'close' };

/** Rows of texts, by columns of the same length. */
export type TextColumns = readonly (readonly (string | null)[])[];

export type ReaderRequest = (ReaderCall & { id: number }) | { call: 'interrupt' };

export type ReaderReply =
  | { id: number; value: unknown }
  | { id: number; error: string; breakdown: boolean }
  /** How many rows the statement that runs has read. */
  | { rowsRead: number };

const PROGRESS_MS = 500;

let opened: { instance: DuckDBInstance; session: Session } | null = null;

const answer = async (request: ReaderCall): Promise<unknown> => {
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
};

const tell = (reply: ReaderReply): void => {
  process.send?.(reply);
};

process.on('message', (request: ReaderRequest) => {
  if (request.call === 'interrupt') {
    opened?.session.interrupt();
    return;
  }
  const { id } = request;
  answer(request).then(
    (value) => {
      tell({ id, value });
    },
    (error: unknown) => {
      tell({
        id,
        error: error instanceof Error ? error.message : String(error),
        breakdown: opened?.session.isLost ?? false,
      });
    },
  );
});

setInterval(() => {
  if (opened !== null) tell({ rowsRead: opened.session.rowsRead });
}, PROGRESS_MS).unref();

// Its parent ends it; a signal to the whole group must not, because the parent lets its activities end first.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined);
process.on('disconnect', () => process.kill(process.pid, 'SIGKILL'));

// Where memory runs out, Linux ends this process before the service.
await writeFile('/proc/self/oom_score_adj', '500').catch((error: unknown) => error);
