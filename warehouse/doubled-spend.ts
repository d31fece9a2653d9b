import type { Day, Month } from '../domain/calendar.ts';
import { toWire, type DecimalText } from '../domain/decimals.ts';
import { onDays } from './asset-notes.ts';
import type { CostSource } from './cost-sources.ts';
import type { Warehouse } from './warehouse.ts';

/** What a source and another one both bring. */
interface Doubled {
  name: string;
  days: number;
  first_day: Day;
  last_day: Day;
  cost: DecimalText;
}

/** Where the money of a kind is, and what its rows are told apart by. */
const SPEND: Readonly<Record<CostSource['kind'], { table: string; keys: readonly string[] }>> = {
  focus: { table: 'cloud_spend', keys: ['cloud', 'account', 'resource_id'] },
  opencost: { table: 'kubernetes_spend', keys: ['cluster', 'namespace', 'workload'] },
  hosts: { table: 'host_spend', keys: ['host', 'service'] },
  ai_tools: { table: 'ai_tool_spend', keys: ['tool', 'kind'] },
};

/**
 * What a source counts that another one counts, too, in the months of a run: because both read the same file, or
 * because both report the same cluster (design §2, Every dollar once). A sentence for each, with the days and the money.
 */
export const doubledNotes = async (
  warehouse: Warehouse,
  orgId: string,
  source: Pick<CostSource, 'id' | 'kind'>,
  months: readonly Month[],
): Promise<string[]> => {
  if (months.length === 0) return [];
  const of = { org: orgId, source: source.id };
  const files = await warehouse.query<{ source_id: string; name: string; files: string; file: string }>(
    SHARED_FILES,
    { ...of, kind: source.kind },
  );
  const notes = [];
  for (const { source_id, name, files: count, file } of files) {
    const [doubled] = await warehouse.query<Doubled>(doubledBy(source.kind), {
      ...of,
      months,
      other: source_id,
    });
    if (doubled === undefined || doubled.days === 0) continue;
    const which = count === '1' ? `the file ${file}` : `${count} files, such as ${file},`;
    notes.push(
      `source ${JSON.stringify(name)} also reads ${which} that this source reads: ${twice(doubled)}`,
    );
  }
  if (source.kind !== 'opencost') return notes;
  const clusters = await warehouse.query<Doubled & { cluster: string }>(SHARED_CLUSTERS, { ...of, months });
  for (const { cluster, ...doubled } of clusters) {
    notes.push(
      `source ${JSON.stringify(doubled.name)} also reports cluster ${JSON.stringify(cluster)}: ${twice(doubled)}`,
    );
  }
  return notes;
};

const twice = (doubled: Doubled): string => `${String(toWire(doubled.cost))} counts twice ${onDays(doubled)}`;

const SHARED_FILES = `
WITH files AS (
  SELECT DISTINCT source_id, file FROM load_files SEMI JOIN current_loads USING (org_id, source_id, load_id)
  WHERE org_id = $org)
SELECT source_id, name, CAST(count(*) AS VARCHAR) AS files, min(file) AS file
FROM files JOIN cost_sources USING (source_id)
WHERE org_id = $org AND source_id <> $source AND kind = $kind
  AND file IN (SELECT file FROM files WHERE source_id = $source)
GROUP BY source_id, name ORDER BY name, source_id`;

/** The part of an amount that another has, too. */
const COMMON = `CASE WHEN mine.cost > 0 AND theirs.cost > 0 THEN least(mine.cost, theirs.cost)
  WHEN mine.cost < 0 AND theirs.cost < 0 THEN greatest(mine.cost, theirs.cost) ELSE 0 END`;

/** The rows of the published loads in the months, by source, day and what tells them apart. */
const rowsOf = ({ table, keys }: (typeof SPEND)[CostSource['kind']], where: string): string => `rows AS (
  SELECT source_id, day, ${keys.join(', ')}, concat_ws('|', ${keys.map((key) => `COALESCE(${key}, '')`).join(', ')}) AS key,
    sum(cost) AS cost
  FROM ${table} SEMI JOIN current_loads USING (org_id, source_id, load_id, billing_period)
  WHERE org_id = $org AND list_contains($months, strftime(day, '%Y-%m')) AND ${where}
  GROUP BY ALL),
mine AS (FROM rows WHERE source_id = $source),
theirs AS (FROM rows WHERE source_id <> $source)`;

const doubledBy = (kind: CostSource['kind']): string => `
WITH ${rowsOf(SPEND[kind], 'source_id IN ($source, $other)')}
SELECT CAST(count(DISTINCT day) AS INTEGER) AS days, min(day) AS first_day, max(day) AS last_day,
  COALESCE(sum(${COMMON}), 0) AS cost
FROM mine JOIN theirs USING (day, key)`;

/** Days on which both report the cluster, and of these what both say of the same workload or of idle capacity. */
const SHARED_CLUSTERS = `
WITH ${rowsOf(SPEND.opencost, 'true')},
cluster_days AS (
  SELECT DISTINCT theirs.source_id, day, cluster FROM theirs JOIN mine USING (day, cluster)),
common AS (
  SELECT theirs.source_id, day, theirs.cluster, sum(${COMMON}) AS cost FROM mine JOIN theirs USING (day, key) GROUP BY ALL)
SELECT name, cluster, CAST(count(*) AS INTEGER) AS days, min(day) AS first_day, max(day) AS last_day,
  COALESCE(sum(cost), 0) AS cost
FROM cluster_days LEFT JOIN common USING (source_id, day, cluster)
JOIN (SELECT source_id, name FROM cost_sources WHERE org_id = $org) USING (source_id)
GROUP BY source_id, name, cluster ORDER BY cluster, name, source_id`;
