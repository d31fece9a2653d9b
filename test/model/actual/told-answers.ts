import type { SourceDoubt } from '../../../domain/sources/doubts.ts';
import { expect } from 'vitest';
import { monthRecords, type MonthRecord } from '../../../domain/months/month-record.ts';
import { sealBills } from '../../../warehouse/teams/bills/bill-sealing.ts';
import type { Metric } from '../../../warehouse/metrics/metrics.ts';
import { BREAKDOWN_KEYS, type BreakdownKey } from '../../../warehouse/spend/cost-breakdown.ts';
import { breakdownOf } from '../../support/warehouse/breakdown-of.ts';
import { costsOf } from '../../support/warehouse/costs-of.ts';
import { monthFacts } from '../../../warehouse/months/month-facts.ts';
import { reconciliation } from '../../../warehouse/spend/reconciliation.ts';
import type { Warehouse } from '../../../warehouse/engine/warehouse.ts';
import { decimalUnits } from '../expected/naive-decimals.ts';
import { moneyText } from '../expected/answers/naive-months.ts';
import { ALL_MONTHS } from '../expected/naive-sources.ts';
import type { Organisation } from '../organisation-story.ts';
import { toldBills } from './told-bills.ts';
import { noon, previousStart, type ToldOrganisation } from './told-organisation.ts';

/** Breakdowns that users may read. */
const SOME: readonly (readonly BreakdownKey[])[] = [
  ...BREAKDOWN_KEYS.map((key) => [key]),
  ['day', 'source'],
  ['month', 'account'],
  ['cloud', 'tag'],
  ['account', 'service'],
  ['account', 'resource_group'],
  ['cluster', 'namespace'],
  ['day', 'workload'],
  ['host', 'host_service'],
  ['tool', 'repository'],
  ['month', 'team'],
];

/** Returns the breakdowns to read: by all keys at once, of which all others are sums, and one of {@link SOME}. */
export const breakdownsOf = ({ breakdown }: Organisation): (readonly BreakdownKey[])[] => [
  BREAKDOWN_KEYS,
  SOME[breakdown % SOME.length] ?? [],
];

