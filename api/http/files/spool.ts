import { randomUUID } from 'node:crypto';
import { open, rm, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';

const BLOCK_BYTES = 64 * 1024;

/** Bytes in a file without a name: they are written as fast as they are made, and read as fast as somebody takes them. */
export class Spool {
  readonly #file: FileHandle;
  #written = 0;
  #ended = false;
  #error: Error | null = null;
  #wake = (): void => undefined;

  private constructor(file: FileHandle) {
    this.#file = file;
  }

  static async open(folder: string): Promise<Spool> {
    const path = join(folder, `answer-${randomUUID()}`);
    const file = await open(path, 'wx+');
    await rm(path);
    return new Spool(file);
  }

  /** Writes bytes after those before them. Call it again once it resolves. */
  async write(bytes: Uint8Array): Promise<void> {
    await this.#file.writev([bytes], this.#written);
    this.#written += bytes.byteLength;
    this.#wake();
  }

  /** Says that nothing follows, or that what follows could not be made. */
  end(error: Error | null): void {
    this.#ended = true;
    this.#error = error;
    this.#wake();
  }

  /** Yields all bytes, also those that are written later. Throws the error of `end` after the bytes before it. */
  async *read(): AsyncGenerator<Buffer> {
    for (let at = 0; ;) {
      if (at < this.#written) {
        const block = Buffer.allocUnsafe(Math.min(BLOCK_BYTES, this.#written - at));
        const { bytesRead } = await this.#file.read(block, 0, block.length, at);
        at += bytesRead;
        yield block.subarray(0, bytesRead);
      } else if (this.#error !== null) throw this.#error;
      else if (this.#ended) return;
      else
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
    }
  }

  /** Frees the space. Nobody may write or read afterwards. */
  async close(): Promise<void> {
    await this.#file.close();
  }
}
