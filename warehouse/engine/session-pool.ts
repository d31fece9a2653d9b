import type { DuckDBInstance } from '@duckdb/node-api';
import { lost, Session, type SessionContext } from './session.ts';

/** The most pooled sessions in use at once. Each holds a thread of libuv's pool while a statement runs. */
const MOST_SESSIONS = 16;

interface Waiting {
  give: (session: Session) => void;
  refuse: (error: unknown) => void;
}

/** An open warehouse, whose sessions each serve one caller at a time. */
export class SessionPool {
  readonly #instance: DuckDBInstance;
  readonly #onFatal: (pool: SessionPool, error: Error) => void;
  readonly #shared: Omit<SessionContext, 'onFatal'>;
  readonly #sessions = new Set<Session>();
  readonly #connecting = new Set<Promise<Session>>();
  readonly #idle: Session[] = [];
  readonly #waiting: Waiting[] = [];
  #pooled = 0;
  #isOver = false;

  /** @param onFatal is called with each error that ends the whole DuckDB. */
  constructor(
    instance: DuckDBInstance,
    onFatal: (pool: SessionPool, error: Error) => void,
    shared: Omit<SessionContext, 'onFatal'>,
  ) {
    this.#instance = instance;
    this.#onFatal = onFatal;
    this.#shared = shared;
  }

  /** Returns a session that nobody else uses until it is given back. */
  async take(): Promise<Session> {
    // No session comes back any more, so nobody may wait for one.
    if (this.#isOver) throw lost();
    const idle = this.#idle.pop();
    if (idle !== undefined) return idle;
    if (this.#pooled >= MOST_SESSIONS) {
      return new Promise((give, refuse) => {
        this.#waiting.push({ give, refuse });
      });
    }
    this.#pooled += 1;
    try {
      return await this.connect();
    } catch (error) {
      this.#pooled -= 1;
      // Also fails a waiting caller: if no session is in use, none comes back to end its wait.
      this.#waiting.shift()?.refuse(error);
      throw error;
    }
  }

  giveBack(session: Session): void {
    if (this.#isOver) return;
    const next = this.#waiting.shift();
    if (next === undefined) this.#idle.push(session);
    else next.give(session);
  }

  /** Opens a session in addition to the pooled ones. */
  async connect(): Promise<Session> {
    if (this.#isOver) throw lost();
    const connecting = this.#connect();
    this.#connecting.add(connecting);
    try {
      return await connecting;
    } finally {
      this.#connecting.delete(connecting);
    }
  }

  /** Ends a session of {@link connect}. After the end of the pool does nothing, because the session ends with the others. */
  disconnect(session: Session): void {
    if (!this.#isOver && this.#sessions.delete(session)) session.close();
  }

  /**
   * Gives no session any more, and fails all running statements. Unlike {@link abandon} it closes nothing: while a transaction of a
   * DuckLake is open, closing ends the process. So somebody must keep the pool, or the collection of garbage closes it.
   */
  leave(): void {
    this.#isOver = true;
    for (const { refuse } of this.#waiting.splice(0)) refuse(lost());
    for (const session of this.#sessions) session.leave();
  }

  /** Ends the DuckDB with all running statements, so that its file can be opened again. */
  async abandon(): Promise<void> {
    this.leave();
    await Promise.allSettled(this.#connecting);
    await Promise.all([...this.#sessions].map((session) => session.abandon()));
    this.#instance.closeSync();
  }

  /** Closes the DuckDB. Nobody may use it meanwhile. */
  close(): void {
    this.#isOver = true;
    for (const session of this.#idle.splice(0)) session.close();
    this.#instance.closeSync();
  }

  async #connect(): Promise<Session> {
    const onFatal = (error: Error): void => {
      this.#onFatal(this, error);
    };
    const connection = await this.#instance.connect();
    const session = new Session(connection, { ...this.#shared, onFatal });
    this.#sessions.add(session);
    try {
      await enter(session);
      return session;
    } catch (error) {
      this.disconnect(session);
      throw error;
    }
  }
}

/** Makes the warehouse the default database of a new session, and UTC its time zone. */
export async function enter(session: Session): Promise<void> {
  await session.run('USE warehouse');
  await session.run(`SET TimeZone = 'UTC'`);
}
