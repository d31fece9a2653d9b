import { dayOf } from '../shared/calendar.ts';
import { toWire, type DecimalText } from '../shared/decimals.ts';
import type { MonthFacts } from './month-facts.ts';
import type { NumberRules } from './month-numbers.ts';
import {
  changesOf,
  isAboveTarget,
  latestUnitCost,
  numberedMonths,
  type ChangeBasis,
  type LatestUnitCost,
  type MonthRecord,
  type NumbersAtGlance,
} from './month-record.ts';
import { monthStatus } from './month-status.ts';

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

/** What a glance shows of a month. */
type GlanceMonth = NumbersAtGlance & Pick<MonthRecord, 'cost_change_percent' | 'above_target'>;

/**
 * Returns a metric at a glance, from the facts of consecutive months, oldest first. Only of the latest month it computes more than
 * the unit cost, because an overview shows no more of the others.
 */
export function glanceOf(
  facts: readonly MonthFacts[],
  metric: NumberRules & { target: DecimalText | null },
  now: Date,
): Glance {
  const today = dayOf(now);
  const months = numberedMonths(facts, metric).map((numbered): GlanceMonth => {
    const { unitCost } = numbered.shown;
    const shown = unitCost === null ? null : toWire(unitCost);
    let known: ReturnType<typeof changesOf> | null = null;
    const changes = () => (known ??= changesOf(numbered, metric, today));
    return {
      month: numbered.facts.month,
      ...(metric.kind === 'revenue' ? { cost_share_percent: shown } : { unit_cost: shown }),
      above_target: isAboveTarget(numbered, metric.target),
      get status() {
        return monthStatus(numbered.facts);
      },
      get change_percent() {
        return changes().change_percent;
      },
      get change_basis() {
        return changes().change_basis;
      },
      get cost_change_percent() {
        return changes().cost_change_percent;
      },
    };
  });
  return glanceAt(months.reverse());
}

/** Summarises a metric's months, newest first. All fields but the sparkline are about the latest month. */
export function glanceAt(records: readonly GlanceMonth[]): Glance {
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
