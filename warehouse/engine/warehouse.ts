import { join } from 'node:path';
import { UNOBSERVED, type StatementObserver } from '../../telemetry/statement-observer.ts';
import { attach, type WarehousePlace } from './opening/attach.ts';
import type { Agreement } from './locks/among-nodes.ts';
import { NO_COMMIT_QUEUE, type CommitQueue } from './locks/commit-queue.ts';
import { Locks, type Confirm } from './locks/locks.ts';
import { giveIndexes } from './opening/lake-indexes.ts';
import { giveStatistics } from './opening/lake-statistics.ts';
import { isDuckLake, postgresCatalog } from './location.ts';
import { migrate } from './migrations/migrate.ts';
import type { Migration } from './migrations/migration.ts';
import { openInstance, type InstanceOptions } from './open-instance.ts';
import { lost, Session } from './session.ts';
import type { Parameters } from './sql/parameters.ts';
import { sqlText } from './sql/sql-text.ts';
import { enter, SessionPool } from './session-pool.ts';
import { persist } from './opening/set-up.ts';
import { attachedReader } from './cache/catalog-reader.ts';
import { amending } from './cache/amendments.ts';
import { CatalogRevisionLog } from './cache/catalog-revisions.ts';
import { DerivedCache } from './cache/derived-cache.ts';
import { RevisionLog, type Revisions } from './cache/revisions.ts';

export interface WarehouseSettings extends WarehousePlace, InstanceOptions {
  /** How many bytes of what was derived from the warehouse this process keeps in its memory. */
  cacheBytes: number;
}

/**
 * Threads of a statement on a DuckLake. With more, the calling thread takes a whole core while another thread waits for the
 * catalog (duckdb/duckdb#22178).
 */
const LAKE_THREADS = 1;

/** How long a node that starts waits for others, in seconds. The largest migration takes seconds. */
const SET_UP_PATIENCE_S = 600;

/**
 * The warehouse, through which all data is read and written. It is an in-memory DuckDB with a DuckDB file or a DuckLake attached.
 * Its callers use only SQL that both understand.
 */
export class Warehouse {
  readonly settings: WarehouseSettings;
  /** What this process has derived from the warehouse. */
  readonly cache: DerivedCache;
  /** Called with the reason if the warehouse breaks down or cannot be opened again. Each request tries to open it again. */
  onBreakdown: (error: Error) => void = () => undefined;
  /** Observes the statements of this warehouse. */
  observer: StatementObserver = UNOBSERVED;
  readonly #revisions: RevisionLog;
  readonly #locks: Locks;
  readonly #commitQueue: CommitQueue;
  #pool: SessionPool | null = null;
  /** Whether statements have run since {@link returnMemory}. */
  #isUsed = false;
  #opening: Promise<SessionPool> | null = null;
  /** What has broken down and is not closed. */
  readonly #left: SessionPool[] = [];

  private constructor(settings: WarehouseSettings, agreement: Agreement | null) {
    this.settings = settings;
    this.cache = new DerivedCache(settings.cacheBytes);
    const { revisions, locks, commitQueue } = agreement ?? {
      revisions: this.isDuckLake ? new CatalogRevisionLog(attachedReader(this)) : new RevisionLog(),
      locks: new Locks(),
      commitQueue: NO_COMMIT_QUEUE,
    };
    this.#revisions = revisions;
    this.#locks = locks;
    this.#commitQueue = commitQueue;
  }

