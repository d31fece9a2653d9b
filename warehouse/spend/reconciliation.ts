import type { Day } from '../../domain/shared/calendar.ts';
import type { DecimalText } from '../../domain/shared/decimals.ts';
import { ctes } from '../engine/sql/cte.ts';
import { assetNotes } from './assets/asset-notes.ts';
import { countedLines, LOADS_OF_DAYS, ofUsedLoads } from './counted-spend.ts';
import type { ComputedSession } from './compute-spend.ts';

/** What a cluster or host reports itself, beside what counts for it. */
export interface Reconciliation {
  source: 'kubernetes' | 'hosts';
  name: string;
  /** Its workloads and idle capacity at its own prices. */
  reported: DecimalText;
  /** The bill lines of its assets. */
  billed: DecimalText;
  /** Its cost on days on which no bill has its assets. */
  outside_bills: DecimalText;
  /** billed + outside_bills − reported. */
  difference: DecimalText;
  /** Days on which assets without a bill line of their own followed the cluster. */
  followed_days: number;
  /** Days with allocations and no assets, for which the nearest known assets decided. */
  borrowed_days: number;
  /** Days on which a machine matched no bill line because several accounts, projects or zones have its name. */
  ambiguous_days: number;
  /** Days on which a machine with an id matched no line of a connected bill. */
  unmatched_days: number;
  /** The part of outside_bills that these machines cost: it counts twice if the bills include them. */
  unmatched: DecimalText;
  /** What these numbers mean, in sentences. */
  notes: string[];
}

/** Compares each cluster and host with its bills, over some days (docs/concepts.md#every-dollar-counts-once). */
export async function reconciliation(
  session: ComputedSession,
  orgId: string,
  range: { start: Day; end: Day },
): Promise<Reconciliation[]> {
  const days = { start: range.start, end: range.end };
  const rows = await session.query<Omit<Reconciliation, 'notes'>>(RECONCILIATION, { org: orgId, ...days });
  const notes = await assetNotes(session, orgId, days);
  return rows.map((row) => ({
    ...row,
    notes: notes.filter(({ source, of }) => source === row.source && of === row.name).map(({ note }) => note),
  }));
}

const ON_DAYS = 'day BETWEEN $start::DATE AND $end::DATE';

// Beside the bill, a cluster has the costs of its workloads, and the same amount as a negative cost. So their sum is what it
// costs outside any bill.
const RECONCILIATION = `
WITH ${ctes(LOADS_OF_DAYS, countedLines(LOADS_OF_DAYS, `${ON_DAYS} AND (resource_id IS NOT NULL OR cluster IS NOT NULL)`))},
parts AS (
  SELECT source, COALESCE(cluster, host) AS name, cost AS billed, 0::DECIMAL(38,15) AS outside_bills,
    0::DECIMAL(38,15) AS reported, 0::DECIMAL(38,15) AS unmatched, CAST(NULL AS VARCHAR) AS reason, CAST(NULL AS DATE) AS day
  FROM counted_lines WHERE source <> 'cloud'
  UNION ALL
  SELECT source, COALESCE(cluster, host), 0, cost, 0, 0, NULL, NULL
  FROM distributed_spend JOIN current_computations USING (org_id, month, computation_id)
  WHERE org_id = $org AND ${ON_DAYS} AND source <> 'ai_tools'
  UNION ALL
  SELECT 'kubernetes', cluster, 0, 0, cost, 0, NULL, NULL FROM ${ofUsedLoads('kubernetes_spend', ON_DAYS)}
  UNION ALL
  SELECT 'hosts', host, 0, 0, cost, 0, NULL, NULL FROM ${ofUsedLoads('host_spend', ON_DAYS)}
  UNION ALL
  SELECT CASE WHEN cluster IS NULL THEN 'hosts' ELSE 'kubernetes' END, COALESCE(cluster, host), 0, 0, 0,
    CASE WHEN reason = 'unmatched' AND NOT is_on_bill THEN cost ELSE 0 END,
    CASE WHEN reason <> 'unmatched' OR NOT is_on_bill THEN reason END, day
  FROM asset_decisions JOIN current_computations USING (org_id, month, computation_id)
  WHERE org_id = $org AND ${ON_DAYS} AND (reason <> 'borrowed' OR asset_day IS NOT NULL))
SELECT source, name, sum(reported) AS reported, sum(billed) AS billed, sum(outside_bills) AS outside_bills,
  sum(billed) + sum(outside_bills) - sum(reported) AS difference,
  CAST(count(DISTINCT day) FILTER (reason = 'followed') AS INTEGER) AS followed_days,
  CAST(count(DISTINCT day) FILTER (reason = 'borrowed') AS INTEGER) AS borrowed_days,
  CAST(count(DISTINCT day) FILTER (reason = 'ambiguous') AS INTEGER) AS ambiguous_days,
  CAST(count(DISTINCT day) FILTER (reason = 'unmatched') AS INTEGER) AS unmatched_days, sum(unmatched) AS unmatched
FROM parts GROUP BY source, name ORDER BY source DESC, name`;
