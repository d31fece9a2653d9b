import type { FairLimiter } from '../../domain/shared/fair-limiter.ts';
import { around } from './around.ts';
import { organisationOf } from './organisation-of.ts';
import { withHeartbeats } from './with-heartbeats.ts';

/**
 * Limits how many activities of a worker run at once, in total and for each organisation. However many activities of one
 * organisation wait, those of others get their places. Local activities are short and do not wait.
 */
export const limitFairly = (limiter: FairLimiter) =>
  around(async (run, { isLocal }, args) => {
    if (isLocal) return run();
    const release = await withHeartbeats([], ({ signal }) => limiter.acquire(organisationOf(args), signal));
    try {
      return await run();
    } finally {
      release();
    }
  });
