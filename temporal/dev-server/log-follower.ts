import { open, type FileHandle } from 'node:fs/promises';

/** Also the longest line that is looked at. */
const CHUNK_BYTES = 65_536;
const NEWLINE = 0x0a;

/** Reads a log that grows from a byte on, each time what was added, and never more than a piece of it at once. */
export class LogFollower {
  readonly #path: string;
  /** Kept open: a log that somebody renames is still the one that its server writes. */
  #file: FileHandle | undefined;
  #position: number;
  #isInLongLine = false;

  /** @param from byte at which to begin */
  constructor(path: string, from: number) {
    this.#path = path;
    this.#position = from;
  }

  /** Yields the complete lines since the last call, without those longer than 64 KiB; none while there is no file. */
  async *added(): AsyncGenerator<string> {
    this.#file ??= await openIfThere(this.#path);
    if (this.#file === undefined) return;
    // Somebody has cut the log, and its server goes on at the new end.
    if ((await this.#file.stat()).size < this.#position) this.#skipTo(0, false);
    for (;;) {
      const { buffer, bytesRead } = await this.#file.read({
        buffer: Buffer.alloc(CHUNK_BYTES),
        position: this.#position,
      });
      const end = buffer.subarray(0, bytesRead).lastIndexOf(NEWLINE) + 1;
      const lines = buffer.toString('utf8', 0, end).split('\n').slice(0, -1);
      if (this.#isInLongLine) lines.shift();
      const isFull = bytesRead === CHUNK_BYTES;
      if (end > 0) this.#skipTo(this.#position + end, false);
      else if (isFull) this.#skipTo(this.#position + bytesRead, true);
      yield* lines;
      if (!isFull) return;
    }
  }

  /** Lets go of the file. */
  async close(): Promise<void> {
    await this.#file?.close();
    this.#file = undefined;
  }

  #skipTo(position: number, isInLongLine: boolean): void {
    this.#position = position;
    this.#isInLongLine = isInLongLine;
  }
}

const openIfThere = async (path: string): Promise<FileHandle | undefined> => {
  try {
    return await open(path);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
};
