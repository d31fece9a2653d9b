import { setTimeout as sleep } from 'node:timers/promises';
import {
  DuckDBDataChunk,
  listValue,
  LIST,
  StatementType,
  VARCHAR,
  type DuckDBConnection,
  type DuckDBResult,
  type DuckDBType,
  type DuckDBValue,
} from '@duckdb/node-api';
import { unavailable, type ServiceError } from '../../domain/shared/errors.ts';
import {
  UNOBSERVED,
  type StatementKind,
  type StatementObserver,
} from '../../telemetry/statement-observer.ts';
import { NO_COMMIT_QUEUE, type CommitQueue } from './locks/commit-queue.ts';
import { hideSecrets } from './hide-secrets.ts';
import { once, rerun } from './passing-failures.ts';
import { isShortOfMemory } from './short-of-memory.ts';
import { isList, withValues, type Parameters } from './sql/parameters.ts';
import type { Amendment } from './cache/derived-cache.ts';
import { writesOf, type Touch, type Writes } from './cache/touched.ts';

/**
 * A statement that runs out of memory this quickly is a small one beside a large one. The large one spills its memory under
 * pressure, so the small one tries again after these times.
 */
const SMALL_MS = 1_000;
const TRIES_AFTER_MS = [100, 200, 400, 800, 1_600];

/** Rows that a data chunk can hold (DuckDB's vector size). */
const CHUNK_ROWS = 2048;

/**
 * Matches DuckDB's messages after an error has ended it, or a checkpoint has failed. Then all reads and writes fail until the
 * file is opened again. Text of quoted files and values must not match, because it may contain the same words.
 */
