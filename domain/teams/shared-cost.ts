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
  const { teams, weights } = split.type === 'metric' ? weightsByLabel(split, values) : knownWeights(split);
  if (weights.every((weight) => weight === 0n)) return new Map();
  const shares = new Map<string, bigint>();
  for (const [index, part] of splitByLargestRemainder(units, weights).entries()) {
    const team = teams[index] ?? NO_TEAM;
    if (team !== NO_TEAM) shares.set(team, part);
  }
  return shares;
}

const NO_TEAM = '';

/** Who bears an amount, and with which weight each does. Among equal remainders, the earlier team comes first. */
interface Weights {
  teams: string[];
  weights: bigint[];
}

/** Returns weights in order: the oldest team first, and the unallocated part last. */
function inOrder(weights: ReadonlyMap<string, bigint>): Weights {
  const teams = [...weights.keys()].sort((one, other) =>
    one === NO_TEAM ? 1 : other === NO_TEAM || one < other ? -1 : 1,
  );
  return { teams, weights: teams.map((team) => weights.get(team) ?? 0n) };
}

/** The weights of splits that do not depend on the month: a definition is used for many. */
const KNOWN = new WeakMap<Split, Weights>();

function knownWeights(split: Exclude<Split, { type: 'metric' }>): Weights {
  const known = KNOWN.get(split) ?? inOrder(split.type === 'even' ? evenWeights(split) : fixedWeights(split));
  KNOWN.set(split, known);
  return known;
}

const evenWeights = ({ team_ids }: Extract<Split, { type: 'even' }>) =>
  new Map(team_ids.map((team) => [team, 1n]));

function fixedWeights({ shares }: Extract<Split, { type: 'fixed' }>): Map<string, bigint> {
  const weights = new Map<string, bigint>();
  for (const { team_id, percent } of shares) addTo(weights, team_id, percentUnits(percent));
  addTo(weights, NO_TEAM, HUNDRED - [...weights.values()].reduce((sum, weight) => sum + weight, 0n));
  return weights;
}

function weightsByLabel(
  { labels }: Extract<Split, { type: 'metric' }>,
  values: readonly LabelSum[],
): Weights {
  const teams = new Map(Object.entries(labels));
  const weights = new Map<string, bigint>();
  for (const { label, sum } of values)
    addTo(weights, teams.get(label) ?? NO_TEAM, decimalUnits(sum, VALUE_DECIMALS));
  return inOrder(weights);
}

function addTo(weights: Map<string, bigint>, team: string, weight: bigint): void {
  weights.set(team, (weights.get(team) ?? 0n) + weight);
}

const HUNDRED = decimalUnits('100', PERCENT_DECIMALS);

/** Returns a percent in units of 10⁻⁶. */
export const percentUnits = (percent: number): bigint =>
  decimalUnits(Big(percent).toFixed(), PERCENT_DECIMALS);
