import { writeSync } from 'node:fs';

/** How long a line waits for a slow reader of a pipe, and how often it tries. */
const PATIENCE_MS = 1_000;
const PAUSE_MS = 10;

/** Standard output is for the output of commands. */
const STANDARD_ERROR = 2;

/** Writes bytes from an offset to an open file. Returns how many it wrote, or throws the system's error. */
type Write = (file: number, bytes: Buffer, at: number) => number;

/**
 * Writes the lines of the log to a file or pipe. A line that cannot be written is dropped and counted, because the service must
 * not end, or wait, for its log: the disk may be full, and the reader of a pipe may hang.
 */
export class LogLines {
  readonly #file: number;
  readonly #write: Write;
  #dropped = 0;
  #told = 0;
  /** Whether the last line was dropped. Then the next one waits for nobody. */
  #isStuck = false;
  /** Whether the last line was cut, so that the next one must not continue it. */
  #isCut = false;

  constructor(file = STANDARD_ERROR, write: Write = writeSync) {
    this.#file = file;
    this.#write = write;
  }

  /** The number of lines that were dropped so far. */
  get dropped(): number {
    return this.#dropped;
  }

  /** Writes a line that ends with a line feed. Never throws. */
  write(line: string): void {
    this.#isStuck = !this.#tryTo(this.#isCut ? `\n${line}` : line);
    if (this.#isStuck) this.#dropped += 1;
    else if (this.#told < this.#dropped) {
      const missing = this.#dropped - this.#told;
      this.#told = this.#dropped;
      this.#tryTo(
        `${JSON.stringify({ level: 'warn', time: new Date(), dropped: missing, msg: 'log lines were dropped' })}\n`,
      );
    }
  }

  #tryTo(text: string): boolean {
    const bytes = Buffer.from(text);
    let written = 0;
    for (let waited = 0; written < bytes.length;) {
      try {
        written += this.#write(this.#file, bytes, written);
      } catch (error) {
        const isBusy = error instanceof Error && 'code' in error && error.code === 'EAGAIN';
        if (!isBusy || this.#isStuck || waited >= PATIENCE_MS) break;
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PAUSE_MS);
        waited += PAUSE_MS;
      }
    }
    this.#isCut = written > 0 ? written < bytes.length : this.#isCut;
    return written === bytes.length;
  }
}