const FATAL =
  /^(INTERNAL|FATAL) Error|^(IO|TransactionContext) Error: [^"']*(Checkpoint failed for database|Database) "\w+"\.?( The database)? has been invalidated/;

/** Matches its messages if an earlier statement had ended it. */
const OF_ANOTHER = /^[^"']*database ("\w+" )?has been invalidated because/i;

/** Whether an error has ended the whole DuckDB, and with it all its sessions. */
const isFatal = (error: unknown): error is Error => error instanceof Error && FATAL.test(error.message);

/** Whether a transaction is stored although its COMMIT failed, because only the checkpoint after it failed. */
const isStored = (error: unknown): boolean =>
  error instanceof Error && error.message.startsWith('IO Error: Transaction COMMIT succeeded and is durable');

/** Statements that can change what others read. */
const WRITING: ReadonlySet<StatementType> = new Set([
  StatementType.INSERT,
  StatementType.UPDATE,
  StatementType.DELETE,
  StatementType.MERGE_INTO,
  StatementType.CREATE,
  StatementType.ALTER,
  StatementType.DROP,
]);

/** The beginning of a statement that returns rows. */
const READING = /^\s*(?:SELECT|WITH|FROM)\b/i;

/**
 * How long a transaction stays first in the commit queue while it works. A small write is done by then, and meets no other. A longer
 * one leaves the queue, so that others go on, and enters it again for its commit.
 */
const LONGEST_FIRST_MS = 200;

const NOTHING = (): Promise<void> => Promise.resolve();

/** Returns the error of a session whose DuckDB has ended. The next session may have a new DuckDB. */
export const lost = (): ServiceError => unavailable('the warehouse is being reopened; try again');

/** Runs single statements that return rows: on a session, or on any free one of a warehouse. */
export type Queries = Pick<Session, 'query'>;

/** Runs statements in a DuckDB of this or another process. */
export type Statements = Pick<Session, 'query' | 'run' | 'isLost' | 'interrupt' | 'rowsRead'>;

/** Follows what the transactions of a warehouse write; see {@link RevisionLog}. */
export interface Followed {
  /** Returns a statement to run at the end of a transaction that has written rows, or null. */
  announcement: (touches: readonly Touch[]) => string | null;
  /** Called before such a transaction commits, with what it amends. The returned function is called afterwards. */
  begin: (touches: readonly Touch[], amendments: readonly Amendment[]) => (isStored: boolean) => void;
}

/** What the sessions of a warehouse share. */
export interface SessionContext {
  /** Called with the error that has ended the whole DuckDB. */
  onFatal: (error: Error) => void;
  /** Follows the writes of a warehouse; null if nobody reads it meanwhile. */
  followed: Followed | null;
  /** Returns who observes the statements. */
  observer: () => StatementObserver;
  /** The queue of its transactions. */
  commitQueue: CommitQueue;
}

const ALONE: SessionContext = {
  onFatal: () => undefined,
  followed: null,
  observer: () => UNOBSERVED,
  commitQueue: NO_COMMIT_QUEUE,
};

/** A connection to a DuckDB. Its statements run one after the other. */
export class Session {
  readonly #connection: DuckDBConnection;
  readonly #context: SessionContext;
  /** What the running transaction has written. */
  readonly #touches = new Map<string, Touch>();
  readonly #amendments: Amendment[] = [];
  #running: Promise<unknown> = Promise.resolve();
  #streamed: DuckDBResult | null = null;
  #isInTransaction = false;
  #isLost = false;

  constructor(connection: DuckDBConnection, context = ALONE) {
    this.#connection = connection;
    this.#context = context;
  }

  /**
   * Runs one statement and returns all its rows. Decimals, 64-bit integers, dates and instants become exact texts. Other
   * numbers and booleans stay what they are. `Row` has the selected columns.
   */
  async query<Row extends object>(sql: string, parameters: Parameters = {}): Promise<Row[]> {
    const reader = await this.#execute(sql, parameters);
    return reader.getRowObjectsJson() as unknown as Row[];
  }

  /**
   * Runs a statement once for each of `runs`, all on the same state of the warehouse. Yields their rows on demand, in chunks; see
   * {@link query}. Nothing else may use the session meanwhile. `signal` interrupts the statement, which then fails. If the caller
   * stops reading before the end, the statement ends, too.
   */
  async *stream<Row extends object>(
    sql: string,
    runs: readonly Parameters[],
    signal: AbortSignal,
  ): AsyncGenerator<Row[]> {
    signal.throwIfAborted();
    await this.run('BEGIN TRANSACTION');
    const interrupt = (): void => {
      this.interrupt();
    };
    signal.addEventListener('abort', interrupt);
    const end = this.#context.observer().began('stream', sql);
    let isWhole = false;
    try {
      for (const parameters of runs) {
        const result = await this.#during(() => this.#connection.stream(...withItsValues(sql, parameters)));
        this.#streamed = result;
        const chunks = result.yieldRowObjectJson();
        for (;;) {
          const next = await this.#during(() => chunks.next());
          if (next.done === true) break;
          yield next.value as unknown as Row[];
          signal.throwIfAborted();
        }
      }
      isWhole = true;
    } finally {
      end(!isWhole);
      signal.removeEventListener('abort', interrupt);
      this.#streamed = null;
      // It ends the stream's statement, too, which otherwise waits for the garbage collector. Only the first error has the cause.
      if (!this.#isLost) await this.run('ROLLBACK').catch((rollback: unknown) => rollback);
    }
  }

  /** Runs one statement for its effect, and returns how many rows it changed. */
  async run(sql: string, parameters: Parameters = {}): Promise<number> {
    const reader = await this.#execute(sql, parameters);
    return reader.rowsChanged;
  }

  /**
   * Appends rows, given as columns, to a temporary table. DuckDB's own vectors are the fastest way from JavaScript. All columns
   * have the same length and the table's types.
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

  /** Runs `work`, which writes only temporary tables, in one transaction, so that all that it reads is of the same state. */
  onOneState<Result>(work: () => Promise<Result>): Promise<Result> {
    return rerun(() => this.#inTransaction(work));
  }

  /**
   * Runs `work` in one transaction, and then `confirm`. If either throws, nothing is stored. Both run again after a failure that
   * passes by itself, such as another writer in the way.
   */
  transaction<Result>(work: () => Promise<Result>, confirm: () => Promise<void> = NOTHING): Promise<Result> {
    return rerun(() => this.#transaction(work, confirm));
  }

  /** Amends what was derived from the rows that the running transaction changes, once it is stored. */
  amend(amendment: Amendment): void {
    this.#amendments.push(amendment);
  }

  /**
   * Runs a statement that moves rows of a DuckLake to other files, and changes none. It says so to the other nodes, so that they
   * keep what they have derived.
   */
  moveRows(sql: string): Promise<void> {
    return this.transaction(async () => {
      await this.run(sql);
      await this.#announce([]);
    });
  }

  async #transaction<Result>(work: () => Promise<Result>, confirm: () => Promise<void>): Promise<Result> {
    let leave = await this.#context.commitQueue.enter();
    let isLong = false;
    const limit = setTimeout(() => {
      isLong = true;
      leave();
    }, LONGEST_FIRST_MS);
    try {
      return await this.#inTransaction(async () => {
        const result = await work();
        clearTimeout(limit);
        if (isLong) leave = await this.#context.commitQueue.enter();
        await confirm();
        return result;
      });
    } finally {
      clearTimeout(limit);
      leave();
    }
  }

  async #inTransaction<Result>(work: () => Promise<Result>): Promise<Result> {
    await this.run('BEGIN TRANSACTION');
    this.#isInTransaction = true;
    this.#touches.clear();
    this.#amendments.length = 0;
    try {
      const result = await work();
      await this.#commit();
      return result;
    } catch (error) {
      // A failed COMMIT has already rolled back, and a failed statement may have. Only the first error has the cause.
      await this.run('ROLLBACK').catch((rollback: unknown) => rollback);
      throw error;
    } finally {
      this.#isInTransaction = false;
    }
  }

  /** Rows that the running statement has read, by DuckDB's estimate. */
  get rowsRead(): number {
    return this.#isLost ? 0 : Number(this.#connection.progress.rows_processed);
  }

  /** Whether its DuckDB has ended, so that every further statement fails. */
  get isLost(): boolean {
    return this.#isLost;
  }

  /** Interrupts the running statement, which fails with an interrupt error. */
  interrupt(): void {
    if (!this.#isLost) this.#connection.interrupt();
  }

  close(): void {
    this.#connection.closeSync();
  }

  /** Fails the running statement and all later ones, because the DuckDB of the session has ended. */
  leave(): void {
    this.interrupt();
    this.#isLost = true;
  }

  /** Ends the session even while it is in use, because its DuckDB has ended. Its running statement and all later ones fail. */
  async abandon(): Promise<void> {
    this.leave();
    await this.#running;
    // An unfinished stream keeps the DuckDB and its file open until its next read.
    await this.#streamed?.fetchChunk().catch((error: unknown) => error);
    // Without this, closing ends the process if the transaction cannot be rolled back, because a checkpoint failed.
    await this.#connection.run('ROLLBACK').catch((error: unknown) => error);
    this.close();
  }

  /** Says to the other nodes what the running transaction has written, if there can be others. */
  async #announce(touches: readonly Touch[]): Promise<void> {
    const announcement = this.#context.followed?.announcement(touches) ?? null;
    if (announcement !== null) await this.run(announcement);
  }

  async #commit(): Promise<void> {
    const touches = [...this.#touches.values()];
    if (touches.length > 0) await this.#announce(touches);
    const end = touches.length > 0 ? this.#context.followed?.begin(touches, this.#amendments) : undefined;
    let hasCommitted = false;
    try {
      await once(this.run('COMMIT'));
      hasCommitted = true;
    } catch (error) {
      if (!isStored(error)) throw error;
    } finally {
      end?.(hasCommitted);
    }
  }

  #execute(sql: string, parameters: Parameters) {
    const writes = this.#context.followed === null ? 'outside' : writesOf(sql, parameters);
    return this.#isInTransaction
      ? this.#runOnce(sql, parameters, writes)
      : rerun(() => this.#runAlone(sql, parameters, writes));
  }

  /** Runs a statement that is not part of a transaction, so that it can run again if memory was short. */
  async #runAlone(sql: string, parameters: Parameters, writes: Writes) {
    const waits = TRIES_AFTER_MS.values();
    for (;;) {
      // A write begins again once it is first in the queue.
      let begun = performance.now();
      const run = () => {
        begun = performance.now();
        return this.#runOnce(sql, parameters, writes);
      };
      try {
        return await (typeof writes === 'object' ? this.#transaction(run, NOTHING) : run());
      } catch (error) {
        const isSmall = performance.now() - begun <= SMALL_MS;
        const { value: wait } = isShortOfMemory(error) && !isStored(error) && isSmall ? waits.next() : {};
        if (wait === undefined) throw error;
        await sleep(wait);
      }
    }
  }

  async #runOnce(sql: string, parameters: Parameters, writes: Writes) {
    if (typeof writes === 'object')
      for (const touch of writes) this.#touches.set(JSON.stringify(touch), touch);
    const reader = await this.#observed(kindOf(sql, writes), sql, () =>
      this.#connection.runAndReadAll(...withItsValues(sql, parameters)),
    );
    if (writes === 'nothing' && WRITING.has(reader.statementType))
      throw new Error(`the warehouse cannot tell what this statement writes: ${sql.slice(0, 80)}`);
    return reader;
  }

  async #observed<Result>(kind: StatementKind, sql: string, work: () => Promise<Result>): Promise<Result> {
    const end = this.#context.observer().began(kind, sql);
    let hasFailed = true;
    try {
      const result = await this.#during(work);
      hasFailed = false;
      return result;
    } finally {
      end(hasFailed);
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
      hideSecrets(error);
      const wasLost = this.isLost;
      if (!isFatal(error)) throw wasLost ? lost() : error;
      this.#isLost = true;
      this.#context.onFatal(error);
      throw wasLost || OF_ANOTHER.test(error.message) ? lost() : error;
    }
  }
}

function kindOf(sql: string, writes: Writes): StatementKind {
  if (typeof writes === 'object') return 'write';
  if (sql === 'COMMIT') return 'commit';
  return writes === 'nothing' && READING.test(sql) ? 'read' : 'other';
}

/** Returns a statement with its values in the text if it can be, otherwise with values and types that the driver binds. */
function withItsValues(
  sql: string,
  parameters: Parameters,
): [sql: string, values?: Record<string, DuckDBValue>, types?: Record<string, DuckDBType>] {
  const whole = withValues(sql, parameters);
  return whole === null ? [sql, ...bound(parameters)] : [whole];
}

/** Returns the values and types in the form that the driver binds. */
function bound(parameters: Parameters): [Record<string, DuckDBValue>, Record<string, DuckDBType>] {
  const values: Record<string, DuckDBValue> = {};
  const types: Record<string, DuckDBType> = {};
  for (const [name, value] of Object.entries(parameters)) {
    if (isList(value)) {
      values[name] = listValue([...value]);
      types[name] = LIST(VARCHAR);
    } else values[name] = value;
  }
  return [values, types];
}
