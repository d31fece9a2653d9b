import { activityInfo } from '@temporalio/activity';
import { CancelledFailure } from '@temporalio/common';
import type { ActivityInterceptorsFactory } from '@temporalio/worker';
import type { Metrics } from '../../telemetry/metrics.ts';

/**
 * Measures how long activities wait until their work begins, and how long the work takes. It comes last among the interceptors, so
 * that the wait for a place counts as waiting. Local activities have no queue.
 */
export const measureActivities =
  ({
    activityQueueTime,
    activityDuration,
  }: Pick<Metrics, 'activityQueueTime' | 'activityDuration'>): ActivityInterceptorsFactory =>
  () => ({
    inbound: {
      execute: async (input, next) => {
        const { activityType: activity, isLocal, currentAttemptScheduledTimestampMs } = activityInfo();
        // The clocks of this machine and of Temporal may differ.
        const waitedMs = Math.max(0, Date.now() - currentAttemptScheduledTimestampMs);
        if (!isLocal) activityQueueTime.observe({ activity }, waitedMs / 1000);
        const begun = performance.now();
        let result = 'failed';
        try {
          const output = await next(input);
          result = 'completed';
          return output;
        } catch (error) {
          if (error instanceof CancelledFailure) result = 'cancelled';
          throw error;
        } finally {
          activityDuration.observe({ activity, result }, (performance.now() - begun) / 1000);
        }
      },
    },
  });
