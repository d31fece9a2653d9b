import { canBeWithin } from '../../../../domain/sources/exports/azure-scopes.ts';
import type { Statements } from '../../../engine/session.ts';
import { dropTemporaryTables } from '../../../engine/sql/temporary-tables.ts';
import type { CommonRows } from './common-rows.ts';
import type { LikelyCopy, ReadDelivery } from './likely-copies.ts';

/** A delivery with fewer different rows can be contained in another by chance. */
const FEW_ROWS = 10;

/** A delivery with all rows of another one. */
export interface Contained extends LikelyCopy {
  /** Whether the inner one is a copy. */
  isCertain: boolean;
  /** Whether it has so few rows that the others of their days decide. */
  hasFewRows: boolean;
}

/** Returns the pairs of which the second delivery has all rows of the first one, as often as the first. */
export async function containedAmong(
  reader: Statements,
  deliveries: readonly ReadDelivery[],
  rows: CommonRows,
  batch: readonly LikelyCopy[],
): Promise<Contained[]> {
  const rowsOf = (places: readonly number[]): string =>
    rows.rowsOf([...new Set(places)].flatMap((place) => deliveries[place]?.files ?? []));
  await dropTemporaryTables(reader, ['inner_rows', 'outer_rows']);
  await reader.run(`CREATE TEMP TABLE inner_rows AS
    SELECT place, telling, whole, day, count(*) AS times
    FROM (${rowsOf(batch.map(({ inner }) => inner))}) JOIN delivery_files USING (file) GROUP BY ALL`);
  // Rows of other times are counted too, for deliveries with few rows.
  await reader.run(`CREATE TEMP TABLE outer_rows AS
    SELECT place, whole, day, count(*) AS times
    FROM (${rowsOf(batch.map(({ outer }) => outer))}) JOIN delivery_files USING (file)
    WHERE telling IN (SELECT telling FROM inner_rows)
      OR day IN (SELECT day FROM inner_rows WHERE place IN (SELECT place FROM inner_rows GROUP BY place HAVING count(*) < ${FEW_ROWS}))
    GROUP BY ALL`);
  const pairs = batch.map(({ inner, outer }) => `(${inner}, ${outer})`).join(', ');
  const contained = await reader.query<Contained>(`
WITH pairs(inner_place, outer_place) AS (VALUES ${pairs}),
contained AS (
  SELECT inner_place, outer_place, count(*) AS different_rows, sum(one.times) AS row_count
  FROM pairs JOIN inner_rows AS one ON one.place = inner_place
  LEFT JOIN outer_rows AS other ON other.place = outer_place AND other.whole = one.whole
  GROUP BY ALL HAVING bool_and(COALESCE(other.times, 0) >= one.times)),
of_same_days AS (
  SELECT inner_place, outer_place, sum(other.times) AS row_count
  FROM contained JOIN outer_rows AS other ON other.place = outer_place
    AND EXISTS (FROM inner_rows AS one WHERE one.place = inner_place AND one.day IS NOT DISTINCT FROM other.day)
  WHERE different_rows < ${FEW_ROWS} GROUP BY ALL)
SELECT inner_place AS inner, outer_place AS outer,
  different_rows >= ${FEW_ROWS} OR of_same_days.row_count = contained.row_count AS "isCertain",
  different_rows < ${FEW_ROWS} AS "hasFewRows"
FROM contained LEFT JOIN of_same_days USING (inner_place, outer_place)`);
  const scopeOf = (place: number): string | null => deliveries[place]?.scope ?? null;
  return contained.map((pair) => ({
    ...pair,
    isCertain: pair.isCertain || canBeWithin(scopeOf(pair.inner), scopeOf(pair.outer)),
  }));
}
