import { fork, type ChildProcess } from 'node:child_process';
import { createRequire } from 'node:module';
import { invalid, Outage } from '../../../domain/shared/errors.ts';
import type { InstanceOptions } from '../open-instance.ts';
import type { ReaderCall, ReaderReply, ReaderRequest, TextColumns } from './reader-process.ts';
import type { Parameters } from '../sql/parameters.ts';

/** How long a statement may continue after an interrupt. DuckDB does not check for interrupts everywhere. */
const INTERRUPTED_MS = 5_000;
const INTERRUPT_AGAIN_MS = 100;

/** A process with more memory is not used again. */
const MOST_KEPT_BYTES = 300e6;

/** How long an idle process waits for the next load. */
const IDLE_MS = 60_000;

/** The process's JavaScript heap. If a file gives DuckDB larger results, the process ends. */
const MOST_HEAP_MB = 512;

/** The built program of the process, because Node cannot run the sources. */
const PROGRAM = createRequire(import.meta.url).resolve('#reader-process');

const ABORTED = new Outage('the reading of the files was aborted');

const crashed = (reason: string): Error =>
  invalid(
    `DuckDB crashed on the files, which a line with invalid UTF-8 and too many fields can cause (${reason}); nothing was loaded`,
  );

/**
 * A session of a DuckDB in a separate process. Statements run one after the other (see `Session`). If the DuckDB or its process
 * ends, the current call and all later calls fail.
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

  /** Opens a reader with a new DuckDB. Its process may be one that another load has used. The caller closes it. */
  static async open(options: InstanceOptions): Promise<Reader> {
    const reader = waiting.pop() ?? new Reader();
    clearTimeout(reader.#idle);
    reader.#process.ref();
    reader.#process.channel?.ref();
    try {
      await reader.#ask({ call: 'open', options });
      return reader;
    } catch (error) {
      reader.#kill(ABORTED);
      throw error;
    }
  }

  private constructor() {
    this.#process = fork(PROGRAM, {
      serialization: 'advanced',
      // DuckDB goes straight to the hosts in NO_PROXY, even if it has a proxy.
      env: { ...process.env, NO_PROXY: '', no_proxy: '' },
      // The output of a broken process does not belong in the log.
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
      // Reading files takes all cores for minutes. Whoever asks the API meanwhile comes first.
      execPath: 'nice',
      execArgv: ['-n', '10', process.execPath, `--max-old-space-size=${MOST_HEAP_MB}`],
    });
    this.#process.on('message', (reply) => {
      this.#receive(reply as ReaderReply);
    });
    this.#process.on('error', (error) => {
      this.#fail(error);
    });
    this.#process.on('exit', (code, signal) => {
      this.#fail(
        signal === 'SIGKILL'
          ? new Outage('the process that reads the files was killed, usually because memory ran out')
          : crashed(`the process ended by ${signal ?? `code ${code}`}`),
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

  /** Appends text rows to a temporary table, as columns of equal length. */
  async append(table: string, columns: TextColumns): Promise<void> {
    await this.#ask({ call: 'append', table, columns });
  }

  /** Rows that the running statement had read up to half a second ago, by DuckDB's estimate. */
  get rowsRead(): number {
    return this.#rowsRead;
  }

  /** Whether its DuckDB has ended, so that every further call fails. */
  get isLost(): boolean {
    return this.#end !== null;
  }

  /** Interrupts the running statement, which then fails. If it does not stop in time, ends its process. */
  interrupt(): void {
    if (this.isLost || this.#pending.size === 0) return;
    this.#send({ call: 'interrupt' });
    const calls = this.#calls;
    const until = performance.now() + INTERRUPTED_MS;
    // Repeats the interrupt, because it has no effect before the statement begins.
    const timer = setInterval(() => {
      if (this.isLost || this.#calls !== calls || this.#pending.size === 0) clearInterval(timer);
      else if (performance.now() > until) this.#kill(ABORTED);
      else this.#send({ call: 'interrupt' });
    }, INTERRUPT_AGAIN_MS).unref();
  }

  /** Ends its DuckDB. If the process is sound and small, it waits for the next load. */
  async close(): Promise<void> {
    if (this.isLost || this.#pending.size > 0) {
      this.#kill(ABORTED);
      return;
    }
    const bytes = await this.#ask({ call: 'close' }).catch(() => Infinity);
    if (Number(bytes) > MOST_KEPT_BYTES) {
      this.#kill(ABORTED);
      return;
    }
    this.#process.unref();
    this.#process.channel?.unref();
    this.#idle = setTimeout(() => {
      this.#kill(ABORTED);
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
    // Ignores the error, because the exit of the process has the reason.
    this.#process.send(request, () => undefined);
  }

  #receive(reply: ReaderReply): void {
    if ('rowsRead' in reply) {
      this.#rowsRead = reply.rowsRead;
      return;
    }
    const asked = this.#pending.get(reply.id);
    this.#pending.delete(reply.id);
    if ('value' in reply) asked?.resolve(reply.value);
    else if (reply.breakdown) {
      const error = crashed(reply.error.split('\n')[0] ?? '');
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

/** Readers whose idle processes wait for a load. */
const waiting: Reader[] = [];
