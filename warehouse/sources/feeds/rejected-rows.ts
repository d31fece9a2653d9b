import type { Statements } from '../../engine/session.ts';

const MOST_SAMPLES = 20;

/** A reason why rows cannot be read, and one of their files. */
export interface RejectedSample {
  problem: string;
  file: string | null;
  rows: number;
}

/** A file of a group of unreadable rows. */
export const REJECTED_FILE = 'any_value(CASE WHEN problem IS NOT NULL THEN file END) AS file';

/** One file of a group of rows, by which the group's time of writing is known (written-files.ts). */
export const LAST_FILE = 'max(file) AS last_file';
/** Returns the sum of a group's amounts; null if any of them is not known. */
export const sumOfKnown = (amount: string): string =>
  `CASE WHEN count(${amount}) = count(*) THEN sum(${amount}) END`;

/** The rows that the reader has reported as unreadable. */
interface RejectedRows {
  /** The number of these rows. */
  reported: number;
  /** How many of them are lines that are not CSV. */
  brokenLines: number;
  /** How many of those are too long. */
  longLines: number;
  /** Broken lines, then other problems; each most frequent first. */
  samples: RejectedSample[];
}

/** Returns the unreadable rows: rows with a problem, and lines that are not CSV. */
export async function rejectedRows(session: Statements): Promise<RejectedRows> {
  const groups = await session.query<{ problem: string; file: string | null; row_count: string }>(
    `SELECT problem, any_value(file) AS file, sum(row_count)::BIGINT AS row_count
     FROM checked_groups WHERE problem IS NOT NULL
     GROUP BY problem ORDER BY row_count DESC, problem`,
  );
  const unreadable = groups.map(({ problem, file, row_count }) => ({
    problem,
    file,
    rows: Number(row_count),
  }));
  const reported = unreadable.reduce((sum, { rows }) => sum + rows, 0);
  const [tables] = await session.query<{ broken: boolean }>(
    `SELECT count(*) > 0 AS broken FROM duckdb_tables() WHERE temporary AND table_name = 'broken_lines'`,
  );
  if (tables?.broken !== true)
    return { reported, brokenLines: 0, longLines: 0, samples: unreadable.slice(0, MOST_SAMPLES) };
  const broken = await session.query<{ problem: string; file: string; row_count: string }>(
    `SELECT 'line ' || min(line) || ': ' || lower(error_type) || ': ' || left(arg_min(error_message, line), 200) AS problem,
       file_path AS file, count(DISTINCT line) AS row_count
     FROM temp.main.broken_lines JOIN temp.main.broken_line_scans USING (scan_id, file_id)
     GROUP BY file_path, error_type ORDER BY row_count DESC, file_path LIMIT ${MOST_SAMPLES}`,
  );
  const [lines] = await session.query<{ row_count: string; long_count: string }>(
    `SELECT count(*) AS row_count, count_if(is_long) AS long_count FROM (
       SELECT bool_or(error_type = 'LINE SIZE OVER MAXIMUM') AS is_long
       FROM temp.main.broken_lines GROUP BY scan_id, file_id, line)`,
  );
  const samples = broken.map(({ problem, file, row_count }) => ({ problem, file, rows: Number(row_count) }));
  return {
    reported: reported + Number(lines?.row_count),
    brokenLines: Number(lines?.row_count),
    longLines: Number(lines?.long_count),
    samples: [...samples, ...unreadable].slice(0, MOST_SAMPLES),
  };
}
