import { pauseReason } from '../../domain/imports/connection.ts';
import type { ImportReach, RunRange } from '../../domain/imports/import-reach.ts';
import type { Platform } from '../../domain/imports/platforms.ts';
import type { MetricKind } from '../../domain/metrics/metric.ts';
import type { Tier } from '../../domain/organisations/tiers.ts';
import { dayOf, type Day } from '../../domain/shared/calendar.ts';
import type { Queries } from '../engine/session.ts';
import { instant } from '../engine/sql/instant.ts';
import type { Derived, OrganisationCache } from '../engine/cache/derived-cache.ts';
import { ofMetric } from '../engine/cache/revisions.ts';

/** What the import of a metric has read, and the run that holds what it does not count. */
export interface ValueImport {
  reach: ImportReach;
  /** The day on which the metric was disconnected; null while it is connected. */
  disconnectedOn: Day | null;
  /** The newest run that completed, with its sealed totals; null before the first. */
  completed: { run_id: string; sealed_totals: string | null } | null;
}

/** The tables that decide what the import of a metric has read. They are followed by metric. */
export const IMPORT_TABLES = ['import_versions', 'import_run_events'] as const;

const VALUE_IMPORT: Derived<ValueImport | null> = {
  name: 'import of a metric',
  // A plan can pause imports.
  from: ['organisation_versions'],
  bytesOf: (found) => JSON.stringify(found).length,
};

/** Returns, from the cache if it has it, what the imports of some metrics have read, also of those that were disconnected; see {@link valueImports}. */
export async function cachedValueImports(
  session: Queries,
  cache: OrganisationCache,
  orgId: string,
  metricIds: readonly string[],
): Promise<Map<string, ValueImport>> {
  const parts = new Map(metricIds.map((id) => [id, ofMetric(id, ['metric_versions', ...IMPORT_TABLES])]));
  const found = await cache.each(VALUE_IMPORT, parts, async (missing) => {
    const read = await valueImports(session, orgId, missing);
    return new Map(missing.map((id) => [id, read.get(id) ?? null]));
  });
  return new Map([...found].flatMap(([id, of]) => (of === null ? [] : [[id, of] as const])));
}

interface Row {
  metric_id: string;
  kind: MetricKind;
  tier: Tier;
  type: Platform;
  first_day: Day;
  disconnected_on: Day | null;
  /** JSON of the runs' ranges, and of the runs. */
  read: string | null;
  read_before: string | null;
  first_run_from: Day | null;
  last: string | null;
  completed: string | null;
}

/** Returns what the imports of some metrics have read, by metric id, also of those that were disconnected. */
export async function valueImports(
  session: Queries,
  orgId: string,
  metricIds: readonly string[],
): Promise<Map<string, ValueImport>> {
  if (metricIds.length === 0) return new Map();
  const rows = await session.query<Row>(VALUE_IMPORTS, { org: orgId, metrics: metricIds });
  return new Map(
    rows.map(({ metric_id, kind, tier, type, completed, ...row }) => [
      metric_id,
      {
        reach: {
          type,
          firstDay: row.first_day,
          pausedReason: pauseReason(kind, tier),
          read: rangesIn(row.read),
          readBefore: rangesIn(row.read_before),
          firstRunFrom: row.first_run_from,
          last: lastIn(row.last),
        },
        disconnectedOn: row.disconnected_on,
        completed: completed === null ? null : (JSON.parse(completed) as ValueImport['completed']),
      },
    ]),
  );
}

const rangesIn = (json: string | null): RunRange[] => (json === null ? [] : (JSON.parse(json) as RunRange[]));

function lastIn(json: string | null): ImportReach['last'] {
  if (json === null) return null;
  const { status, started_at, error } = JSON.parse(json) as {
    status: 'running' | 'completed' | 'failed';
    started_at: string;
    error: string | null;
  };
  return { status, day: dayOf(new Date(instant(started_at))), error };
}

// Runs that begin on the same day of a month are one range, so that a year of daily runs is a dozen.
const VALUE_IMPORTS = `
WITH connections AS (
  SELECT metric_id, kind, definition->>'type' AS type, first_day, credential_id, CASE WHEN deleted THEN CAST(changed_at AS DATE) END AS disconnected_on
  FROM (
    FROM import_versions WHERE org_id = $org AND list_contains($metrics, metric_id)
    QUALIFY row_number() OVER (PARTITION BY metric_id ORDER BY version_id DESC) = 1)
  JOIN (SELECT metric_id, kind FROM metrics WHERE org_id = $org) USING (metric_id)),
first_events AS (
  SELECT run_id, min(event_id) AS first_event FROM import_run_events
  WHERE org_id = $org AND list_contains($metrics, metric_id) GROUP BY run_id),
runs AS (
  SELECT metric_id, credential_id, run_id, status, started_at, error, start_day, end_day, sealed_totals, first_event
  FROM import_runs JOIN first_events USING (run_id)
  WHERE org_id = $org AND list_contains($metrics, metric_id)),
ranges AS (
  SELECT metric_id, runs.credential_id = connections.credential_id AS is_own, start_day, max(end_day) AS end_day
  FROM runs JOIN connections USING (metric_id) WHERE status = 'completed' GROUP BY ALL),
read_days AS (
  SELECT metric_id,
    CAST(to_json(list({'start': start_day, 'end': end_day}) FILTER (is_own)) AS VARCHAR) AS read,
    CAST(to_json(list({'start': start_day, 'end': end_day}) FILTER (NOT is_own)) AS VARCHAR) AS read_before
  FROM ranges GROUP BY metric_id),
own_runs AS (
  SELECT metric_id, arg_min(start_day, first_event) AS first_run_from,
    CAST(to_json(arg_max({'status': status, 'started_at': CAST(started_at AS VARCHAR), 'error': error}, first_event)) AS VARCHAR) AS last,
    CAST(to_json(arg_max({'run_id': run_id, 'sealed_totals': sealed_totals}, first_event) FILTER (status = 'completed')) AS VARCHAR) AS completed
  FROM runs JOIN connections USING (metric_id, credential_id) GROUP BY metric_id)
SELECT metric_id, kind, tier, type, first_day, disconnected_on, read, read_before, first_run_from, last, completed
FROM connections CROSS JOIN (SELECT tier FROM organisations WHERE org_id = $org)
  LEFT JOIN read_days USING (metric_id) LEFT JOIN own_runs USING (metric_id)`;
