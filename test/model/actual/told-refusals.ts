import { ServiceError } from '../../../domain/shared/errors.ts';

/** Returns the result, or null if the product rejects the work as a conflict or as invalid. Throws any other error. */
export async function orRefused<Result extends object>(
  work: () => Promise<Result | null>,
): Promise<Result | null> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof ServiceError && (error.kind === 'conflict' || error.kind === 'invalid')) return null;
    throw error;
  }
}
