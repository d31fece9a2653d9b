import { decimalUnits, MONEY_DECIMALS, moneyText, type DecimalText } from '../shared/decimals.ts';
import { metricOfSplit, sharesOf, type LabelSum, type Split } from './shared-cost.ts';
import type { SpendSource } from '../spend/spend-source.ts';

/** What the bills of a month are made of beside the values it splits by. */
export interface BillBasis {
  /** Every team, with the spend that it owns. */
  teams: { id: string; by_source: Partial<Record<SpendSource, DecimalText>> }[];
  shared_costs: { id: string; name: string; amount: DecimalText; split: Split }[];
}

/** The same as it was sealed: it no longer moves. */
export interface SealedBasis extends BillBasis {
  uncollected: UncollectedPicks;
}

/**
 * Why a version of a bill was sealed: the month had settled; values that it is split by changed; a month that follows
 * today's spend and definitions had these; an admin did so by hand.
 */
export const SEAL_CAUSES = ['settled', 'values_changed', 'backfill', 'resealed'] as const;
export type SealCause = (typeof SEAL_CAUSES)[number];

/** Tags and splits that were not collected for all of a month, in words, by the team whose bill misses them. */
export type UncollectedPicks = Record<string, string[]>;

/** A team's bill of a month in exact decimals. The sources add up to direct, the shared costs to shared. */
export interface BillAmounts {
  direct: DecimalText;
  shared: DecimalText;
  by_source: Record<SpendSource, DecimalText>;
  shared_costs: { id: string; name: string; amount: DecimalText }[];
}

/** The sums of a month's values by label, of each metric that has any. */
export type MonthValues = ReadonlyMap<string, readonly LabelSum[]>;

const units = (amount: DecimalText): bigint => decimalUnits(amount, MONEY_DECIMALS);
const sum = (amounts: readonly bigint[]): bigint => amounts.reduce((total, amount) => total + amount, 0n);

/** The metrics that a month's shared costs are split by, each once. */
export const splitMetrics = ({ shared_costs }: BillBasis): string[] => [
  ...new Set(shared_costs.flatMap(({ split }) => metricOfSplit(split) ?? [])),
];

/** The bills of all teams in a month, by team: what each owns, and its share of every shared cost that names it. */
export const billsOf = (basis: BillBasis, values: MonthValues): Map<string, BillAmounts> => {
  const shares = basis.shared_costs.map((cost) => ({
    cost,
    ofTeams: sharesOf(units(cost.amount), cost.split, values.get(metricOfSplit(cost.split) ?? '') ?? []),
  }));
  return new Map(
    basis.teams.map(({ id, by_source }) => {
      const own = { cloud: ZERO, kubernetes: ZERO, hosts: ZERO, ai_tools: ZERO, ...by_source };
      const ofTeam = shares.flatMap(({ cost, ofTeams }) => {
        const share = ofTeams.get(id);
        return share === undefined ? [] : [{ cost, share }];
      });
      return [
        id,
        {
          direct: moneyText(sum(Object.values(own).map(units))),
          shared: moneyText(sum(ofTeam.map(({ share }) => share))),
          by_source: own,
          shared_costs: ofTeam.map(({ cost: { id: costId, name }, share }) => ({
            id: costId,
            name,
            amount: moneyText(share),
          })),
        },
      ];
    }),
  );
};

const ZERO = moneyText(0n);

/** Direct and shared of a bill. */
export const fullyLoaded = ({ direct, shared }: Pick<BillAmounts, 'direct' | 'shared'>): DecimalText =>
  moneyText(units(direct) + units(shared));

/** What no team is billed: the total less all bills. */
export const unallocated = (
  total: DecimalText,
  bills: readonly Pick<BillAmounts, 'direct' | 'shared'>[],
): DecimalText => moneyText(units(total) - sum(bills.map((bill) => units(fullyLoaded(bill)))));
