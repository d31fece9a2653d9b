import { mkdir } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import type { ObjectStorage } from '../../domain/sources/object-storage.ts';
import { loadExtension } from './extensions.ts';
import { giveStatistics } from './lake-statistics.ts';
import { isDuckLake, localFolder } from './location.ts';
import { migrate } from './migrations/migrate.ts';
import type { Migration } from './migrations/migrations.ts';
import { openInstance } from './open-instance.ts';
import { raceToSetUp } from './race-to-set-up.ts';
import { connectObjectStorage } from './remote-files.ts';
import { lost, Session, type Parameters } from './session.ts';
import { enter, SessionPool } from './session-pool.ts';
import { sqlText } from './sql/sql-text.ts';

export interface WarehouseSettings {
  /** A DuckDB file, or `ducklake:…` with its catalog (design §1). */
  location: string;
  /** Where DuckLake keeps its Parquet files: a shared path or `s3://…`; not used by a DuckDB file. */
  dataPath: string | null;
  /** Directory with signed DuckDB extensions; null leaves it to DuckDB's own INSTALL. */
  extensions: string | null;
  /** DuckDB's memory limit, for example `1GB`; what exceeds it spills to `spillDirectory`. */
  memoryLimit: string;
  threads: number | null;
  spillDirectory: string;
  objectStorage: ObjectStorage;
}

const ATTACH_ATTEMPTS = 5;

/**
 * Rows of new tables that are compressed together. A write holds them uncompressed first: of the usual 122,880, those of a
 * large upload take 30 MB more. With fewer the file grows: by a tenth with these, by a fifth with half as many.
 */
const ROW_GROUP_ROWS = 40_960;

/**
 * The one door to the data: an in-memory DuckDB with the warehouse attached, either a DuckDB file or a
 * DuckLake. Everything above speaks the SQL both understand.
 */
export class Warehouse {
  readonly settings: WarehouseSettings;
  /**
   * Hears why the warehouse broke down, or could not be opened again. A DuckDB file is opened again as often as it is asked for;
   * a DuckLake is not, and its process must end.
   */
  onBreakdown: (error: Error) => void = () => undefined;
  readonly #locks = new Map<string, Promise<unknown>>();
  #pool: SessionPool | null = null;
  #opening: Promise<SessionPool> | null = null;

  private constructor(settings: WarehouseSettings) {
    this.settings = settings;
  }

