/**
 * How DuckDB says that a statement got less memory than it needs; a failed commit repeats the words without their kind. They come
 * before any quoted one, for a file or a value may quote them.
 */
const SHORT_OF_MEMORY =
  /^Out of Memory Error|^[^"']*(failed to (pin block|allocate data of size|offload)|could not allocate block)/i;

/** Whether an error says that DuckDB has run short of memory. */
export const isShortOfMemory = (error: unknown): boolean =>
  error instanceof Error && SHORT_OF_MEMORY.test(error.message);
