import { ServiceError } from '../../../domain/shared/errors.ts';
import { LONGEST_LINE_BYTES } from './export-files.ts';
import { rejectedRows, type RejectedSample } from './rejected-rows.ts';
import { MAIN_FEED, recordRejected, type RejectedWhen } from './rejected-when.ts';
import { copyToWarehouse, type LoadSessions } from '../../engine/readers/load-sessions.ts';
import { startRowCount, type RowCount } from './row-count.ts';
import type { Relation } from './scan-files.ts';
import { readingBounds, type ReadingScope } from './wanted-months.ts';
import { forgetImpossibleTimes, IS_WHOLE, noteWrittenFiles } from './written-files.ts';
import type { Session, Statements } from '../../engine/session.ts';
import type { Parameters } from '../../engine/sql/parameters.ts';
import { dropTemporaryTables } from '../../engine/sql/temporary-tables.ts';

/** The row counts of a feed. Rows read are the sum of stored, rejected and left-out rows. */
export interface FeedCounts {
  rowsRead: number;
  rowsRejected: number;
  /** Rows that this ingest does not want: other months, shared cost, usage without spend. */
  rowsLeftOut: number;
  rejectedSamples: RejectedSample[];
}

/** A larger share of unreadable rows fails the load (docs/data-formats.md#rows-that-cannot-be-read). */
const MOST_REJECTED_PERCENT = 1;

/** The condition of groups that are stored. */
export const STORED = 'problem IS NULL AND counts';

/** The reader's temporary tables of one feed. */
const FEED_TABLES = ['checked_groups', 'broken_lines', 'broken_line_scans'] as const;

/**
 * Reads one feed into the temporary table `checked_groups` and counts its unreadable rows. Each feed of a source is counted by
 * itself, so that a long feed does not hide an unreadable short one.
 *
 * @throws RejectedFeed if more than 1 % of the rows are unreadable.
 * @throws ServiceError `invalid` if the count lacks rows of the files.
 */
export async function readFeed(
  reader: Statements,
  scope: ReadingScope,
  { prepare, groups, check, name = null, parameters = {}, relations, rejectedWhen, others }: Feed,
): Promise<FeedCounts> {
  const count = startRowCount(relations.flatMap(({ counts }) => counts));
  try {
    await dropTemporaryTables(reader, FEED_TABLES);
    await noteWrittenFiles(
      reader,
      relations.flatMap(({ written }) => written ?? []),
    );
    await prepare?.();
    await reader.run(`CREATE TEMP TABLE checked_groups AS ${groups}`, {
      ...readingBounds(scope),
      ...parameters,
    });
    await forgetImpossibleTimes(reader);
    await check?.();
    return await countFeed(reader, count, { name, rejectedWhen, others });
  } finally {
    count.stop();
  }
}

interface Feed {
  /** Creates the tables that `groups` selects from. */
  prepare?: () => Promise<void>;
  /** Selects the groups of rows: problem, counts, file, row_count, and the feed's own columns. */
  groups: string;
  /** Throws for groups that fail the load, whatever the counts are. */
  check?: () => Promise<void>;
  /** The feed's name in messages; null if the source has only one. */
  name?: string | null;
  /** The parameters of `groups` beside {@link readingBounds}. */
  parameters?: Parameters;
  relations: readonly Relation[];
  rejectedWhen: RejectedWhen;
  /** Rows of the feed that an earlier reading has counted, and that this one leaves out; by default none. */
  others?: { stored: number; rejected: number } | undefined;
}

/**
 * Copies the stored rows of the feed to the warehouse, into the temporary table `table`. `is_whole` is false if their file was
 * written before their day ended, `is_after_month` true if it was written after their month had ended.
 */
export const stageFeed = (sessions: LoadSessions, table: string): Promise<void> =>
  copyToWarehouse(
    sessions,
    table,
    `SELECT * EXCLUDE (problem, file, counts, last_file, written_on), ${IS_WHOLE} AS is_whole,
       written_on > last_day(day) AS is_after_month
     FROM checked_groups LEFT JOIN temp.main.written_files USING (last_file) WHERE ${STORED}`,
  );

