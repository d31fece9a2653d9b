import { Spool } from '../http/files/spool.ts';
import type { UnreadAnswers } from './unread-answers.ts';

/** Answers of up to this length lie in memory until they are read. */
export const SMALL_BYTES = 256 * 1024;

type Piece = string | Uint8Array;

interface Answer {
  bytes: AsyncGenerator<Uint8Array>;
  /** Resolves once the answer is made, or its caller has gone. Never rejects. */
  made: Promise<void>;
}

/**
 * Makes an answer as fast as possible, however slowly its caller reads it. What is not read yet lies in memory, or in a file of
 * `folder` if the answer is long.
 *
 * @param closed aborts once the caller has the answer, or has gone.
 */
export function spoolAnswer(
  pieces: AsyncIterable<Piece>,
  {
    folder,
    unread,
    orgId,
    closed,
  }: { folder: string; unread: UnreadAnswers; orgId: string; closed: AbortSignal },
): Answer {
  const items = pieces[Symbol.asyncIterator]();
  let left = 0;
  const note = (bytes: number): void => {
    if (closed.aborted) return;
    left += bytes;
    unread.add(orgId, bytes);
  };
  closed.addEventListener('abort', () => {
    unread.add(orgId, -left);
  });

  const begin = async (): Promise<Buffer[] | Spool> => {
    const first: Buffer[] = [];
    for (let bytes = 0; bytes <= SMALL_BYTES;) {
      const next = await items.next();
      if (next.done === true) return first;
      const piece = bytesOf(next.value);
      first.push(piece);
      bytes += piece.length;
    }
    const spool = await Spool.open(folder);
    await write(spool, Buffer.concat(first));
    return spool;
  };
  const write = async (spool: Spool, bytes: Buffer): Promise<void> => {
    await spool.write(bytes);
    note(bytes.length);
  };
  const fill = async (spool: Spool): Promise<void> => {
    const room = unread.waitingFor(orgId, closed);
    try {
      for (;;) {
        await room();
        const next = await items.next();
        if (next.done === true || closed.aborted) break;
        await write(spool, bytesOf(next.value));
      }
      spool.end(null);
    } catch (error) {
      spool.end(error instanceof Error ? error : new Error(String(error)));
    } finally {
      await items.return?.();
    }
  };

  const content = begin();
  const made = content.then(
    async (spool) => {
      if (!(spool instanceof Spool)) return;
      await fill(spool);
      const close = (): void => {
        void spool.close();
      };
      if (closed.aborted) close();
      else closed.addEventListener('abort', close);
    },
    // Who reads the answer gets the error.
    () => undefined,
  );
  const bytes = async function* (): AsyncGenerator<Uint8Array> {
    const whole = await content;
    if (!(whole instanceof Spool)) {
      yield* whole;
      return;
    }
    for await (const block of whole.read()) {
      note(-block.length);
      yield block;
    }
  };
  return { bytes: bytes(), made };
}

const bytesOf = (piece: Piece): Buffer =>
  typeof piece === 'string'
    ? Buffer.from(piece)
    : Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength);
