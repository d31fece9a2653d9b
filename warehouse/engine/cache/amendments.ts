import type { Followed } from '../session.ts';
import type { DerivedCache } from './derived-cache.ts';
import type { RevisionLog } from './revisions.ts';

/**
 * Follows the writes of a DuckDB file, and amends what is derived from their rows. On a DuckLake the rows of other nodes can come
 * between, so that nothing is amended.
 */
export const amending = (log: RevisionLog, cache: DerivedCache): Followed => ({
  announcement: (touches) => log.announcement(touches),
  begin: (touches, amendments) => {
    const end = log.begin(touches);
    const amend = cache.prepare(log, amendments);
    return (isStored) => {
      if (isStored) amend(end);
      else end();
    };
  },
});
