import { activityInfo, type Info } from '@temporalio/activity';
import type { ActivityInterceptorsFactory } from '@temporalio/worker';
import { isTriedAgain, toFailure } from './failures.ts';

/**
 * Converts the errors of a worker's activities with `toFailure`. Calls `noteRetry` for each failure after which Temporal
 * retries.
 */
export const judgeFailures =
  (noteRetry: (info: Info, message: string) => Promise<void>): ActivityInterceptorsFactory =>
  () => ({
    inbound: {
      execute: async (input, next) => {
        try {
          return await next(input);
        } catch (error) {
          const info = activityInfo();
          const failure = toFailure(error, info.attempt);
          if (isTriedAgain(failure)) await noteRetry(info, failure.message);
          throw failure;
        }
      },
    },
  });
