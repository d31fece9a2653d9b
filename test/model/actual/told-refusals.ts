import { ServiceError } from '../../../domain/shared/errors.ts';

/** What came, or null where the product refused it in words; any other error is one. */
export const orRefused = async <Result extends object>(
  work: () => Promise<Result | null>,
): Promise<Result | null> => {
  try {
    return await work();
  } catch (error) {
    if (error instanceof ServiceError && (error.kind === 'conflict' || error.kind === 'invalid')) return null;
    throw error;
  }
};
