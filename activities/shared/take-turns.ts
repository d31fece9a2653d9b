import { activityInfo } from '@temporalio/activity';
import type { ActivityInterceptorsFactory } from '@temporalio/worker';
import type { FairPlaces } from '../../domain/shared/fair-places.ts';
import { organisationOf } from './organisation-of.ts';
import { withHeartbeats } from './with-heartbeats.ts';

/**
 * Lets organisations take turns at the activities of a worker. However many activities of one organisation wait, the others get
 * their places. Local activities are short and do not wait.
 */
export const takeTurns =
  (places: FairPlaces): ActivityInterceptorsFactory =>
  () => ({
    inbound: {
      execute: async (input, next) => {
        if (activityInfo().isLocal) return next(input);
        const giveBack = await withHeartbeats([], ({ signal }) =>
          places.take(organisationOf(input.args), signal),
        );
        try {
          return await next(input);
        } finally {
          giveBack();
        }
      },
    },
  });