/** Returns all answers of the product about an organisation, in the form of the naive calculation. */
export async function answered(warehouse: Warehouse, told: ToldOrganisation, organisation: Organisation) {
  const { today, range } = organisation;
  const now = noon(today);
  const { on } = await sealBills(warehouse, told.id, now);
  const summary = await costsOf(warehouse, told.id, { ...range, previousStart: previousStart(range) }, now);
  const settlement = { settleDays: told.stored.settle_days };
  const metrics = told.metrics.filter((metric) => metric !== null);
  const ids = metrics.map(({ id }) => id);
  const [facts, bills] = await warehouse.session(async (session) => [
    await monthFacts(on(session), told.id, ids, {
      newest: ALL_MONTHS.at(-1) ?? '',
      count: ALL_MONTHS.length,
      today,
    }),
    await toldBills(on(session), told.id, told.teams),
  ]);
  const reconciled = await warehouse.session((session) => reconciliation(on(session), told.id, range));
  const breakdowns = await Promise.all(
    breakdownsOf(organisation).map(async (keys) => {
      const rows = await breakdownOf(warehouse, told.id, keys, { ...range, limit: 1000, offset: 0 }, now);
      const sum = rows.reduce((all, { total }) => all + decimalUnits(total, 15), 0n);
      expect(moneyText(sum), `the sum of the breakdown by ${keys.join(' and ')}`).toBe(
        withDecimals(summary.total),
      );
      const named = rows.map((row): [string, string] => {
        const texts = keys.map((key) => {
          const value = row[key] ?? null;
          if (value !== null && key === 'team') return told.teams.nameOf(value);
          return key === 'tag' && value !== null ? `${row['tag_key'] ?? ''}=${value}` : value;
        });
        return [JSON.stringify(texts), row.total];
      });
      return [keys.join(), inOrder(named)] as const;
    }),
  );
  const records = (metric: Metric): MonthRecord[] =>
    monthRecords(facts.get(metric.id) ?? [], metric, settlement, now);
  return {
    metrics: metrics.map((metric) => {
      const months = facts.get(metric.id) ?? [];
      return {
        facts: months.map(
          ({ month, cost, coverage, uncollected, valueSum, valuePeriods, settled, lock }) => ({
            month,
            cost,
            undelivered: coverage.undelivered,
            gaps: coverage.gaps.map(gapOf),
            isUncollected: uncollected.length > 0,
            valueSum,
            valuePeriods,
            settled,
            lock:
              lock === null
                ? null
                : { version: lock.version, cost: lock.cost, value: lock.value, unitCost: lock.unitCost },
          }),
        ),
        records: records(metric).map((record) => ({
          month: record.month,
          ...numbersOf(record),
          status: record.status,
          change_percent: record.change_percent,
          change_basis: record.change_basis,
          cost_change_percent: record.cost_change_percent,
          above_target: record.above_target,
          version: record.version,
          locked:
            record.locked === null ? null : { version: record.locked.version, ...numbersOf(record.locked) },
          ...(record.current === undefined ? {} : { current: numbersOf(record.current) }),
          notes: record.notes.map((words) => /"(.*?)"/.exec(words)?.[1]),
          can_lock: record.can_lock,
          hasReason: record.reason !== null,
        })),
      };
    }),
    promisedLocks: metrics.map((metric) =>
      records(metric).map(({ can_lock, missing }) => ({
        can_lock,
        missing: can_lock === 'without_missing' ? missing.map(({ sentence }) => sentence) : [],
      })),
    ),
    bills,
    completeThrough: summary.completeThrough,
    summary: {
      total: withDecimals(summary.total),
      previousTotal: summary.previousTotal === null ? null : withDecimals(summary.previousTotal),
      bySource: inOrder(Object.entries(summary.bySource)),
      byDay: inOrder(summary.byDay.map(({ day, total }) => [day, total])),
      byAccount: inOrder(
        summary.byAccount.flatMap(({ cloud, account, total, kubernetes, hosts }): [string, string][] => [
          [`${cloud} ${account} cloud`, total],
          [`${cloud} ${account} kubernetes`, kubernetes],
          [`${cloud} ${account} hosts`, hosts],
        ]),
      ),
    },
    breakdowns: Object.fromEntries(breakdowns),
    reconciliation: reconciled
      .map(({ source, name, ...of }): [string, (string | number)[]] => [
        `${source} ${name}`,
        [
          of.reported,
          of.billed,
          of.outside_bills,
          of.difference,
          of.followed_days,
          of.borrowed_days,
          of.ambiguous_days,
          of.unmatched_days,
          of.unmatched,
        ],
      ])
      .filter(([, amounts]) => amounts.some((amount) => /[1-9]/.test(String(amount))))
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  };
}

const numbersOf = ({ cost, value, unit_cost }: Pick<MonthRecord, 'cost' | 'value' | 'unit_cost'>) => ({
  cost,
  value,
  unit_cost,
});

/** Returns the rows with amounts other than 0, sorted by name. */
const inOrder = (rows: readonly [string, string][]): [string, string][] =>
  rows.filter(([, amount]) => /[1-9]/.test(amount)).sort(([a], [b]) => (a < b ? -1 : 1));

const withDecimals = (amount: string): string => moneyText(decimalUnits(amount, 15));

/** Returns the source, and the first and last day that it has not delivered, from the sentence about them. */
function gapOf({ sentence }: SourceDoubt): (string | undefined)[] {
  const [, name, from, through = from] =
    /"(.*?)" has not delivered ([\d-]+)(?: to ([\d-]+))?/.exec(sentence) ?? [];
  return [name, from, through];
}
