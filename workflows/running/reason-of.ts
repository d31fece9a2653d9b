import { ApplicationFailure, isCancellation, rootCause, TemporalFailure } from '@temporalio/workflow';
import type { FailureReason } from '../../domain/shared/failure-reason.ts';

/** Returns why a workflow has failed. `cancelled` is its text if somebody has cancelled it. */
export function reasonOf(error: unknown, cancelled: string): FailureReason {
  if (isCancellation(error)) return { text: cancelled, sealed: null };
  const text = (error instanceof TemporalFailure ? rootCause(error) : undefined) ?? String(error);
  return { text, sealed: sealedIn(error) };
}

/** Returns what the activity has sealed (activities/shared/seal-failures.ts). A timeout has the last failure as its cause. */
function sealedIn(error: unknown): string | null {
  if (!(error instanceof Error)) return null;
  const [sealed] = error instanceof ApplicationFailure ? (error.details ?? []) : [];
  return typeof sealed === 'string' ? sealed : sealedIn(error.cause);
}
