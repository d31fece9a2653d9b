import type { Delivery } from '../../../../domain/sources/exports/export-manifest.ts';
import type { Statements } from '../../../engine/session.ts';
import { sqlText } from '../../../engine/sql/sql-text.ts';
import type { ExportFile } from '../export-files.ts';
import type { CommonRows } from './common-rows.ts';

/** A delivery with its files as they are read. */
export interface ReadDelivery extends Omit<Delivery, 'files'> {
  files: readonly ExportFile[];
}

/** Two deliveries, by their places in a list. The first may have no rows that the second lacks. */
export interface LikelyCopy {
  inner: number;
  outer: number;
}

/** A sample keeps one of so many rows. The row's hash decides, so that the samples of two files keep equal rows alike. */
const SAMPLED = 256;
/** The number of a file's smallest hashes that are kept. They compare small files, which may have no sample. */
const LOWEST = 32;

/** Creates `delivery_files`, with the place of each file's delivery. Scans name files by the path that is opened. */
export function placeFiles(reader: Statements, deliveries: readonly ReadDelivery[]): Promise<number> {
  const rows = deliveries.flatMap(({ files }, place) =>
    files.map(({ opened }) => `(${sqlText(opened)}, ${place})`),
  );
  return reader.run(
    `CREATE TEMP TABLE delivery_files AS FROM (VALUES ${rows.join(', ')}) AS placed(file, place)`,
  );
}

/**
 * Returns the pairs of deliveries of which one may contain all rows of the other. The largest that may contain a delivery comes
 * first. One pass reads a few columns of all files. Its sums and samples exclude nearly all pairs of different deliveries: a delivery
 * that contains a row has the row's hash in its sample, and the row's values between its smallest and its largest.
 */
export async function likelyCopies(
  reader: Statements,
  deliveries: readonly ReadDelivery[],
  rows: CommonRows,
): Promise<LikelyCopy[]> {
  const days = deliveries.map(({ from, to }, place) => `(${place}, ${dayOr(from)}, ${dayOr(to)})`);
  await reader.run(`CREATE TEMP TABLE signatures AS
WITH of_files AS (
  SELECT file, count(*) AS row_count, sum(telling >> 32) AS hash_sum, COALESCE(list(telling) FILTER (telling % ${SAMPLED} = 0), []) AS samples,
    min(telling, ${LOWEST}) AS lowest, min(COALESCE(day, '')) AS first_value, max(COALESCE(day, '')) AS last_value
  FROM (${rows.rowsOf(deliveries.flatMap(({ files }) => files))}) GROUP BY file),
days(place, from_day, to_day) AS (VALUES ${days.join(', ')})
SELECT place, any_value(from_day) AS from_day, any_value(to_day) AS to_day, CAST(sum(row_count) AS BIGINT) AS row_count,
  sum(hash_sum) AS hash_sum, flatten(list(samples)) AS samples, list_sort(flatten(list(lowest)))[1:${LOWEST}] AS lowest,
  min(first_value) AS first_value, max(last_value) AS last_value
FROM of_files JOIN delivery_files USING (file) JOIN days USING (place) GROUP BY place`);
  return reader.query<LikelyCopy>(LIKELY);
}

const dayOr = (day: string | null): string => (day === null ? 'CAST(NULL AS DATE)' : `DATE ${sqlText(day)}`);

/** Equal deliveries are copies of the first. Samples are joined by their first row, which is quick for thousands of files. */
const LIKELY = `
WITH sampled AS (SELECT place, unnest(samples) AS sample FROM signatures),
pairs AS (
  SELECT one.place AS inner_place, sampled.place AS outer_place
  FROM signatures AS one JOIN sampled ON sampled.sample = one.samples[1] AND sampled.place <> one.place
  UNION
  SELECT one.place, other.place FROM signatures AS one JOIN signatures AS other
    ON len(one.samples) = 0 AND other.place <> one.place AND one.first_value >= other.first_value AND one.last_value <= other.last_value)
SELECT inner_place AS inner, outer_place AS outer
FROM pairs JOIN signatures AS one ON one.place = inner_place JOIN signatures AS other ON other.place = outer_place
WHERE (one.row_count < other.row_count OR (one.row_count = other.row_count AND one.hash_sum = other.hash_sum AND one.place > other.place))
  AND one.first_value >= other.first_value AND one.last_value <= other.last_value
  AND (one.from_day > other.to_day OR one.to_day < other.from_day) IS NOT TRUE
  AND list_has_all(other.lowest, CASE WHEN len(other.lowest) < ${LOWEST} THEN one.lowest
    ELSE list_filter(one.lowest, lambda low: low < list_max(other.lowest)) END)
  AND list_has_all(other.samples, one.samples)
ORDER BY inner_place, other.row_count DESC, outer_place`;
