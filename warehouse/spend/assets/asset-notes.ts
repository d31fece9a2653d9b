import type { Day, Month } from '../../../domain/shared/calendar.ts';
import { toWire, type DecimalText } from '../../../domain/shared/decimals.ts';
import { KINDS } from '../../../domain/sources/kinds.ts';
import type { SpendSource } from '../../../domain/sources/spend-sources.ts';
import type { CostSource } from '../../sources/cost-sources.ts';
import type { Queries } from '../../engine/session.ts';

/** Equal decisions about assets of a cluster or a host, over some days. */
interface Decided {
  reason: 'followed' | 'borrowed' | 'ambiguous' | 'unmatched' | 'shared';
  cluster: string | null;
  host: string | null;
  is_on_bill: boolean;
  name: string | null;
  places: string | null;
  /** The first of the machines, and their number. */
  example: string | null;
  machines: number;
  days: number;
  first_day: Day;
  last_day: Day;
  first_asset_day: Day | null;
  last_asset_day: Day | null;
  cost: DecimalText;
}

/** A sentence about a decision on a cluster or host (asset-decisions.ts). */
export interface AssetNote {
  source: 'kubernetes' | 'hosts';
  /** The cluster or host. */
  of: string;
  note: string;
}

/** Returns notes on assets without a bill line of their own, on the days from `start` to `end`. */
export async function assetNotes(
  session: Queries,
  orgId: string,
  range: { start: Day; end: Day },
): Promise<AssetNote[]> {
  const decided = await session.query<Decided>(decidedOn('day BETWEEN $start::DATE AND $end::DATE'), {
    org: orgId,
    start: range.start,
    end: range.end,
  });
  return decided.map(noteOf);
}

/** Returns the notes for a run, in the months that it loaded. */
export async function assetNotesOfRun(
  session: Queries,
  orgId: string,
  source: Pick<CostSource, 'id' | 'kind'>,
  months: readonly Month[],
): Promise<string[]> {
  const mine = DECISIONS_OF[KINDS[source.kind].spend];
  if (mine === null || months.length === 0) return [];
  const decided = await session.query<Decided>(
    decidedOn(`list_contains($months, strftime(day, '%Y-%m')) AND ${mine}`),
    { org: orgId, source: source.id, months },
  );
  return decided.map((one) => noteOf(one).note);
}

/** Selects the clusters or hosts in the published loads of a source. */
const named = (column: 'cluster' | 'host', table: string): string => `
      SELECT ${column} FROM ${table} SEMI JOIN current_loads USING (org_id, source_id, load_id, billing_period)
      WHERE org_id = $org AND source_id = $source`;

const OF_SOURCE = `(
    cluster IN (${named('cluster', 'kubernetes_spend')} UNION ${named('cluster', 'cluster_assets')})
    OR host IN (${named('host', 'host_spend')}))`;

/** The decisions that a run notes, by the spend that it reads: a bill's run all of them, a cluster's or host's those on its own machines. */
const DECISIONS_OF: Record<SpendSource, string | null> = {
  cloud: '$source IS NOT NULL',
  kubernetes: OF_SOURCE,
  hosts: OF_SOURCE,
  ai_tools: null,
};

/** Whether the decisions name single machines, whose note is one. */
const OF_MACHINES = `reason IN ('unmatched', 'shared')`;

