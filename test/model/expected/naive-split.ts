import { absolute, decimalUnits } from './naive-decimals.ts';
import type { StorySplit } from '../organisation-story.ts';

/** A team by its number, or null for the part without a team. */
type Receiver = number | null;

/** A value of a month, with the label it is for. */
export interface LabelledValue {
  label: string;
  value: string;
}

const PERCENT_DECIMALS = 6;
const VALUE_DECIMALS = 10;

/** Returns the weights of a split, with one entry for each share or value. */
function weightsOf(split: StorySplit, values: readonly LabelledValue[]): [Receiver, bigint][] {
  if (split.type === 'even') return split.teams.map((team) => [team, 1n]);
  if (split.type === 'metric')
    return values.map(({ label, value }) => [
      split.labels[label] ?? null,
      decimalUnits(value, VALUE_DECIMALS),
    ]);
  const ofTeams = split.shares.map(({ team, percent }): [Receiver, bigint] => [
    team,
    decimalUnits(percent, PERCENT_DECIMALS),
  ]);
  const rest = ofTeams.reduce((left, [, weight]) => left - weight, decimalUnits('100', PERCENT_DECIMALS));
  return [...ofTeams, [null, rest]];
}

/**
 * Returns each team's part of a shared cost, by its number, in 10⁻¹⁵ (docs/concepts.md). Parts are rounded down. The units left
 * over go one each to the largest remainders; of equal ones to the oldest team, and last to no team. A credit is split like
 * a positive amount. If all weights are 0, no team gets a part.
 */
export function naiveParts(
  units: bigint,
  split: StorySplit,
  values: readonly LabelledValue[],
): Map<number, bigint> {
  const weights = new Map<Receiver, bigint>();
  for (const [receiver, weight] of weightsOf(split, values))
    weights.set(receiver, (weights.get(receiver) ?? 0n) + weight);
  const whole = [...weights.values()].reduce((sum, weight) => sum + weight, 0n);
  if (whole === 0n) return new Map();
  const parts = [...weights]
    .map(([receiver, weight]) => ({
      receiver,
      part: (absolute(units) * weight) / whole,
      remainder: (absolute(units) * weight) % whole,
    }))
    .sort((a, b) => {
      if (a.remainder !== b.remainder) return a.remainder > b.remainder ? -1 : 1;
      return (a.receiver ?? Infinity) - (b.receiver ?? Infinity);
    });
  let left = parts.reduce((rest, { part }) => rest - part, absolute(units));
  const got = new Map<number, bigint>();
  for (const { receiver, part } of parts) {
    const all = left > 0n ? part + 1n : part;
    left -= 1n;
    if (receiver !== null) got.set(receiver, units < 0n ? -all : all);
  }
  return got;
}
