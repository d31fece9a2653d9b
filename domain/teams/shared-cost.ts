import Big from 'big.js';
import { decimalUnits, VALUE_DECIMALS, type DecimalText } from '../shared/decimals.ts';
import { splitByLargestRemainder } from './largest-remainder.ts';

/**
 * How a shared cost is split over teams (docs/http.md#teams-and-bills): evenly; by fixed percents, with the remainder to 100
 * unallocated; or by a labelled metric's values of the month (docs/concepts.md#shared-costs).
 */
export type Split =
  | { type: 'even'; team_ids: string[] }
  | { type: 'fixed'; shares: { team_id: string; percent: number }[] }
  | { type: 'metric'; metric_id: string; labels: Record<string, string> };

/** The most decimals of a fixed percent. */
export const PERCENT_DECIMALS = 6;

/** The sum of a label's values in a month: the label's weight in the split. */
export interface LabelSum {
  label: string;
  sum: DecimalText;
}

export function teamsOfSplit(split: Split): string[] {
  if (split.type === 'even') return split.team_ids;
  return split.type === 'fixed' ? split.shares.map(({ team_id }) => team_id) : Object.values(split.labels);
}

/** Returns the metric whose values a split needs; null for other splits. */
export const metricOfSplit = (split: Split): string | null =>
  split.type === 'metric' ? split.metric_id : null;

/**
 * Returns each team's share of an amount, in units of 10⁻¹⁵. The rest stays unallocated. `values` are the month's values of the
 * split's metric. If there are none, or all are 0, no team has a share. Total and Average metrics split alike, because both
 * divide all labels of a month by the same number.
 */
export function sharesOf(units: bigint, split: Split, values: readonly LabelSum[]): Map<string, bigint> {
  const weights = weightsOf(split, values);
  // Among equal remainders the oldest team comes first, and the unallocated part last.
  const teams = [...weights.keys()].sort((one, other) =>
    one === NO_TEAM ? 1 : other === NO_TEAM || one < other ? -1 : 1,
  );
  const inOrder = teams.map((team) => weights.get(team) ?? 0n);
  if (inOrder.every((weight) => weight === 0n)) return new Map();
  const parts = splitByLargestRemainder(units, inOrder);
  return new Map(
    teams.map((team, index) => [team, parts[index] ?? 0n] as const).filter(([team]) => team !== NO_TEAM),
  );
}

const NO_TEAM = '';

function weightsOf(split: Split, values: readonly LabelSum[]): Map<string, bigint> {
  if (split.type === 'even') return new Map(split.team_ids.map((team) => [team, 1n]));
  const weights = new Map<string, bigint>();
  const add = (team: string, weight: bigint) => weights.set(team, (weights.get(team) ?? 0n) + weight);
  if (split.type === 'metric') {
    const teams = new Map(Object.entries(split.labels));
    for (const { label, sum } of values) add(teams.get(label) ?? NO_TEAM, decimalUnits(sum, VALUE_DECIMALS));
    return weights;
  }
  for (const { team_id, percent } of split.shares) add(team_id, percentUnits(percent));
  add(NO_TEAM, HUNDRED - [...weights.values()].reduce((sum, weight) => sum + weight, 0n));
  return weights;
}

const HUNDRED = decimalUnits('100', PERCENT_DECIMALS);

/** Returns a percent in units of 10⁻⁶. */
export const percentUnits = (percent: number): bigint =>
  decimalUnits(Big(percent).toFixed(), PERCENT_DECIMALS);
