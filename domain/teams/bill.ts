import { decimalUnits, MONEY_DECIMALS, moneyText, type DecimalText } from '../shared/decimals.ts';
import { metricOfSplit, sharesOf, type LabelSum, type Split } from './shared-cost.ts';
import type { SpendSource } from '../sources/spend-sources.ts';

/** Inputs of a month's bills, apart from the values that split shared costs. */
export interface BillBasis {
  /** Every team with its own spend. */
  teams: { id: string; by_source: Partial<Record<SpendSource, DecimalText>> }[];
  shared_costs: { id: string; name: string; amount: DecimalText; split: Split }[];
}

/** Inputs of a month's bills as a seal froze them, with the tags and splits that were not collected. */
export interface SealedBasis extends BillBasis {
  uncollected: UncollectedPicks;
}

/**
 * Why a version of a bill was sealed: the month had settled, values that split it had changed, a month that follows today's
 * spend and definitions had moved, or an admin sealed it by hand.
 */
export const SEAL_CAUSES = ['settled', 'values_changed', 'backfill', 'resealed'] as const;
export type SealCause = (typeof SEAL_CAUSES)[number];

/** Tags and splits that were not collected for the whole month, in words, by the team whose bill lacks them. */
export type UncollectedPicks = Record<string, string[]>;

/** A team's bill of a month in exact decimals. `by_source` adds up to `direct`, and `shared_costs` to `shared`. */
export interface BillAmounts {
  direct: DecimalText;
  shared: DecimalText;
  by_source: Record<SpendSource, DecimalText>;
  shared_costs: { id: string; name: string; amount: DecimalText }[];
}

/** A month's values, summed by label, for each metric with values. */
export type MonthValues = ReadonlyMap<string, readonly LabelSum[]>;

const units = (amount: DecimalText): bigint => decimalUnits(amount, MONEY_DECIMALS);
const sum = (amounts: readonly bigint[]): bigint => amounts.reduce((total, amount) => total + amount, 0n);

/** Returns the metrics that split a month's shared costs, each once. */
export const splitMetrics = ({ shared_costs }: BillBasis): string[] => [
  ...new Set(shared_costs.flatMap(({ split }) => metricOfSplit(split) ?? [])),
];

/**
 * Returns the bills of a month by team: the team's own spend, and its share of every shared cost that names it. The list of shares is
 * made when it is asked for, because totals of many teams need none of them.
 */
export function billsOf(basis: BillBasis, values: MonthValues): Map<string, BillAmounts> {
  const shared = new Map<string, bigint>();
  const shares = basis.shared_costs.map(({ id, name, amount, split }) => {
    const ofTeams = sharesOf(units(amount), split, values.get(metricOfSplit(split) ?? '') ?? []);
    for (const [team, share] of ofTeams) shared.set(team, (shared.get(team) ?? 0n) + share);
    return { id, name, ofTeams };
  });
  return new Map(
    basis.teams.map(({ id: team, by_source }) => {
      const own = { cloud: ZERO, kubernetes: ZERO, hosts: ZERO, ai_tools: ZERO, ...by_source };
      return [
        team,
        {
          direct: moneyText(sum(Object.values(own).map(units))),
          shared: moneyText(shared.get(team) ?? 0n),
          by_source: own,
          get shared_costs() {
            return shares.flatMap(({ id, name, ofTeams }) => {
              const share = ofTeams.get(team);
              return share === undefined ? [] : [{ id, name, amount: moneyText(share) }];
            });
          },
        },
      ];
    }),
  );
}

const ZERO = moneyText(0n);

type Totals = Pick<BillAmounts, 'direct' | 'shared'>;

const loadedUnits = ({ direct, shared }: Totals): bigint => units(direct) + units(shared);

/** Returns the sum of a bill's direct and shared spend. */
export const fullyLoaded = (bill: Totals): DecimalText => moneyText(loadedUnits(bill));

/** Returns the spend on no bill: the total less all bills. */
export const unallocated = (total: DecimalText, bills: readonly Totals[]): DecimalText =>
  moneyText(units(total) - sum(bills.map(loadedUnits)));