/** Too many rows of a feed are unreadable. Nothing was loaded, and the run shows the counts. */
export class RejectedFeed extends ServiceError {
  readonly counts: FeedCounts;

  constructor(message: string, counts: FeedCounts) {
    super('invalid', message);
    this.counts = counts;
  }
}

const NO_OTHERS = { stored: 0, rejected: 0 } as const;

const DROPPED_LINES = { problem: `a line of more than ${LONGEST_LINE_BYTES} bytes`, file: null };

/** Counts the rows in `checked_groups` and `broken_lines`, and compares them with the second count of the rows. */
async function countFeed(
  reader: Statements,
  count: RowCount,
  { name = null, rejectedWhen, others = NO_OTHERS }: Pick<Feed, 'name' | 'rejectedWhen' | 'others'>,
): Promise<FeedCounts> {
  const { reported, brokenLines, longLines, samples } = await rejectedRows(reader);
  const [read] = await reader.query<{ stored: string | null; left_out: string | null }>(
    `SELECT sum(row_count) FILTER (${STORED}) AS stored, sum(row_count) FILTER (problem IS NULL AND NOT counts) AS left_out
     FROM checked_groups`,
  );
  const [stored, rowsLeftOut] = [Number(read?.stored ?? 0), Number(read?.left_out ?? 0)];
  const dropped = await count.droppedLines(stored + rowsLeftOut + reported, longLines);
  const rejected = reported + dropped;
  const rowsWanted = stored + rejected;
  const counts = {
    rowsRead: rowsWanted + rowsLeftOut,
    rowsRejected: rejected,
    rowsLeftOut,
    rejectedSamples: dropped === 0 ? samples : [{ ...DROPPED_LINES, rows: dropped }, ...samples],
  };
  const ofAll = {
    rejected: rejected + others.rejected,
    wanted: rowsWanted + others.rejected + others.stored,
  };
  if (ofAll.rejected * 100 > ofAll.wanted * MOST_REJECTED_PERCENT) {
    const worst = samples.slice(0, 3).map(({ problem, rows }) => `${problem} (${rows} rows)`);
    throw new RejectedFeed(
      `${name === null ? '' : `${name}: `}${ofAll.rejected} of ${ofAll.wanted} rows cannot be read, more than ` +
        `${MOST_REJECTED_PERCENT} %: nothing was loaded. ${worst.join('; ')}`,
      counts,
    );
  }
  if (rejected > 0) {
    const broken = samples.slice(0, 1).map(({ problem }) => ({ problem, rows: brokenLines }));
    const undated = [...broken, { ...DROPPED_LINES, rows: dropped }].filter(({ rows }) => rows > 0);
    await recordRejected(reader, name ?? MAIN_FEED, rejectedWhen, undated);
  }
  return counts;
}

/** Returns a second feed's counts, with rows of months without spend left out. `staged` has its rows, `load_days` the spend. */
export async function withoutUnusedMonths(
  session: Session,
  counts: FeedCounts,
  staged: 'asset_days' | 'usage_days',
): Promise<FeedCounts> {
  const [unused] = await session.query<{ row_count: string | null }>(
    `SELECT sum(row_count) AS row_count FROM ${staged}
     WHERE date_trunc('month', day) NOT IN (SELECT date_trunc('month', day) FROM load_days)`,
  );
  return { ...counts, rowsLeftOut: counts.rowsLeftOut + Number(unused?.row_count ?? 0) };
}

export const rowsStored = ({ rowsRead, rowsRejected, rowsLeftOut }: FeedCounts): number =>
  rowsRead - rowsRejected - rowsLeftOut;

export const addCounts = (one: FeedCounts, other: FeedCounts): FeedCounts => ({
  rowsRead: one.rowsRead + other.rowsRead,
  rowsRejected: one.rowsRejected + other.rowsRejected,
  rowsLeftOut: one.rowsLeftOut + other.rowsLeftOut,
  rejectedSamples: [...one.rejectedSamples, ...other.rejectedSamples],
});
