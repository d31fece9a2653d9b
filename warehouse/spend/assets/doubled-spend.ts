import type { Month } from '../../../domain/shared/calendar.ts';
import { KINDS } from '../../../domain/sources/kinds.ts';
import type { SpendSource } from '../../../domain/sources/spend-sources.ts';
import { SPEND_OF_KIND } from '../../sources/spend-of-kind.ts';
import type { CostSource } from '../../sources/cost-sources.ts';
import { doubledClusterNotes, doubledUnderOtherNames } from './doubled-clusters.ts';
import { twice, type Doubled, type DoubledScope } from './twice.ts';
import type { Warehouse } from '../../engine/warehouse.ts';

/**
 * Returns notes on spend that two sources count in some months. Both read the same file, or report the same cluster
 * (docs/concepts.md#every-dollar-counts-once). Each note has the days and the amount.
 */
export async function doubledNotes(
  warehouse: Warehouse,
  orgId: string,
  source: Pick<CostSource, 'id' | 'kind'>,
  months: readonly Month[],
): Promise<string[]> {
  if (months.length === 0) return [];
  const scope = { org: orgId, source: source.id, months };
  const { spend } = KINDS[source.kind];
  const notes = [];
  for (const shared of await warehouse.query<SharedFiles>(SHARED_FILES, { ...scope, spend })) {
    const { name, file_count, file } = shared;
    const which = file_count === '1' ? `the file ${file}` : `${file_count} files, such as ${file},`;
    const sentences =
      spend === 'kubernetes'
        ? await doubledUnderOtherNames(warehouse, scope, shared.source_id)
        : await doubledByFiles(warehouse, scope, spend, shared);
    notes.push(
      ...sentences.map(
        (sentence) =>
          `source ${JSON.stringify(name)} also counts ${which} that this source counts: ${sentence}`,
      ),
    );
  }
  return spend === 'kubernetes' ? [...notes, ...(await doubledClusterNotes(warehouse, scope))] : notes;
}

/** The files that this source and another one both count. */
interface SharedFiles {
  /** The other source. */
  source_id: string;
  name: string;
  file_count: string;
  /** One of the files, as an example. */
  file: string;
  /** Whether this source counts no other files. */
  is_all_of_mine: boolean;
  /** Whether the other source counts no other files. */
  is_all_of_theirs: boolean;
}

/** Selects one row for each other source, from the files of loads that have days in the months. */
const SHARED_FILES = `
WITH loads_of_months AS (
  SELECT DISTINCT source_id, load_id
  FROM current_loads JOIN (SELECT unnest($months) AS month)
    ON month BETWEEN strftime(first_day, '%Y-%m') AND strftime(last_day, '%Y-%m')
  WHERE org_id = $org AND ${SPEND_OF_KIND} = $spend),
files AS (
  SELECT DISTINCT source_id, file FROM load_files SEMI JOIN loads_of_months USING (source_id, load_id) WHERE org_id = $org),
totals AS (SELECT source_id, count(*) AS all_files FROM files GROUP BY source_id),
shared AS (
  SELECT theirs.source_id, count(*) AS file_count, min(file) AS file
  FROM files AS theirs JOIN (FROM files WHERE source_id = $source) AS mine USING (file)
  WHERE theirs.source_id <> $source GROUP BY theirs.source_id)
SELECT source_id, name, CAST(shared.file_count AS VARCHAR) AS file_count, file,
  shared.file_count = (SELECT all_files FROM totals WHERE source_id = $source) AS is_all_of_mine,
  shared.file_count = all_files AS is_all_of_theirs
FROM shared JOIN totals USING (source_id) JOIN (SELECT source_id, name FROM cost_sources WHERE org_id = $org) USING (source_id)
ORDER BY name, source_id`;

/** The table of spend, the columns that name what the spend is for, and the others that identify a row. */
const TABLES = {
  cloud: {
    table: 'cloud_spend',
    subject: ['cloud', 'account'],
    others: ['split_kind', 'split_value', 'tag_key', 'tag_value', 'resource_id'],
  },
  hosts: { table: 'host_spend', subject: ['host', 'service'], others: ['machine_id'] },
  ai_tools: { table: 'ai_tool_spend', subject: ['tool'], others: ['kind'] },
} as const satisfies Record<Exclude<SpendSource, 'kubernetes'>, object>;

interface DoubledRows extends Doubled {
  /** The rows that count twice: this source's, the other one's, the equal ones, or of each pair at most the smaller one. */
  rule: 'mine' | 'theirs' | 'equal' | 'at most';
  is_billed: boolean;
}

/**
 * Returns notes on spend in shared files. If one of the sources counts only the shared files, its rows count twice where the
 * other has the same day and subject. Otherwise the equal rows do. If there are none, at most the smaller cost of each pair of
 * rows counts twice.
 */
async function doubledByFiles(
  warehouse: Warehouse,
  scope: DoubledScope,
  spend: keyof typeof TABLES,
  { source_id: other, is_all_of_mine: isAllOfMine, is_all_of_theirs: isAllOfTheirs }: SharedFiles,
): Promise<string[]> {
  const doubled = await warehouse.query<DoubledRows>(doubledRows(spend), { ...scope, other });
  const ruleThatHolds = (): DoubledRows['rule'] => {
    if (isAllOfMine) return 'mine';
    if (isAllOfTheirs) return 'theirs';
    return doubled.some((row) => row.rule === 'equal') ? 'equal' : 'at most';
  };
  const rule = ruleThatHolds();
  return doubled
    .filter((row) => row.rule === rule)
    .map((row) => {
      const sentence = rule === 'at most' ? `up to ${twice(row)}` : twice(row);
      return row.is_billed ? `of services ${sentence}; the bill lines of their hosts count once` : sentence;
    });
}

/** Hosts on bills, by day. Their bill lines count once. Only the costs of their services can count twice. */
const HOSTS_ON_BILLS = `(
  SELECT DISTINCT day, host, true AS is_billed FROM covered_resources JOIN current_computations USING (org_id, month, computation_id)
  WHERE org_id = $org AND host IS NOT NULL)`;

const textOf = (columns: readonly string[]): string =>
  `concat_ws('|', ${columns.map((column) => `COALESCE(${column}, '')`).join(', ')})`;

function doubledRows(spend: keyof typeof TABLES): string {
  const { table, subject, others } = TABLES[spend];
  const isHosts = spend === 'hosts';
  return `
WITH rows AS (
  SELECT source_id, day, ${isHosts ? 'COALESCE(is_billed, false)' : 'false'} AS is_billed, ${textOf(subject)} AS subject,
    ${textOf([...subject, ...others])} AS key, sum(cost) AS cost
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
  SELECT 'mine' AS rule, day, is_billed, cost FROM mine SEMI JOIN theirs USING (day, subject)
  UNION ALL SELECT 'theirs', day, is_billed, cost FROM theirs SEMI JOIN mine USING (day, subject)
  UNION ALL SELECT 'equal', day, is_billed, mine FROM pairs WHERE mine = theirs
  UNION ALL SELECT 'at most', day, is_billed, CASE WHEN mine > 0 THEN least(mine, theirs) ELSE greatest(mine, theirs) END
    FROM pairs WHERE sign(mine) = sign(theirs))
SELECT rule, is_billed, CAST(count(DISTINCT day) AS INTEGER) AS days, min(day) AS first_day, max(day) AS last_day,
  sum(cost) AS cost
FROM parts GROUP BY rule, is_billed HAVING sum(cost) <> 0 ORDER BY is_billed`;
}
