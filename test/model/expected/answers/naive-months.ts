import type { Day, Month } from '../../../../domain/shared/calendar.ts';
import type { SpendPick } from '../../../../domain/spend/spend-pick.ts';
import { absolute, decimalText, decimalUnits, divided, sixDecimals } from '../naive-decimals.ts';
import type { Spent } from '../naive-spend.ts';
import type { StoryMetric } from '../../organisation-story.ts';

/** Decimals of money, of values, and of unit costs before they are shown. */
export const MONEY = 15;
const VALUE = 10;
const UNIT_COST = 20;

/** Exact numbers of a month of a metric. */
export interface Numbers {
  cost: bigint | null;
  value: bigint | null;
  unitCost: bigint | null;
}

/**
 * Whether a pick names this spend: cloud spend by what was collected of it, clusters and hosts by direct cost (spec §1),
 * or by idle: all that is theirs and no workload's and no service's, whether a bill has it or not.
 */
export const names = (pick: SpendPick, spent: Spent): boolean => {
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
};

/** What a metric divides in a month: of the days so far, all spend, or what any of its picks names, once. */
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

/** The month's numbers from its cost and its values, `value` by period and label. */
export const numbersOf = (
  cost: bigint | null,
  values: readonly { period: Day; value: string }[],
  { aggregation }: StoryMetric,
): Numbers => {
  if (values.length === 0) return { cost, value: null, unitCost: null };
  const sum = sumOfValues(values);
  const periods = aggregation === 'total' ? 1n : BigInt(new Set(values.map(({ period }) => period)).size);
  // cost / 10¹⁵ ÷ (sum / 10¹⁰ / periods), in 10⁻²⁰
  const unitCost =
    cost === null || sum === 0n
      ? null
      : divided(cost * periods * 10n ** BigInt(UNIT_COST - MONEY + VALUE), sum);
  return { cost, value: divided(sum, periods), unitCost };
};

export const sumOfValues = (values: readonly { value: string }[]): bigint =>
  values.reduce((all, { value }) => all + decimalUnits(value, VALUE), 0n);

export const valueText = (units: bigint): string => decimalText(units, VALUE);
export const moneyText = (units: bigint): string => decimalText(units, MONEY);
export const unitCostText = (units: bigint): string => decimalText(units, UNIT_COST);

/** As the API shows them. */
export const shownNumbers = ({ cost, value, unitCost }: Numbers) => ({
  cost: cost === null ? null : sixDecimals(cost, MONEY),
  value: value === null ? null : Number(valueText(value)),
  unit_cost: unitCost === null ? null : sixDecimals(unitCost, UNIT_COST),
});

/** The change in percent of what was before; null when there is nothing to compare with. */
export const changeInPercent = (before: bigint | null, after: bigint | null): number | null =>
  before === null || before === 0n || after === null
    ? null
    : Number(decimalText(divided((after - before) * 100n * 10n ** 6n, absolute(before)), 6));

export const isAbove = (unitCost: bigint | null, target: string | null): boolean =>
  unitCost !== null && target !== null && unitCost > decimalUnits(target, UNIT_COST);