  /** Opens the warehouse and brings its schema up to date, or as far as `migrations` go. Throws with a message that says what is wrong. */
  static async open(settings: WarehouseSettings, migrations?: readonly Migration[]): Promise<Warehouse> {
    const warehouse = new Warehouse(settings);
    await warehouse.#open(async (session) => {
      await migrate(session, migrations);
      if (isDuckLake(settings.location)) await giveStatistics(session);
    });
    return warehouse;
  }

  /** Runs one statement on any free session and reads its rows; see {@link Session.query}. */
  query<Row extends object>(sql: string, parameters: Parameters = {}): Promise<Row[]> {
    return this.session((session) => session.query<Row>(sql, parameters));
  }

  /** Runs one statement on any free session for its effect; see {@link Session.run}. */
  run(sql: string, parameters: Parameters = {}): Promise<number> {
    return this.session((session) => session.run(sql, parameters));
  }

  /** Lends a session of its own to `work`, for several statements, temporary tables or a transaction. */
  async session<Result>(work: (session: Session) => Promise<Result>): Promise<Result> {
    const pool = await this.#opened();
    const session = await pool.take();
    try {
      return await work(session);
    } finally {
      pool.giveBack(session);
    }
  }

  /**
   * Runs one statement on a connection of its own and hands its rows on as they are asked for; see {@link Session.stream}.
   * The caller limits how many are open at once, because each holds a connection for as long as its reader takes.
   *
   * @param prepare what is done before on the same connection, for example to lay down a temporary table.
   */
  async *stream<Row extends object>(
    sql: string,
    parameters: Parameters,
    signal: AbortSignal,
    prepare: (session: Session) => Promise<void> = () => Promise.resolve(),
  ): AsyncGenerator<Row[]> {
    signal.throwIfAborted();
    const pool = await this.#opened();
    const session = await pool.connect();
    try {
      await prepare(session);
      yield* session.stream<Row>(sql, parameters, signal);
    } finally {
      pool.disconnect(session);
    }
  }

  /** Runs `work` in one transaction on a session of its own. */
  transaction<Result>(work: (session: Session) => Promise<Result>): Promise<Result> {
    return this.session((session) => session.transaction(() => work(session)));
  }

  /**
   * Runs `work` after all earlier work of this process under the same key. Reads that decide a write (is this
   * the last admin key?) go through here; the append-only tables keep other processes' writes safe.
   */
  async exclusive<Result>(key: string, work: () => Promise<Result>): Promise<Result> {
    const before = this.#locks.get(key) ?? Promise.resolve();
    const mine = before.then(work, work);
    const settled = mine.then(
      () => undefined,
      () => undefined,
    );
    this.#locks.set(key, settled);
    try {
      return await mine;
    } finally {
      if (this.#locks.get(key) === settled) this.#locks.delete(key);
    }
  }

  /** Whether it is a DuckLake rather than a DuckDB file. */
  get isDuckLake(): boolean {
    return isDuckLake(this.settings.location);
  }

  /** Throws unless the warehouse answers. */
  async ping(): Promise<void> {
    await this.query('SELECT max(version) FROM schema_migrations');
  }

  /** Closes the warehouse. Nothing may use it any more. */
  close(): void {
    this.#pool?.close();
    this.#pool = null;
  }

  async #opened(): Promise<SessionPool> {
    return this.#pool ?? this.#opening ?? this.#openAgain(Promise.resolve());
  }

  /** Opens it after `before`. Whoever asks meanwhile hears of a failure; who comes later tries again. */
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

  /** @param prepare what is done before anyone else uses it. */
  async #open(prepare: (session: Session) => Promise<void> = () => Promise.resolve()): Promise<SessionPool> {
    const instance = await openInstance(this.settings);
    try {
      const session = new Session(await instance.connect());
      try {
        await attach(session, this.settings);
        await enter(session);
        await prepare(session);
      } finally {
        await session.abandon();
      }
    } catch (error) {
      instance.closeSync();
      throw error;
    }
    this.#pool = new SessionPool(instance, (pool, error) => {
      this.#breakDown(pool, error);
    });
    return this.#pool;
  }

  /**
   * An error has ended DuckDB: all that is under way fails, and the next to ask finds the warehouse opened again. A DuckLake
   * is not: closing one with a transaction open ends the process.
   */
  #breakDown(pool: SessionPool, error: Error): void {
    if (pool !== this.#pool) return;
    this.onBreakdown(error);
    if (this.isDuckLake) return;
    this.#pool = null;
    // Nobody may ask meanwhile.
    this.#openAgain(pool.abandon()).catch((failure: unknown) => failure);
  }
}

const attach = async (session: Session, settings: WarehouseSettings): Promise<void> => {
  if (isDuckLake(settings.location)) {
    await loadExtension(session, 'ducklake', settings.extensions);
    if (settings.location.startsWith('ducklake:postgres:')) {
      await loadExtension(session, 'postgres_scanner', settings.extensions);
    }
    if (settings.dataPath === null)
      throw new Error('WAREHOUSE is a DuckLake: set WAREHOUSE_DATA to where it keeps its files');
    if (settings.dataPath.startsWith('s3:')) {
      await connectObjectStorage(session, settings.objectStorage, settings.extensions);
    }
    const folder = localFolder(settings.dataPath);
    if (folder !== null) await mkdir(folder, { recursive: true });
    await attachDuckLake(session, settings.location, settings.dataPath);
    return;
  }
  await mkdir(dirname(resolve(settings.location)), { recursive: true });
  await attachFile(session, settings.location);
};

/** Attaches a warehouse's file. Throws with a message that says so if another process uses it. */
export const attachFile = async (
  session: Session,
  location: string,
  access: 'READ_WRITE' | 'READ_ONLY' = 'READ_WRITE',
): Promise<void> => {
  const file = resolve(location);
  try {
    await session.run(`ATTACH ${sqlText(file)} AS warehouse (${access}, ROW_GROUP_SIZE ${ROW_GROUP_ROWS})`);
  } catch (cause) {
    if (cause instanceof Error && /could not set lock/i.test(cause.message)) {
      throw new Error(`another process uses ${file}: stop it, or choose another DATA_DIR or WAREHOUSE`, {
        cause,
      });
    }
    throw cause;
  }
};

const attachDuckLake = (session: Session, location: string, dataPath: string): Promise<void> =>
  raceToSetUp(ATTACH_ATTEMPTS, () =>
    session.run(`ATTACH ${sqlText(location)} AS warehouse (DATA_PATH ${sqlText(dataPath)})`),
  );

/** Where DuckDB spills what exceeds its memory limit, under the data directory. */
export const spillDirectory = (dataDir: string): string => join(dataDir, 'spill');
