import { ApplicationFailure, CancelledFailure, type Duration } from '@temporalio/common';
import type { Logger } from 'pino';
import type { FailureReason } from '../../domain/shared/failure-reason.ts';
import type { SealedPlace, Sealer } from '../../security/sealing.ts';
import { around } from './around.ts';
import { organisationOf } from './organisation-of.ts';

/**
 * Seals the messages of a worker's failed activities, because a message can repeat cells and amounts, and Temporal keeps it in
 * the history. The history shows the activity and the kind of its failure. It comes first among the interceptors, so that the others
 * see the message. An error that is not classified yet is logged here.
 */
export const sealFailures = (sealer: Sealer, log: Pick<Logger, 'warn'>) =>
  around(async (run, { activityType, workflowExecution }, args) => {
    try {
      return await run();
    } catch (error) {
      if (error instanceof CancelledFailure) throw error;
      const { workflowId: workflow = '' } = workflowExecution ?? {};
      const classified = error instanceof ApplicationFailure ? error : null;
      if (classified === null) log.warn({ workflow, activity: activityType, err: error }, 'a step failed');
      const type = classified?.type ?? 'unknown';
      const wait: unknown = classified?.nextRetryDelay;
      const place = placeOf(organisationOf(args), workflow);
      throw ApplicationFailure.create({
        message: `${activityType} failed (${type}); its run, its delivery or the service's log has the reason`,
        type,
        nonRetryable: classified?.nonRetryable ?? false,
        ...(typeof wait === 'string' ? { nextRetryDelay: wait as Duration } : {}),
        details: [sealer.seal(place, error instanceof Error ? error.message : String(error))],
      });
    }
  });

/** Returns the message that {@link sealFailures} sealed in a workflow; null if there is none, or its master key is gone. */
export function openReason(
  sealer: Sealer,
  { sealed }: FailureReason,
  { orgId, workflowId }: { orgId: string; workflowId: string },
): string | null {
  if (sealed === null) return null;
  try {
    return sealer.open(placeOf(orgId, workflowId), sealed);
  } catch {
    return null;
  }
}

const placeOf = (orgId: string, workflowId: string): SealedPlace => ({
  orgId,
  record: workflowId,
  field: 'failure',
});
