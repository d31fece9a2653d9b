/**
 * Matches DuckDB's messages about too little memory. A failed commit repeats the words without the kind of error. Text
 * of quoted files and values must not match, because it may contain the same words.
 */
const SHORT_OF_MEMORY =
  /^Out of Memory Error|^[^"']*(failed to (pin block|allocate data of size|offload)|could not allocate block)/i;

/** Whether an error means that DuckDB has run short of memory. */
export const isShortOfMemory = (error: unknown): boolean =>
  error instanceof Error && SHORT_OF_MEMORY.test(error.message);
