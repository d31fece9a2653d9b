import { latestUnitCost, type ChangeBasis, type LatestUnitCost, type MonthRecord } from './month-record.ts';

/** A metric at a glance (docs/http.md#read-and-lock-months). */
export interface Glance {
  latest: LatestUnitCost | null;
  /** What the changes compare; null without a latest month. */
  change_basis: ChangeBasis | null;
  /** The change of the latest month's cost from the month before; for the running month, from the same days of it. */
  spend_change_percent: number | null;
  unit_cost_change_percent: number | null;
  /** Whether spend rises while the unit cost falls, or the other way round (docs/http.md#read-and-lock-months). */
  opposite_directions: boolean;
  above_target: boolean;
  /** Unit costs (of revenue: cost shares) of the last twelve months, oldest first; null for a month without one. */
  sparkline: (number | null)[];
}

/** Summarises a metric's month records, newest first. All fields but the sparkline are about the latest month. */
export function glanceAt(records: readonly MonthRecord[]): Glance {
  const latest = latestUnitCost(records);
  const current = records.find(({ month }) => month === latest?.month);
  const spend = current?.cost_change_percent ?? null;
  const unitCost = latest?.change_percent ?? null;
  return {
    latest,
    change_basis: latest?.change_basis ?? null,
    spend_change_percent: spend,
    unit_cost_change_percent: unitCost,
    opposite_directions: spend !== null && unitCost !== null && Math.sign(spend) * Math.sign(unitCost) < 0,
    above_target: current?.above_target ?? false,
    sparkline: records.map((record) => record.unit_cost ?? record.cost_share_percent ?? null).toReversed(),
  };
}
