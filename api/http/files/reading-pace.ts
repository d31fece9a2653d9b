/** Longest time that a caller may take for an answer, apart from {@link LEAST_BYTES_A_SECOND}. */
const STALLED_MS = 60_000;
/** The slowest that an answer may be read. A modem of the last century reads faster. */
const LEAST_BYTES_A_SECOND = 4 * 1024;

/** Returns how long a caller may take for some bytes, in ms. */
export const readingMs = (bytes: number): number => STALLED_MS + (bytes / LEAST_BYTES_A_SECOND) * 1_000;

/**
 * Passes the pieces of an answer on, and calls `cutOff` once the caller has taken too long over the whole of it. The time to make a
 * piece does not count. The timeout of a socket would begin again with each byte.
 */
export const atReadingPace = async function* <Piece extends string | Uint8Array>(
  pieces: AsyncIterable<Piece>,
  cutOff: () => void,
): AsyncGenerator<Piece> {
  let [bytes, tookMs] = [0, 0];
  for await (const piece of pieces) {
    bytes += piece.length;
    const begun = performance.now();
    const timer = setTimeout(cutOff, readingMs(bytes) - tookMs);
    try {
      yield piece;
    } finally {
      clearTimeout(timer);
      tookMs += performance.now() - begun;
    }
  }
};
