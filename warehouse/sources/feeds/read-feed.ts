import { firstDay } from '../../../domain/shared/calendar.ts';
import { ServiceError } from '../../../domain/shared/errors.ts';
import { LONGEST_LINE_BYTES } from './export-files.ts';
import { lastReadableDay } from './readable-limits.ts';
import { rejectedRows } from './rejected-rows.ts';
import { handOver, type LoadSessions } from '../../engine/readers/load-sessions.ts';
import { startRowCount, type RowCount } from './row-count.ts';
import type { Relation } from './scan-files.ts';
import type { RejectedSample } from '../ingest-runs.ts';
import type { LoadScope } from '../publishing/publish-load.ts';
import type { Parameters, Session, Statements } from '../../engine/session.ts';
import { dropTemporaryTables } from '../../engine/sql/temporary-tables.ts';

/** What the reading of one feed of a source counted: rows read are those stored, rejected and left out. */
export interface FeedCounts {
  rowsRead: number;
  rowsRejected: number;
  /** Rows that are none of this ingest's: other months, shared cost, usage without spend. */
  rowsLeftOut: number;
  rejectedSamples: RejectedSample[];
}

/** More rows than this that cannot be read fail the load (design §4). */
const MOST_REJECTED_PERCENT = 1;

/** Which of the judged groups are stored. */
export const STORED = 'problem IS NULL AND counts';

/** The reader's temporary tables of one feed. */
const FEED_TABLES = ['judged_groups', 'broken_lines', 'broken_line_scans'] as const;

/**
 * Reads one feed: runs `statement`, which creates the temporary table `judged_groups` (problem, counts, file, row_count
 * and what the feed is about), and counts what could not be read. Each feed of a source is judged by itself, so
 * that a long one does not hide that a short one is unreadable.
 *
 * @throws RejectedFeed when more than 1 % of the rows cannot be read.
 * @throws ServiceError `invalid` when rows of the files are not accounted for.
 */
export const readFeed = async (
  reader: Statements,
  scope: LoadScope,
  { statement, name = null, parameters = {}, relations }: Feed,
): Promise<FeedCounts> => {
  const count = startRowCount(relations.flatMap(({ counts }) => counts));
  try {
    await dropTemporaryTables(reader, FEED_TABLES);
    await reader.run(statement, { ...readingBounds(scope), ...parameters });
    return await countFeed(reader, count, name);
  } finally {
    count.stop();
  }
};

/** A feed of a source, and how it is read. */
interface Feed {
  statement: string;
  /** What messages call the feed; null where the source has only one. */
  name?: string | null;
  /** Those of the statement beside {@link readingBounds}. */
  parameters?: Parameters;
  /** What the statement reads. */
  relations: readonly Relation[];
}

/** The parameters that decide which rows are wanted and which days may be named. */
export const readingBounds = ({ startMonth, endMonth, now }: LoadScope): Parameters => ({
  start: startMonth === null ? null : firstDay(startMonth),
  end: endMonth === null ? null : firstDay(endMonth),
  last_day: lastReadableDay(now),
});

/** Hands the rows of the feed that are stored over to the warehouse, as the temporary table `table`. */
export const stageFeed = (sessions: LoadSessions, table: string): Promise<void> =>
  handOver(sessions, table, `SELECT * EXCLUDE (problem, file, counts) FROM judged_groups WHERE ${STORED}`);

/** A feed of which too many rows cannot be read: nothing was loaded, and the run shows what it counted. */
export class RejectedFeed extends ServiceError {
  readonly counts: FeedCounts;

  constructor(message: string, counts: FeedCounts) {
    super('invalid', message);
    this.counts = counts;
  }
}

const DROPPED_LINES = { problem: `a line of more than ${LONGEST_LINE_BYTES} bytes`, file: null };

/**
 * Counts what a reading left in `judged_groups` and `broken_lines`, and compares it with the second count of the rows.
 *
 * @throws RejectedFeed when more than 1 % of the rows that are wanted cannot be read.
 * @throws ServiceError `invalid` when rows of the files are not accounted for.
 */
export const countFeed = async (
  reader: Statements,
  count: RowCount,
  name: string | null = null,
): Promise<FeedCounts> => {
  const { told, longLines, samples } = await rejectedRows(reader);
  const [read] = await reader.query<{ stored: string | null; left_out: string | null }>(
    `SELECT sum(row_count) FILTER (${STORED}) AS stored, sum(row_count) FILTER (problem IS NULL AND NOT counts) AS left_out
     FROM judged_groups`,
  );
  const [stored, rowsLeftOut] = [Number(read?.stored ?? 0), Number(read?.left_out ?? 0)];
  const dropped = await count.droppedLines(stored + rowsLeftOut + told, longLines);
  const rejected = told + dropped;
  const rowsWanted = stored + rejected;
  const counts = {
    rowsRead: rowsWanted + rowsLeftOut,
    rowsRejected: rejected,
    rowsLeftOut,
    rejectedSamples: dropped === 0 ? samples : [{ ...DROPPED_LINES, rows: dropped }, ...samples],
  };
  if (rejected * 100 > rowsWanted * MOST_REJECTED_PERCENT) {
    const worst = samples.slice(0, 3).map(({ problem, rows }) => `${problem} (${rows} rows)`);
    throw new RejectedFeed(
      `${name === null ? '' : `${name}: `}${rejected} of ${rowsWanted} rows cannot be read, more than ` +
        `${MOST_REJECTED_PERCENT} %: nothing was loaded. ${worst.join('; ')}`,
      counts,
    );
  }
  return counts;
};

/** A second feed's counts: rows of months without spend are left out. Its rows are in `staged`, the spend in `load_days`. */
export const withoutUnusedMonths = async (
  session: Session,
  counts: FeedCounts,
  staged: 'asset_days' | 'usage_days',
): Promise<FeedCounts> => {
  const [unused] = await session.query<{ row_count: string | null }>(
    `SELECT sum(row_count) AS row_count FROM ${staged}
     WHERE date_trunc('month', day) NOT IN (SELECT date_trunc('month', day) FROM load_days)`,
  );
  return { ...counts, rowsLeftOut: counts.rowsLeftOut + Number(unused?.row_count ?? 0) };
};

/** The rows that a feed stores. */
export const rowsStored = ({ rowsRead, rowsRejected, rowsLeftOut }: FeedCounts): number =>
  rowsRead - rowsRejected - rowsLeftOut;

/** The counts of a source's feeds together. */
export const addCounts = (one: FeedCounts, other: FeedCounts): FeedCounts => ({
  rowsRead: one.rowsRead + other.rowsRead,
  rowsRejected: one.rowsRejected + other.rowsRejected,
  rowsLeftOut: one.rowsLeftOut + other.rowsLeftOut,
  rejectedSamples: [...one.rejectedSamples, ...other.rejectedSamples],
});
