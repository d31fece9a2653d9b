import { activityInfo } from '@temporalio/activity';
import type { ActivityInterceptorsFactory } from '@temporalio/worker';
import type { FairLimiter } from '../../domain/shared/fair-limiter.ts';
import { organisationOf } from './organisation-of.ts';
import { withHeartbeats } from './with-heartbeats.ts';

/**
 * Limits how many activities of a worker run at once, in total and for each organisation. However many activities of one
 * organisation wait, those of others get their places. Local activities are short and do not wait.
 */
export const limitFairly =
  (limiter: FairLimiter): ActivityInterceptorsFactory =>
  () => ({
    inbound: {
      execute: async (input, next) => {
        if (activityInfo().isLocal) return next(input);
        const release = await withHeartbeats([], ({ signal }) =>
          limiter.acquire(organisationOf(input.args), signal),
        );
        try {
          return await next(input);
        } finally {
          release();
        }
      },
    },
  });
