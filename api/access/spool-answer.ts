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

interface Limits {
  /** The folder of long answers. */
  folder: string;
  unread: UnreadAnswers;
  orgId: string;
  /** Aborts once the caller has the answer, or has gone. */
  closed: AbortSignal;
}

/**
 * Makes an answer as fast as possible, however slowly its caller reads it. What is not read yet lies in memory, or in a file of
 * `folder` if the answer is long.
 */
export function spoolAnswer(pieces: AsyncIterable<Piece>, limits: Limits): Answer {
  const { closed } = limits;
  const items = pieces[Symbol.asyncIterator]();
  const note = unreadNotes(limits);
  const content = begin(items, limits.folder, note);
  const made = content.then(
    async (spool) => {
      if (!(spool instanceof Spool)) return;
      await fill(spool, items, note, limits);
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

/** Returns a function that adds bytes of an answer to those that are not read. Once the answer is closed, nothing of it counts. */
function unreadNotes({ unread, orgId, closed }: Limits): (bytes: number) => void {
  let left = 0;
  closed.addEventListener('abort', () => {
    unread.add(orgId, -left);
  });
  return (bytes) => {
    if (closed.aborted) return;
    left += bytes;
    unread.add(orgId, bytes);
  };
}

/** Returns a small answer, or a file with the beginning of a longer one. */
async function begin(
  items: AsyncIterator<Piece>,
  folder: string,
  note: (bytes: number) => void,
): Promise<Buffer[] | Spool> {
  const first: Buffer[] = [];
  for (let bytes = 0; bytes <= SMALL_BYTES;) {
    const next = await items.next();
    if (next.done === true) return first;
    const piece = bytesOf(next.value);
    first.push(piece);
    bytes += piece.length;
  }
  const spool = await Spool.open(folder);
  await write(spool, Buffer.concat(first), note);
  return spool;
}

async function write(spool: Spool, bytes: Buffer, note: (bytes: number) => void): Promise<void> {
  await spool.write(bytes);
  note(bytes.length);
}

async function fill(
  spool: Spool,
  items: AsyncIterator<Piece>,
  note: (bytes: number) => void,
  { unread, orgId, closed }: Limits,
): Promise<void> {
  const room = unread.waitingFor(orgId, closed);
  try {
    for (;;) {
      await room();
      const next = await items.next();
      if (next.done === true || closed.aborted) break;
      await write(spool, bytesOf(next.value), note);
    }
    spool.end(null);
  } catch (error) {
    spool.end(error instanceof Error ? error : new Error(String(error)));
  } finally {
    await items.return?.();
  }
}

const bytesOf = (piece: Piece): Buffer =>
  typeof piece === 'string'
    ? Buffer.from(piece)
    : Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength);
