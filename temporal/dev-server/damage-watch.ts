import { open, type FileHandle } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import type { BaseLogger } from 'pino';

/**
 * SQLite's words, with its codes, for a file that no start can read: SQLITE_NOTADB, SQLITE_CORRUPT with its kinds,
 * another schema.
 */
const UNREADABLE =
  /file is not a database(: .*)? \(26\)|database disk image is malformed(: .*)? \((11|267|523|779)\)|SQL logic error: (no such (table|column): |table \S+ has no column named )/;

/**
 * Whether the error of a server that did not start, with the end of its log, reports a database that is damaged or of
 * another version. A lock, a full disk, a missing right or a port in use is an outage: the database may be whole.
 */
export const databaseIsUnreadable = (log: string): boolean => UNREADABLE.test(log);

/**
 * A line that the server's stores write if the database has failed: `error` has the database's error, in quotes. Quotes
 * inside a value are escaped, so that no value can look like a field.
 */
const STORE_FAILED =
  /^time=\S+ level=ERROR msg="Operation failed with (?:an|internal) error\." (?:[\w-]+=(?:"(?:[^"\\]|\\.)*"|[^\s"]*) )*?error="((?:[^"\\]|\\.)*)"/;

/** SQLite's words and codes (SQLITE_CORRUPT with its kinds, SQLITE_NOTADB), which end the error. Names may precede them. */
const DAMAGED =
  /(?:^|: )((?:database disk image is malformed|file is not a database)(?:: .*)? \((?:11|267|523|779|26)\))$/;

/** Watches what the log of a dev server reports about its database. */
export interface DamageWatch {
  /** Resolves with SQLite's words once the log has them. */
  found: Promise<string>;
  /** Reads now what was added to the log. Resolves with SQLite's words, or null. */
  look(): Promise<string | null>;
  /** Ends the watch. Resolves when the log is closed. */
  stop(): Promise<void>;
}

const LOOK_EVERY_MS = 2_000;

/**
 * Looks every two seconds for damage in the log of a dev server. The server itself goes on without its database and
 * retries for ever.
 *
 * @param from byte of the log at which the server's own part begins
 */
export function watchForDamage(path: string, from: number, log: Pick<BaseLogger, 'warn'>): DamageWatch {
  const follower = new LogFollower(path, from);
  const stopping = new AbortController();
  let report: (words: string) => void = () => undefined;
  const found = new Promise<string>((resolve) => {
    report = resolve;
  });
  const read = async (): Promise<string | null> => {
    for await (const line of follower.added()) {
      const words = DAMAGED.exec(STORE_FAILED.exec(line)?.[1] ?? '')?.[1];
      if (words === undefined) continue;
      report(words);
      return words;
    }
    return null;
  };
  let turn: Promise<string | null> = Promise.resolve(null);
  const look = (): Promise<string | null> => {
    turn = turn
      .then(async (words) => words ?? (await read()))
      .catch((error: unknown) => {
        log.warn({ err: error }, 'Temporal: its log cannot be read; trying again');
        return null;
      });
    return turn;
  };
  const watching = (async () => {
    while (!stopping.signal.aborted && (await look()) === null)
      // A watch is no reason for the program to stay alive, as the server itself is not.
      await sleep(LOOK_EVERY_MS, undefined, { signal: stopping.signal, ref: false }).catch(
        (aborted: unknown) => aborted,
      );
  })();
  const stop = async (): Promise<void> => {
    stopping.abort();
    await watching;
    await turn;
    await follower.close();
  };
  return { found, look, stop };
}

/** Bytes that are read at once. A line may have about as many. */
const CHUNK_BYTES = 65_536;

/** The beginning of the rest of a line that is too long. It is not the beginning of any line of the server. */
const TOO_LONG = '…';

/** Reads the lines that are added to a log, from a byte on. */
class LogFollower {
  readonly #path: string;
  /** Kept open: the server still writes to a log that somebody renames. */
  #file: FileHandle | undefined;
  #position: number;
  #unfinished = '';

  constructor(path: string, from: number) {
    this.#path = path;
    this.#position = from;
  }

  /** Yields the lines that were completed since the last call, and no line while there is no file. */
  async *added(): AsyncGenerator<string> {
    this.#file ??= await openIfThere(this.#path);
    if (this.#file === undefined) return;
    if ((await this.#file.stat()).size < this.#position) {
      // Somebody has cut the log, and its server goes on at the new end.
      this.#position = 0;
      this.#unfinished = '';
    }
    for (;;) {
      const { buffer, bytesRead } = await this.#file.read({
        buffer: Buffer.alloc(CHUNK_BYTES),
        position: this.#position,
      });
      this.#position += bytesRead;
      // A chunk may end within a character, which does not matter here: SQLite's words are ASCII.
      const lines = (this.#unfinished + buffer.toString('latin1', 0, bytesRead)).split('\n');
      const last = lines.pop() ?? '';
      this.#unfinished = last.length > CHUNK_BYTES ? TOO_LONG : last;
      yield* lines;
      if (bytesRead < CHUNK_BYTES) return;
    }
  }

  async close(): Promise<void> {
    await this.#file?.close();
    this.#file = undefined;
  }
}

const openIfThere = (path: string): Promise<FileHandle | undefined> =>
  open(path).catch((error: unknown) => {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  });
