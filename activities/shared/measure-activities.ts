import { CancelledFailure } from '@temporalio/common';
import type { Metrics } from '../../telemetry/metrics.ts';
import { around } from './around.ts';

/**
 * Measures how long activities wait until their work begins, and how long the work takes. It comes last among the interceptors, so
 * that the wait for a place counts as waiting. Local activities have no queue.
 */
export const measureActivities = ({
  activityQueueTime,
  activityDuration,
}: Pick<Metrics, 'activityQueueTime' | 'activityDuration'>) =>
  around(async (run, { activityType: activity, isLocal, currentAttemptScheduledTimestampMs }) => {
    // The clocks of this machine and of Temporal may differ.
    const waitedMs = Math.max(0, Date.now() - currentAttemptScheduledTimestampMs);
    if (!isLocal) activityQueueTime.observe({ activity }, waitedMs / 1000);
    const begun = performance.now();
    let result = 'failed';
    try {
      const output = await run();
      result = 'completed';
      return output;
    } catch (error) {
      if (error instanceof CancelledFailure) result = 'cancelled';
      throw error;
    } finally {
      activityDuration.observe({ activity, result }, (performance.now() - begun) / 1000);
    }
  });
