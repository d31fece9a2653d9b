import { setTimeout as sleep } from 'node:timers/promises';
import {
  DuckDBDataChunk,
  listValue,
  LIST,
  VARCHAR,
  type DuckDBConnection,
  type DuckDBResult,
  type DuckDBType,
  type DuckDBValue,
} from '@duckdb/node-api';
import { unavailable, type ServiceError } from '../../domain/shared/errors.ts';
import { isShortOfMemory } from './short-of-memory.ts';

/** A value bound to a `$name` in a statement. Days, instants, ids and decimals travel as text and are cast in SQL. */
export type Parameter = string | number | bigint | boolean | null | readonly string[];
export type Parameters = Readonly<Record<string, Parameter>>;

/**
 * A statement that soon fails for want of memory is a small one beside a large one, which spills what it holds once it must.
 * The small one tries again, after these times.
 */
const SMALL_MS = 1_000;
const TRIES_AFTER_MS = [100, 200, 400, 800, 1_600];

/** Rows a data chunk can hold (DuckDB's vector size). */
const CHUNK_ROWS = 2048;

/**
 * What DuckDB says once an error has ended it, or a checkpoint has failed: then nothing can be read or written any more, until
 * the file is opened again. The words come before any quoted one, for a file or a value may quote them.
 */