  /** Opens the warehouse and runs the missing `migrations`, by default all. Throws an error that says what is wrong. */
  static async open(settings: WarehouseSettings, migrations?: readonly Migration[]): Promise<Warehouse> {
    const catalog = postgresCatalog(settings.location);
    // Only a DuckLake loads the client of Postgres.
    const agreement = catalog === null ? null : (await import('./locks/among-nodes.ts')).amongNodes(catalog);
    const warehouse = new Warehouse(settings, agreement);
    await warehouse.#open(async (session) => {
      await persist(session, () => migrate(session, migrations));
      if (isDuckLake(settings.location)) await persist(session, () => giveStatistics(session));
      if (catalog !== null) await persist(session, () => giveIndexes(session));
    });
    return warehouse;
  }

  /** Runs one statement on any free session and returns its rows; see {@link Session.query}. */
  query<Row extends object>(sql: string, parameters: Parameters = {}): Promise<Row[]> {
    return this.session((session) => session.query<Row>(sql, parameters));
  }

  /** Runs one statement on any free session for its effect; see {@link Session.run}. */
  run(sql: string, parameters: Parameters = {}): Promise<number> {
    return this.session((session) => session.run(sql, parameters));
  }

  /**
   * Runs `work` with a session that nobody else uses, for several statements, temporary tables or a transaction.
   *
   * @param signal interrupts its running statement, because nobody needs the result any more. Then throws the signal's reason.
   */
  async session<Result>(work: (session: Session) => Promise<Result>, signal?: AbortSignal): Promise<Result> {
    const begun = performance.now();
    const pool = await this.#opened();
    const session = await pool.take();
    this.observer.waited((performance.now() - begun) / 1000);
    const interrupt = (): void => {
      session.interrupt();
    };
    signal?.addEventListener('abort', interrupt);
    try {
      signal?.throwIfAborted();
      return await work(session);
    } catch (error) {
      signal?.throwIfAborted();
      throw error;
    } finally {
      signal?.removeEventListener('abort', interrupt);
      pool.giveBack(session);
    }
  }

  /** Runs `work` with a session of its own, in addition to the pooled ones. The session's temporary tables end with it. */
  async ownSession<Result>(work: (session: Session) => Promise<Result>): Promise<Result> {
    const pool = await this.#opened();
    const session = await pool.connect();
    try {
      return await work(session);
    } finally {
      pool.disconnect(session);
    }
  }

  /**
   * Runs a statement for each of `runs` on a separate connection, and yields the rows on demand; see {@link Session.stream}. The
   * caller limits how many streams are open at once, because each holds a connection until its reader is done.
   *
   * @param prepare runs before the statement on the same connection, for example to create a temporary table.
   */
  async *stream<Row extends object>(
    sql: string,
    runs: readonly Parameters[],
    signal: AbortSignal,
    prepare: (session: Session) => Promise<void> = () => Promise.resolve(),
  ): AsyncGenerator<Row[]> {
    signal.throwIfAborted();
    const pool = await this.#opened();
    const session = await pool.connect();
    try {
      await prepare(session);
      yield* session.stream<Row>(sql, runs, signal);
    } finally {
      pool.disconnect(session);
    }
  }

  /** Runs `work`, which only reads, on one state of the warehouse and on a session that nobody else uses; see {@link session}. */
  onOneState<Result>(work: (session: Session) => Promise<Result>, signal?: AbortSignal): Promise<Result> {
    return this.session((session) => session.onOneState(() => work(session)), signal);
  }

  /** Runs `work` in one transaction on a session that nobody else uses; see {@link session}. */
  transaction<Result>(work: (session: Session) => Promise<Result>, signal?: AbortSignal): Promise<Result> {
    return this.session((session) => session.transaction(() => work(session)), signal);
  }

  /**
   * Runs `work` in one transaction while it holds some locks, on all nodes; see {@link Locks}. If the wait for them takes too long,
   * throws that the service is busy, and nothing is stored.
   */
  lockedTransaction<Result>(
    locks: readonly string[],
    work: (session: Session) => Promise<Result>,
  ): Promise<Result> {
    return this.withLock(locks, (confirm) =>
      this.session((session) => session.transaction(() => work(session), confirm)),
    );
  }

  /** Like {@link lockedTransaction}, for work that opens its own transactions. Each must call `confirm` before it commits. */
  withLock<Result>(
    locks: readonly string[],
    work: (confirm: Confirm) => Promise<Result>,
    patienceS?: number,
  ): Promise<Result> {
    return this.#locks.hold(locks, work, patienceS);
  }

  /** Whether work of this process holds a lock, or waits for it. */
  isLocked(lock: string): boolean {
    return this.#locks.isHeld(lock);
  }

  /**
   * Returns the revisions of organisations' rows, as of now or later. A DuckDB file has no other writer than this process. For a
   * DuckLake it takes one statement on the catalog. Data that is read after a revision was taken is at least as new as the revision.
   */
  async revisions(): Promise<Revisions> {
    if (this.#revisions instanceof CatalogRevisionLog) await this.#revisions.catchUp(undefined);
    return this.#revisions;
  }

  /** Whether it is a DuckLake rather than a DuckDB file. */
  get isDuckLake(): boolean {
    return isDuckLake(this.settings.location);
  }

  /** Throws if the warehouse does not respond. */
  async ping(): Promise<void> {
    await this.query('SELECT max(version) FROM schema_migrations');
  }

  /**
   * Returns what ended statements have freed to the system, if any have run since the last call. DuckDB asks the allocator for this
   * when its limit is set, and else only when its own threads have nothing to do. A start would keep 100 MB that nobody uses.
   */
  async returnMemory(): Promise<void> {
    if (!this.#isUsed) return;
    await this.run(`SET GLOBAL memory_limit = ${sqlText(this.settings.memoryLimit)}`);
    this.#isUsed = false;
  }

  /** How many DuckDBs have broken down and stay in memory until the process ends. */
  get left(): number {
    return this.#left.length;
  }

  /** Closes the warehouse. Nothing may use it afterwards. */
  close(): void {
    this.#pool?.close();
    this.#pool = null;
    this.#locks.close();
    this.#commitQueue.close();
    this.#revisions.close();
  }

  async #opened(): Promise<SessionPool> {
    this.#isUsed = true;
    return this.#pool ?? this.#opening ?? this.#openAgain(Promise.resolve());
  }

  /** Opens the warehouse after `before`. If that fails, all waiting requests fail, and the next request tries again. */
  #openAgain(before: Promise<void>): Promise<SessionPool> {
    const opening = before
      .then(() => this.#open())
      .catch((error: unknown) => {
        this.onBreakdown(error instanceof Error ? error : new Error(String(error)));
        throw lost();
      })
      .finally(() => {
        this.#opening = null;
      });
    this.#opening = opening;
    return opening;
  }

  /** @param prepare runs before anyone else uses the warehouse. */
  async #open(prepare: (session: Session) => Promise<void> = () => Promise.resolve()): Promise<SessionPool> {
    const threads = this.settings.threads ?? (this.isDuckLake ? LAKE_THREADS : null);
    const instance = await openInstance({ ...this.settings, threads });
    try {
      const session = new Session(await instance.connect());
      try {
        // One node after the other: a DuckDB that reads a table which another node migrates could end.
        const setUp = async (): Promise<void> => {
          await attach(session, this.settings);
          await enter(session);
          await prepare(session);
        };
        await this.#locks.hold(['set-up'], setUp, SET_UP_PATIENCE_S);
      } finally {
        await session.abandon();
      }
    } catch (error) {
      instance.closeSync();
      throw error;
    }
    // Nobody knows which of the commits that were under way are stored.
    this.#revisions.markAll();
    const onFatal = (pool: SessionPool, error: Error): void => {
      this.#breakDown(pool, error);
    };
    this.#pool = new SessionPool(instance, onFatal, {
      followed: this.isDuckLake ? this.#revisions : amending(this.#revisions, this.cache),
      observer: () => this.observer,
      commitQueue: this.#commitQueue,
    });
    return this.#pool;
  }

  /**
   * Opens the warehouse again after an error has ended DuckDB. All running statements fail. That of a DuckLake stays in memory,
   * because closing it during a transaction ends the process.
   */
  #breakDown(pool: SessionPool, error: Error): void {
    if (pool !== this.#pool) return;
    this.#pool = null;
    let before = Promise.resolve();
    if (this.isDuckLake) {
      pool.leave();
      this.#left.push(pool);
    } else before = pool.abandon();
    this.onBreakdown(error);
    // Catches the failure, because perhaps no request waits for it.
    this.#openAgain(before).catch((failure: unknown) => failure);
  }
}

/** Returns the directory under the data directory to which DuckDB spills data beyond its memory limit. */
export const spillDirectory = (dataDir: string): string => join(dataDir, 'spill');
