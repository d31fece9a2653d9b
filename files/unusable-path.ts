import { reasonOfFailure } from './reason-of-failure.ts';

/** A path that somebody has chosen cannot be used. The message has the path, what was expected, and why it is not so. */
export class UnusablePath extends Error {
  override readonly name = 'UnusablePath';
}

/** Runs `work` on a path. An error of the file system becomes an {@link UnusablePath}, which says what was expected. */
export async function usePath<Result>(
  path: string,
  expected: string,
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    return await work();
  } catch (cause) {
    const reason = reasonOfFailure(cause);
    throw reason === null ? cause : new UnusablePath(`${path}: expected ${expected}, but ${reason}`);
  }
}
