import type { UsagePoint } from '../../../domain/sources/otlp/usage-points.ts';
import { TOOL } from '../../../domain/sources/otlp/usage-points.ts';
import { idAfter } from '../../engine/sql/ids.ts';
import type { Warehouse } from '../../engine/warehouse.ts';

/**
 * Stores points of a source's usage, all or none. They are durable once it returns. A point that was stored before counts once
 * (counted-points.ts), so that no lock is needed, on any number of nodes.
 */
export async function storePoints(
  warehouse: Warehouse,
  orgId: string,
  sourceId: string,
  points: readonly UsagePoint[],
): Promise<void> {
  if (points.length === 0) return;
  await warehouse.run(INSERT_POINTS, {
    org: orgId,
    source: sourceId,
    point: idAfter(null),
    tool: TOOL,
    series: points.map(({ series }) => series),
    cumulative: points.map(({ isCumulative }) => String(isCumulative)),
    starts: points.map(({ start }) => start),
    times: points.map(({ time }) => time),
    days: points.map(({ day }) => day),
    counts: points.map(({ counts }) => counts),
    repositories: points.map(({ repository }) => repository),
    values: points.map(({ value }) => value),
  });
}

const INSERT_POINTS = `
INSERT INTO usage_points BY NAME
SELECT $org AS org_id, $source AS source_id, $point::UUID AS point_id, $tool AS tool, md5(series) AS series,
  false AS is_sum, * EXCLUDE (series)
FROM (
  SELECT unnest($series::VARCHAR[]) AS series, unnest($cumulative::BOOLEAN[]) AS is_cumulative,
    unnest($starts::BIGINT[]) AS start_ns, unnest($times::BIGINT[]) AS time_ns, unnest($days::DATE[]) AS day,
    unnest($counts::VARCHAR[]) AS counts, unnest($repositories::VARCHAR[]) AS repository,
    unnest($values::DECIMAL(38,12)[]) AS value)`;