// An ambiguous name has a note of its own.
const decidedOn = (days: string): string => `
WITH decided AS (
  SELECT * FROM asset_decisions JOIN current_computations USING (org_id, month, computation_id)
  WHERE org_id = $org AND (reason <> 'borrowed' OR asset_day IS NOT NULL) AND ${days}),
noted AS (
  SELECT * FROM decided
  WHERE NOT (reason = 'unmatched' AND EXISTS (
    FROM decided AS other WHERE other.reason = 'ambiguous' AND other.day = decided.day AND other.name = decided.name)))
SELECT reason, cluster, host, is_on_bill, CASE WHEN NOT ${OF_MACHINES} THEN name END AS name,
  CASE WHEN reason <> 'unmatched' THEN places END AS places, min(noted.name) AS example,
  CAST(count(DISTINCT noted.name) AS INTEGER) AS machines, CAST(count(DISTINCT day) AS INTEGER) AS days, min(day) AS first_day,
  max(day) AS last_day, min(asset_day) AS first_asset_day, max(asset_day) AS last_asset_day, sum(cost) AS cost
FROM noted
GROUP BY reason, cluster, host, is_on_bill, CASE WHEN NOT ${OF_MACHINES} THEN noted.name END,
  CASE WHEN reason <> 'unmatched' THEN places END
ORDER BY cluster NULLS LAST, host, reason DESC, is_on_bill DESC, 5`;

function noteOf(decided: Decided): AssetNote {
  const { cluster, host } = decided;
  return {
    source: cluster === null ? 'hosts' : 'kubernetes',
    of: cluster ?? host ?? '',
    note: `${cluster === null ? `host ${quoted(host)}` : `cluster ${quoted(cluster)}`}: ${sentenceOf(decided)}`,
  };
}

function sentenceOf(decided: Decided): string {
  const { reason, is_on_bill: isOnBill, name, places, example } = decided;
  const [days, cost] = [onDays(decided), String(toWire(decided.cost))];
  if (reason === 'shared') {
    return (
      `machines that cluster ${quoted(places)} also reports, such as ${quoted(example)}, count there ${days}: ` +
      `their cost of ${cost} is not counted again`
    );
  }
  if (reason === 'unmatched') {
    const which = `${machinesOf(decided)} no line of a connected bill ${days}`;
    const its = decided.machines === 1 ? 'its' : 'their';
    return isOnBill
      ? `${which}: ${its} cost of ${cost} is not counted again, because options.on_bill is "always"`
      : `${which}: ${its} cost of ${cost} counts beside the bills; set options.on_bill to "always" if a bill includes it, or to "never"`;
  }
  if (reason === 'ambiguous') {
    // A borrowed machine has a cost of 0.
    const beside = cost === '0' ? '' : `, and ${cost} counts beside the bills`;
    return (
      `several machines on the bills have the name ${quoted(name)} (${places ?? ''}), so it matches no ` +
      `bill line ${days}${beside}; name the machine with its project and zone`
    );
  }
  if (reason === 'followed') {
    return isOnBill
      ? `assets without a bill line of their own follow the cluster, which is on a bill ${days}: their cost of ${cost} is not counted again`
      : `assets that bills name differently follow the cluster, whose nodes and disks are on no bill ${days}: their cost of ${cost} counts beside the bills`;
  }
  const { first_asset_day: from, last_asset_day: to } = decided;
  if (name === 'always') {
    return `it reports allocations but no assets ${days}: its allocations of ${cost} are not counted, because options.on_bill is "always"`;
  }
  const lent = from === to ? `of ${from ?? ''}` : `of ${from ?? ''} to ${to ?? ''}`;
  return isOnBill
    ? `it reports allocations but no assets ${days}. By its nearest known assets, ${lent}, it is on a bill: only their bill lines count, not its allocations of ${cost}`
    : `it reports allocations but no assets ${days}. By its nearest known assets, ${lent}, it is on no bill: its allocations of ${cost} count`;
}

/** Returns `machine "node-1" matches`, or `3 machines, such as "node-1", match`. */
export const machinesOf = ({ machines, example }: { machines: number; example: string | null }): string =>
  machines === 1
    ? `machine ${quoted(example)} matches`
    : `${machines} machines, such as ${quoted(example)}, match`;

const quoted = (name: string | null): string => JSON.stringify(name);

/** Returns `on 1 day, 2026-01-31`, or `on 3 days from 2026-01-29 to 2026-01-31`. */
export const onDays = ({
  days,
  first_day,
  last_day,
}: {
  days: number;
  first_day: Day;
  last_day: Day;
}): string => (days === 1 ? `on 1 day, ${first_day}` : `on ${days} days from ${first_day} to ${last_day}`);
