import type { Day, Month } from '../../../../domain/shared/calendar.ts';
import type { SpendPick } from '../../../../domain/spend/spend-pick.ts';
import { absolute, decimalText, decimalUnits, divided, sixDecimals } from '../naive-decimals.ts';
import type { Spent } from '../naive-spend.ts';
import type { StoryMetric } from '../../organisation-story.ts';

/** Decimals of money, of values, and of unit costs before rounding for answers. */
export const MONEY = 15;
const VALUE = 10;
const UNIT_COST = 20;

/** Exact numbers of a metric's month. */
export interface Numbers {
  cost: bigint | null;
  value: bigint | null;
  unitCost: bigint | null;
}

/**
 * Returns whether a pick names this spend: cloud spend by its collected values, clusters and hosts by direct cost. Idle picks
 * name all spend of a cluster or host without a workload or service, on a bill or not.
 */
export function names(pick: SpendPick, spent: Spent): boolean {
  switch (pick.source) {
    case 'kubernetes':
      if (pick.idle === true)
        return spent.source === 'kubernetes' && spent.cluster === pick.cluster && spent.namespace === null;
      return (
        spent.cluster === pick.cluster &&
        spent.namespace === pick.namespace &&
        (pick.workload === undefined || spent.workload === pick.workload)
      );
    case 'host':
      if (pick.idle === true)
        return spent.source === 'hosts' && spent.host === pick.host && spent.host_service === null;
      return (
        spent.host === pick.host &&
        spent.host_service !== null &&
        (pick.service === undefined || spent.host_service === pick.service)
      );
    case 'repository':
      return spent.repository === pick.repository;
    case 'cloud':
      return (
        spent.cloud === pick.cloud &&
        (pick.account === undefined || spent.account === pick.account) &&
        (pick.service === undefined || spent.service === pick.service) &&
        (pick.resource_group === undefined || spent.resource_group === pick.resource_group) &&
        (pick.tag === undefined || (spent.tag_key === pick.tag.key && spent.tag === pick.tag.value))
      );
  }
}

/** Returns a metric's cost of the days of a month so far: all spend, or once the spend that any of its picks names. */
export const costOf = (
  spent: readonly Spent[],
  picks: readonly SpendPick[] | null,
  month: Month,
  today: Day,
): bigint =>
  spent
    .filter(({ day }) => day.startsWith(month) && day <= today)
    .filter((one) => picks === null || picks.some((pick) => names(pick, one)))
    .reduce((sum, { units }) => sum + units, 0n);

/** Returns the month's numbers from its cost and its values by period and label. */
export function numbersOf(
  cost: bigint | null,
  values: readonly { period: Day; value: string }[],
  { aggregation }: StoryMetric,
): Numbers {
  if (values.length === 0) return { cost, value: null, unitCost: null };
  const sum = sumOfValues(values);
  const periods = aggregation === 'total' ? 1n : BigInt(new Set(values.map(({ period }) => period)).size);
  // cost / 10¹⁵ ÷ (sum / 10¹⁰ / periods), in 10⁻²⁰
  const unitCost =
    cost === null || sum === 0n
      ? null
      : divided(cost * periods * 10n ** BigInt(UNIT_COST - MONEY + VALUE), sum);
  return { cost, value: divided(sum, periods), unitCost };
}

export const sumOfValues = (values: readonly { value: string }[]): bigint =>
  values.reduce((all, { value }) => all + decimalUnits(value, VALUE), 0n);

export const valueText = (units: bigint): string => decimalText(units, VALUE);
export const moneyText = (units: bigint): string => decimalText(units, MONEY);
export const unitCostText = (units: bigint): string => decimalText(units, UNIT_COST);

/** Returns the numbers of API answers. */
export const shownNumbers = ({ cost, value, unitCost }: Numbers) => ({
  cost: cost === null ? null : sixDecimals(cost, MONEY),
  value: value === null ? null : Number(valueText(value)),
  unit_cost: unitCost === null ? null : sixDecimals(unitCost, UNIT_COST),
});

/** Returns the change in percent of `before`; null if there is nothing to compare. */
export const changeInPercent = (before: bigint | null, after: bigint | null): number | null =>
  before === null || before === 0n || after === null
    ? null
    : Number(decimalText(divided((after - before) * 100n * 10n ** 6n, absolute(before)), 6));

export const isAbove = (unitCost: bigint | null, target: string | null): boolean =>
  unitCost !== null && target !== null && unitCost > decimalUnits(target, UNIT_COST);
