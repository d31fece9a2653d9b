import { firstDay } from '../domain/calendar.ts';
import { ServiceError } from '../domain/errors.ts';
import { rejectedRows } from './rejected-rows.ts';
import type { RejectedSample } from './ingest-runs.ts';
import type { LoadScope } from './publish-load.ts';
import type { Parameters, Session } from './session.ts';
import { dropTemporaryTables } from './temporary-tables.ts';

/** What the reading of one feed of a source counted. */
export interface FeedCounts {
  rowsRead: number;
  rowsRejected: number;
  rejectedSamples: RejectedSample[];
}

/** More rows than this that cannot be read fail the load (design §4). */
const MOST_REJECTED_PERCENT = 1;

/** The temporary tables that a reading leaves. */
export const FEED_TABLES = ['judged_groups', 'broken_lines', 'broken_line_scans'] as const;

/**
 * Reads one feed: runs `statement`, which creates the temporary table `judged_groups` (problem, file, row_count
 * and what the feed is about), and counts what could not be read. Each feed of a source is judged by itself, so
 * that a long one does not hide that a short one is unreadable.
 *
 * @param name what the messages call the feed; null where the source has only one.
 * @throws RejectedFeed when more than 1 % of the rows cannot be read.
 */
export const readFeed = async (
  session: Session,
  scope: LoadScope,
  statement: string,
  { name = null, parameters = {} }: { name?: string | null; parameters?: Parameters } = {},
): Promise<FeedCounts> => {
  await dropTemporaryTables(session, FEED_TABLES);
  await session.run(statement, {
    start: scope.startMonth === null ? null : firstDay(scope.startMonth),
    end: scope.endMonth === null ? null : firstDay(scope.endMonth),
    ...parameters,
  });
  return countFeed(session, name);
};

/** A feed of which too many rows cannot be read: nothing was loaded, and the run shows what it counted. */
export class RejectedFeed extends ServiceError {
  readonly counts: FeedCounts;

  constructor(message: string, counts: FeedCounts) {
    super('invalid', message);
    this.counts = counts;
  }
}

/**
 * Counts what a reading left in `judged_groups` and `broken_lines`.
 *
 * @throws RejectedFeed when more than 1 % of the rows cannot be read.
 */
export const countFeed = async (session: Session, name: string | null = null): Promise<FeedCounts> => {
  const { rejected, samples } = await rejectedRows(session);
  const [read] = await session.query<{ row_count: string | null }>(
    'SELECT sum(row_count) AS row_count FROM judged_groups',
  );
  const rowsRead = Number(read?.row_count ?? 0) + rejected.brokenLines;
  const rowsRejected = rejected.unreadable + rejected.brokenLines;
  const counts = { rowsRead, rowsRejected, rejectedSamples: samples };
  if (rowsRejected * 100 > rowsRead * MOST_REJECTED_PERCENT) {
    const worst = samples.slice(0, 3).map(({ problem, rows }) => `${problem} (${rows} rows)`);
    throw new RejectedFeed(
      `${name === null ? '' : `${name}: `}${rowsRejected} of ${rowsRead} rows cannot be read, more than ` +
        `${MOST_REJECTED_PERCENT} %: nothing was loaded. ${worst.join('; ')}`,
      counts,
    );
  }
  return counts;
};

/** The counts of a source's feeds together. */
export const addCounts = (one: FeedCounts, other: FeedCounts): FeedCounts => ({
  rowsRead: one.rowsRead + other.rowsRead,
  rowsRejected: one.rowsRejected + other.rowsRejected,
  rejectedSamples: [...one.rejectedSamples, ...other.rejectedSamples],
});
