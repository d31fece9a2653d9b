import { activityInfo } from '@temporalio/activity';
import type { ActivityInterceptorsFactory } from '@temporalio/worker';
import { FairPlaces, type PlaceLimits } from '../../domain/shared/fair-places.ts';
import { withHeartbeats } from './with-heartbeats.ts';

/**
 * Lets organisations take turns at the activities of a worker: however many one of them has waiting, others get their places.
 * Local activities are short and do not wait.
 */
export const takeTurns = (limits: PlaceLimits): ActivityInterceptorsFactory => {
  const places = new FairPlaces(limits);
  return () => ({
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
};

/** Whose activity it is: its first argument is an organisation's id or has one; maintenance is of none. */
const organisationOf = ([first]: readonly unknown[]): string => {
  if (typeof first === 'string') return first;
  const { orgId } = (first ?? {}) as { orgId?: unknown };
  return typeof orgId === 'string' ? orgId : '';
};
