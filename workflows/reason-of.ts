import { ActivityFailure, isCancellation, rootCause } from '@temporalio/workflow';

/** Returns why a run has failed, for the person who reads its record. */
export const reasonOf = (error: unknown): string => {
  if (isCancellation(error)) return 'the run was cancelled in Temporal';
  return (error instanceof ActivityFailure ? rootCause(error) : undefined) ?? String(error);
};
