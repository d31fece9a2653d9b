import type { Month } from '../../../domain/shared/calendar.ts';
import type { CostSource } from '../../sources/cost-sources.ts';
import { doubledClusterNotes, doubledUnderOtherNames } from './doubled-clusters.ts';
import { twice, type Doubled, type DoubledScope } from './twice.ts';
import type { Warehouse } from '../../engine/warehouse.ts';

/**
 * Returns notes on spend that the source of a run and another source both count in its months, because both read the same file or
 * report the same cluster (design §2, Every dollar once). Each note has the days and the money.
 */
export const doubledNotes = async (
  warehouse: Warehouse,
  orgId: string,
  source: Pick<CostSource, 'id' | 'kind'>,
  months: readonly Month[],
): Promise<string[]> => {
  if (months.length === 0) return [];
  const of = { org: orgId, source: source.id, months };
  const notes = [];
  for (const shared of await warehouse.query<SharedFiles>(SHARED_FILES, { ...of, kind: source.kind })) {
    const { name, files, file } = shared;
    const which = files === '1' ? `the file ${file}` : `${files} files, such as ${file},`;
    const sentences =
      source.kind === 'opencost'
        ? await doubledUnderOtherNames(warehouse, of, shared.source_id)
        : await doubledByFiles(warehouse, of, source.kind, shared);
    notes.push(
      ...sentences.map(
        (sentence) =>
          `source ${JSON.stringify(name)} also counts ${which} that this source counts: ${sentence}`,
      ),
    );
  }
  return source.kind === 'opencost' ? [...notes, ...(await doubledClusterNotes(warehouse, of))] : notes;
};

/** Files that this source and another source both count. */
interface SharedFiles {
  source_id: string;
  name: string;
  files: string;
  file: string;
  /** Whether this source, or the other one, counts no other file. */
  is_all_of_mine: boolean;
  is_all_of_theirs: boolean;
}

/** Files of the loads that have days in the months. */
const SHARED_FILES = `
WITH loads_of_months AS (
  SELECT DISTINCT source_id, load_id
  FROM current_loads JOIN (SELECT unnest($months) AS month)
    ON month BETWEEN strftime(first_day, '%Y-%m') AND strftime(last_day, '%Y-%m')
  WHERE org_id = $org AND kind = $kind),
files AS (
  SELECT DISTINCT source_id, file FROM load_files SEMI JOIN loads_of_months USING (source_id, load_id) WHERE org_id = $org),
numbers AS (SELECT source_id, count(*) AS all_files FROM files GROUP BY source_id),
shared AS (
  SELECT theirs.source_id, count(*) AS files, min(file) AS file
  FROM files AS theirs JOIN (FROM files WHERE source_id = $source) AS mine USING (file)
  WHERE theirs.source_id <> $source GROUP BY theirs.source_id)
SELECT source_id, name, CAST(files AS VARCHAR) AS files, file,
  files = (SELECT all_files FROM numbers WHERE source_id = $source) AS is_all_of_mine, files = all_files AS is_all_of_theirs
FROM shared JOIN numbers USING (source_id) JOIN (SELECT source_id, name FROM cost_sources WHERE org_id = $org) USING (source_id)
ORDER BY name, source_id`;

/** The table with the money of a kind, the columns of the things that cost, and the other columns that identify a row. */
const SPEND = {
  focus: {
    table: 'cloud_spend',
    things: ['cloud', 'account'],
    more: ['split_kind', 'split_value', 'tag_key', 'tag_value', 'resource_id'],
  },
  hosts: { table: 'host_spend', things: ['host', 'service'], more: ['machine_id'] },
  ai_tools: { table: 'ai_tool_spend', things: ['tool'], more: ['kind'] },
} as const;

interface DoubledRows extends Doubled {
  known_by: 'mine' | 'theirs' | 'equal' | 'at most';
  is_billed: boolean;
}

/**
 * Returns notes on spend in shared files. If one of the sources counts only the shared files, its rows count twice. Otherwise
 * the equal rows do. If there are none, at most the smaller cost of each pair of rows counts twice.
 */
const doubledByFiles = async (
  warehouse: Warehouse,
  of: DoubledScope,
  kind: keyof typeof SPEND,
  { source_id: other, is_all_of_mine: isAllOfMine, is_all_of_theirs: isAllOfTheirs }: SharedFiles,
): Promise<string[]> => {
  const doubled = await warehouse.query<DoubledRows>(doubledRows(kind), { ...of, other });
  const knownBy = (): DoubledRows['known_by'] => {
    if (isAllOfMine) return 'mine';
    if (isAllOfTheirs) return 'theirs';
    return doubled.some((row) => row.known_by === 'equal') ? 'equal' : 'at most';
  };
  const known = knownBy();
  return doubled
    .filter((row) => row.known_by === known)
    .map((row) => {
      const sentence = known === 'at most' ? `up to ${twice(row)}` : twice(row);
      return row.is_billed ? `of services ${sentence}; the bill lines of their hosts count once` : sentence;
    });
};

/** Hosts on bills, by day. Their bill lines count, so that of their rows only the services' costs matter. */
const HOSTS_ON_BILLS = `(
  SELECT DISTINCT day, host, true AS is_billed FROM covered_resources JOIN current_computations USING (org_id, month, computation_id)
  WHERE org_id = $org AND host IS NOT NULL)`;

const textOf = (columns: readonly string[]): string =>
  `concat_ws('|', ${columns.map((column) => `COALESCE(${column}, '')`).join(', ')})`;

const doubledRows = (kind: keyof typeof SPEND): string => {
  const { table, things, more } = SPEND[kind];
  const isHosts = kind === 'hosts';
  return `
WITH rows AS (
  SELECT source_id, day, ${isHosts ? 'COALESCE(is_billed, false)' : 'false'} AS is_billed, ${textOf(things)} AS thing,
    ${textOf([...things, ...more])} AS key, sum(cost) AS cost
  FROM ${table} SEMI JOIN current_loads USING (org_id, source_id, load_id, billing_period)
  ${isHosts ? `LEFT JOIN ${HOSTS_ON_BILLS} USING (day, host)` : ''}
  WHERE org_id = $org AND list_contains($months, strftime(day, '%Y-%m')) AND source_id IN ($source, $other)
    ${isHosts ? 'AND (is_billed IS NULL OR service IS NOT NULL)' : ''}
  GROUP BY ALL),
mine AS (FROM rows WHERE source_id = $source),
theirs AS (FROM rows WHERE source_id = $other),
pairs AS (
  SELECT day, mine.is_billed, mine.cost AS mine, theirs.cost AS theirs FROM mine JOIN theirs USING (day, key)),
parts AS (
  SELECT 'mine' AS known_by, day, is_billed, cost FROM mine SEMI JOIN theirs USING (day, thing)
  UNION ALL SELECT 'theirs', day, is_billed, cost FROM theirs SEMI JOIN mine USING (day, thing)
  UNION ALL SELECT 'equal', day, is_billed, mine FROM pairs WHERE mine = theirs
  UNION ALL SELECT 'at most', day, is_billed, CASE WHEN mine > 0 THEN least(mine, theirs) ELSE greatest(mine, theirs) END
    FROM pairs WHERE sign(mine) = sign(theirs))
SELECT known_by, is_billed, CAST(count(DISTINCT day) AS INTEGER) AS days, min(day) AS first_day, max(day) AS last_day,
  sum(cost) AS cost
FROM parts GROUP BY known_by, is_billed HAVING sum(cost) <> 0 ORDER BY is_billed`;
};
