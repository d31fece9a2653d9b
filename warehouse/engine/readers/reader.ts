import { fork, type ChildProcess } from 'node:child_process';
import { createRequire } from 'node:module';
import { invalid, Outage } from '../../../domain/shared/errors.ts';
import type { InstanceOptions } from '../open-instance.ts';
import type { ReaderCall, ReaderReply, ReaderRequest, TextColumns } from './reader-process.ts';
import type { Parameters } from '../session.ts';

/** How long a statement may go on after it was interrupted. DuckDB does not look everywhere. */
const INTERRUPTED_MS = 5_000;
const INTERRUPT_AGAIN_MS = 100;

/** A process that has grown above this is not used again. */
const MOST_KEPT_BYTES = 300e6;

/** How long a process waits for the next load. */
const IDLE_MS = 60_000;

/** Most of JavaScript's memory in it: beyond it, what a file makes DuckDB answer ends the process. */
const MOST_HEAP_MB = 512;

/** Its program, built: Node cannot run the sources. */
const PROGRAM = createRequire(import.meta.url).resolve('#reader-process');

const GIVEN_UP = new Outage('the reading of the files was given up');

const brokenDown = (reason: string): Error =>
  invalid(
    `DuckDB broke down over the files, which a line with invalid UTF-8 and too many fields can do (${reason}); nothing was loaded`,
  );

/**
 * A DuckDB in a process of its own, as a session of it: statements run one after the other (see `Session`). What ends the
 * DuckDB or its process fails the call, and all that follow.
 */
export class Reader {
  readonly #process: ChildProcess;
  readonly #pending = new Map<
    number,
    { resolve: (value: unknown) => void; reject: (error: Error) => void }
  >();
  #calls = 0;
  #rowsRead = 0;
  #end: Error | null = null;
  #idle: NodeJS.Timeout | undefined;

  /** A reader whose DuckDB is new; its process may have read for others. Whoever opens it closes it. */
  static async open(options: InstanceOptions): Promise<Reader> {
    const reader = waiting.pop() ?? new Reader();
    clearTimeout(reader.#idle);
    reader.#process.ref();
    reader.#process.channel?.ref();
    try {
      await reader.#ask({ call: 'open', options });
      return reader;
    } catch (error) {
      reader.#kill(GIVEN_UP);
      throw error;
    }
  }

  private constructor() {
    this.#process = fork(PROGRAM, {
      serialization: 'advanced',
      // What a broken process writes is no line of the log.
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
      execArgv: [`--max-old-space-size=${MOST_HEAP_MB}`],
    });
    this.#process.on('message', (reply) => {
      this.#hear(reply as ReaderReply);
    });
    this.#process.on('error', (error) => {
      this.#fail(error);
    });
    this.#process.on('exit', (code, signal) => {
      this.#fail(
        signal === 'SIGKILL'
          ? new Outage('the process that reads the files was killed, most often for want of memory')
          : brokenDown(`the process ended by ${signal ?? `code ${code}`}`),
      );
    });
  }

  /** See `Session.query`. */
  async query<Row extends object>(sql: string, parameters: Parameters = {}): Promise<Row[]> {
    return (await this.#ask({ call: 'query', sql, parameters })) as Row[];
  }

  /** See `Session.run`. */
  async run(sql: string, parameters: Parameters = {}): Promise<number> {
    return (await this.#ask({ call: 'run', sql, parameters })) as number;
  }

  /** Appends rows of texts to a temporary table, by columns of the same length. */
  async append(table: string, columns: TextColumns): Promise<void> {
    await this.#ask({ call: 'append', table, columns });
  }

  /** Rows that the statement now running has read, by DuckDB's own estimate, half a second ago. */
  get rowsRead(): number {
    return this.#rowsRead;
  }

  /** Whether its DuckDB has ended: it can run nothing any more. */
  get isLost(): boolean {
    return this.#end !== null;
  }

  /** Stops the statement that is running; it fails, at the latest when its process is ended. */
  interrupt(): void {
    if (this.isLost || this.#pending.size === 0) return;
    this.#send({ call: 'interrupt' });
    const calls = this.#calls;
    const until = performance.now() + INTERRUPTED_MS;
    // A statement that had not begun yet has not heard it.
    const timer = setInterval(() => {
      if (this.isLost || this.#calls !== calls || this.#pending.size === 0) clearInterval(timer);
      else if (performance.now() > until) this.#kill(GIVEN_UP);
      else this.#send({ call: 'interrupt' });
    }, INTERRUPT_AGAIN_MS).unref();
  }

  /** Ends its DuckDB. The process waits for the next load, if it is sound and small. */
  async close(): Promise<void> {
    if (this.isLost || this.#pending.size > 0) {
      this.#kill(GIVEN_UP);
      return;
    }
    const bytes = await this.#ask({ call: 'close' }).catch(() => Infinity);
    if (Number(bytes) > MOST_KEPT_BYTES) {
      this.#kill(GIVEN_UP);
      return;
    }
    this.#process.unref();
    this.#process.channel?.unref();
    this.#idle = setTimeout(() => {
      this.#kill(GIVEN_UP);
    }, IDLE_MS).unref();
    waiting.push(this);
  }

  #ask(call: ReaderCall): Promise<unknown> {
    if (this.#end !== null) return Promise.reject(this.#end);
    this.#calls += 1;
    const id = this.#calls;
    return new Promise((resolve, reject) => {
      this.#pending.set(id, { resolve, reject });
      this.#send({ ...call, id });
    });
  }

  #send(request: ReaderRequest): void {
    // What cannot be sent has an exit that tells more.
    this.#process.send(request, () => undefined);
  }

  #hear(reply: ReaderReply): void {
    if ('rowsRead' in reply) {
      this.#rowsRead = reply.rowsRead;
      return;
    }
    const asked = this.#pending.get(reply.id);
    this.#pending.delete(reply.id);
    if ('value' in reply) asked?.resolve(reply.value);
    else if (reply.breakdown) {
      const error = brokenDown(reply.error.split('\n')[0] ?? '');
      asked?.reject(error);
      this.#kill(error);
    } else asked?.reject(new Error(reply.error));
  }

  #kill(reason: Error): void {
    this.#fail(reason);
    this.#process.kill('SIGKILL');
  }

  #fail(error: Error): void {
    this.#end ??= error;
    const at = waiting.indexOf(this);
    if (at !== -1) waiting.splice(at, 1);
    clearTimeout(this.#idle);
    for (const { reject } of this.#pending.values()) reject(this.#end);
    this.#pending.clear();
  }
}

/** Readers whose processes wait for a load. */
const waiting: Reader[] = [];
