import type { RejectedSample } from './ingest-runs.ts';
import type { Session } from './session.ts';

const MOST_SAMPLES = 20;

/** How many rows could not be read, and one sample for each reason, most frequent first. */
export const rejectedRows = async (
  session: Session,
): Promise<{ rejected: { unreadable: number; brokenLines: number }; samples: RejectedSample[] }> => {
  const samples = await session.query<{ problem: string; file: string | null; row_count: string }>(
    `SELECT problem, any_value(file) AS file, sum(row_count)::BIGINT AS row_count
     FROM judged_groups WHERE problem IS NOT NULL
     GROUP BY problem ORDER BY row_count DESC, problem`,
  );
  const [tables] = await session.query<{ broken: boolean }>(
    `SELECT count(*) > 0 AS broken FROM duckdb_tables() WHERE temporary AND table_name = 'broken_lines'`,
  );
  const all = samples.map(({ problem, file, row_count }) => ({ problem, file, rows: Number(row_count) }));
  const rejected = { unreadable: all.reduce((sum, { rows }) => sum + rows, 0), brokenLines: 0 };
  if (tables?.broken !== true) return { rejected, samples: all.slice(0, MOST_SAMPLES) };
  const broken = await session.query<{ problem: string; file: string; row_count: string }>(
    `SELECT 'line ' || min(line) || ': ' || lower(error_type) || ': ' || left(arg_min(error_message, line), 200) AS problem,
       file_path AS file, count(DISTINCT line) AS row_count
     FROM temp.main.broken_lines JOIN temp.main.broken_line_scans USING (scan_id, file_id)
     GROUP BY file_path, error_type ORDER BY row_count DESC, file_path LIMIT ${MOST_SAMPLES}`,
  );
  const [lines] = await session.query<{ row_count: string }>(
    'SELECT count(*) AS row_count FROM (SELECT DISTINCT scan_id, file_id, line FROM temp.main.broken_lines)',
  );
  rejected.brokenLines = Number(lines?.row_count ?? 0);
  const brokenSamples = broken.map(({ problem, file, row_count }) => ({
    problem,
    file,
    rows: Number(row_count),
  }));
  return { rejected, samples: [...brokenSamples, ...all].slice(0, MOST_SAMPLES) };
};