const FATAL =
  /^(INTERNAL|FATAL) Error|^(IO|TransactionContext) Error: [^"']*(Checkpoint failed for database|Database) "\w+"\.?( The database)? has been invalidated/;

/** What it says when a statement before was the one that ended it. */
const OF_ANOTHER = /^[^"']*database ("\w+" )?has been invalidated because/i;

/** Whether an error has ended the whole DuckDB, and with it all its sessions. */
const isFatal = (error: unknown): error is Error => error instanceof Error && FATAL.test(error.message);

/** Whether a transaction is stored although its COMMIT failed: what failed is the checkpoint after it. */
const isStored = (error: unknown): boolean =>
  error instanceof Error && error.message.startsWith('IO Error: Transaction COMMIT succeeded and is durable');

const isList = (value: Parameter): value is readonly string[] => Array.isArray(value);

/** What a session answers once its DuckDB has ended: the next one may have another. */
export const lost = (): ServiceError => unavailable('the warehouse is opened again; try again');

/** What runs statements, wherever its DuckDB is. */
export type Statements = Pick<Session, 'query' | 'run' | 'isLost' | 'interrupt' | 'rowsRead'>;

/** One connection to a DuckDB; statements on it run one after the other. */
export class Session {
  readonly #connection: DuckDBConnection;
  readonly #onFatal: (error: Error) => void;
  #running: Promise<unknown> = Promise.resolve();
  #streamed: DuckDBResult | null = null;
  #isInTransaction = false;
  #isLost = false;

  /** @param onFatal hears of an error that has ended the whole DuckDB. */
  constructor(connection: DuckDBConnection, onFatal: (error: Error) => void = () => undefined) {
    this.#connection = connection;
    this.#onFatal = onFatal;
  }

  /**
   * Runs one statement and reads all its rows. Decimals, 64-bit integers, dates and instants arrive as exact
   * text, other numbers and booleans as themselves; `Row` names the columns the statement selects.
   */
  async query<Row extends object>(sql: string, parameters: Parameters = {}): Promise<Row[]> {
    const reader = await this.#execute(sql, parameters);
    return reader.getRowObjectsJson() as unknown as Row[];
  }

  /**
   * Runs one statement and hands its rows on as they are asked for, a chunk at a time; see {@link query}. Nothing else
   * may use the session meanwhile. `signal` stops the statement, which then fails; whoever stops reading before the
   * end ends it as well.
   */
  async *stream<Row extends object>(
    sql: string,
    parameters: Parameters,
    signal: AbortSignal,
  ): AsyncGenerator<Row[]> {
    signal.throwIfAborted();
    const interrupt = (): void => {
      this.interrupt();
    };
    signal.addEventListener('abort', interrupt);
    try {
      const result = await this.#during(() => this.#connection.stream(sql, ...bound(parameters)));
      this.#streamed = result;
      const chunks = result.yieldRowObjectJson();
      for (;;) {
        const next = await this.#during(() => chunks.next());
        if (next.done === true) return;
        yield next.value as unknown as Row[];
        signal.throwIfAborted();
      }
    } finally {
      signal.removeEventListener('abort', interrupt);
      this.#streamed = null;
      // The next statement ends the one before it, with its transaction, that otherwise waits for the garbage collector.
      if (!this.#isLost) await this.run('SELECT 1');
    }
  }

  /** Runs one statement for its effect; answers how many rows it changed. */
  async run(sql: string, parameters: Parameters = {}): Promise<number> {
    const reader = await this.#execute(sql, parameters);
    return reader.rowsChanged;
  }

  /**
   * Appends rows to a temporary table by columns, in DuckDB's own vectors: the fastest way from JavaScript in.
   * All columns have the same length and the table's types.
   */
  async append(
    table: string,
    types: readonly DuckDBType[],
    columns: readonly (readonly DuckDBValue[])[],
  ): Promise<void> {
    const appender = await this.#during(() => this.#connection.createAppender(table, 'main', 'temp'));
    const rows = columns[0]?.length ?? 0;
    for (let from = 0; from < rows; from += CHUNK_ROWS) {
      const chunk = DuckDBDataChunk.create(types);
      chunk.setColumns(columns.map((column) => column.slice(from, from + CHUNK_ROWS)));
      appender.appendDataChunk(chunk);
    }
    appender.closeSync();
  }

  /** Runs `work` in one transaction: all of it is stored, or, when it throws, nothing. */
  async transaction<Result>(work: () => Promise<Result>): Promise<Result> {
    await this.run('BEGIN TRANSACTION');
    this.#isInTransaction = true;
    try {
      const result = await work();
      await this.#commit();
      return result;
    } catch (error) {
      // A failed COMMIT has already rolled back, and a failed statement may have; the first error is the one that tells.
      await this.run('ROLLBACK').catch((rollback: unknown) => rollback);
      throw error;
    } finally {
      this.#isInTransaction = false;
    }
  }

  /** Rows that the statement now running has read, by DuckDB's own estimate. */
  get rowsRead(): number {
    return this.#isLost ? 0 : Number(this.#connection.progress.rows_processed);
  }

  /** Whether its DuckDB has ended: it can run nothing any more. */
  get isLost(): boolean {
    return this.#isLost;
  }

  /** Stops the statement that is running; it fails with an interrupt error. */
  interrupt(): void {
    if (!this.#isLost) this.#connection.interrupt();
  }

  close(): void {
    this.#connection.closeSync();
  }

  /** Ends the session whatever it does, because its DuckDB has ended: what it runs fails, and all that follows. */
  async abandon(): Promise<void> {
    this.interrupt();
    this.#isLost = true;
    await this.#running;
    // A stream that is not read to its end holds the DuckDB, and so its file, until it is read on.
    await this.#streamed?.fetchChunk().catch((error: unknown) => error);
    // To close a connection whose transaction cannot be rolled back, because a checkpoint failed, ends the process.
    await this.#connection.run('ROLLBACK').catch((error: unknown) => error);
    this.close();
  }

  async #commit(): Promise<void> {
    try {
      await this.run('COMMIT');
    } catch (error) {
      if (!isStored(error)) throw error;
    }
  }

  async #execute(sql: string, parameters: Parameters) {
    const waits = TRIES_AFTER_MS.values();
    for (;;) {
      const begun = performance.now();
      try {
        // Without parameters DuckDB plans the statement once; one with parameters is planned again when it runs.
        return await this.#during(() =>
          Object.keys(parameters).length === 0
            ? this.#connection.runAndReadAll(sql)
            : this.#connection.runAndReadAll(sql, ...bound(parameters)),
        );
      } catch (error) {
        const isSmall = performance.now() - begun <= SMALL_MS;
        // What fails within a transaction has ended it.
        const { value: wait } =
          isShortOfMemory(error) && !isStored(error) && isSmall && !this.#isInTransaction ? waits.next() : {};
        if (wait === undefined) throw error;
        await sleep(wait);
      }
    }
  }

  /** Runs a statement, or a part of one. */
  async #during<Result>(work: () => Promise<Result>): Promise<Result> {
    if (this.#isLost) throw lost();
    const running = work();
    this.#running = running.catch((error: unknown) => error);
    try {
      return await running;
    } catch (error) {
      const wasLost = this.isLost;
      if (!isFatal(error)) throw wasLost ? lost() : error;
      this.#isLost = true;
      this.#onFatal(error);
      throw wasLost || OF_ANOTHER.test(error.message) ? lost() : error;
    }
  }
}

/** Values and their types, as the driver binds them. */
const bound = (parameters: Parameters): [Record<string, DuckDBValue>, Record<string, DuckDBType>] => {
  const values: Record<string, DuckDBValue> = {};
  const types: Record<string, DuckDBType> = {};
  for (const [name, value] of Object.entries(parameters)) {
    if (isList(value)) {
      values[name] = listValue([...value]);
      types[name] = LIST(VARCHAR);
    } else values[name] = value;
  }
  return [values, types];
};
