import type { ComputedQueries } from '../../spend/compute-spend.ts';
import { firstDay, monthOf, type Day, type Month } from '../../../domain/shared/calendar.ts';
import type { DecimalText } from '../../../domain/shared/decimals.ts';
import { billsOf, splitMetrics, unallocated, type UncollectedPicks } from '../../../domain/teams/bill.ts';
import {
  billStatus,
  missingValues,
  type BillFacts,
  type BillStatus,
} from '../../../domain/teams/bill-status.ts';
import { factsFrom } from '../../../domain/months/shown-months.ts';
import { currentBases } from './bill-basis.ts';
import { sealedBills, type Bill } from './bill-versions.ts';
import type { SourceDoubt } from '../../../domain/sources/doubts.ts';
import { coverageOf, type SourceMonth } from '../../../domain/sources/coverage.ts';
import { sourceMonths } from '../../sources/coverage.ts';
import { splitDoubts } from '../split-doubts.ts';
import { ctes } from '../../engine/sql/cte.ts';
import { SEALED, SETTLED } from './sealed-months.ts';
import { metricNames, splitValues } from '../split-values.ts';
import { uncollectedPicks } from '../uncollected-picks.ts';

export interface MonthBills extends Omit<BillFacts, 'hasBill'> {
  /** The status of the bills that there are. */
  status: BillStatus;
  /** Whether the month settled while there was no team. */
  settledBeforeTeams: boolean;
  /** Whether the month settled by backfill. */
  backfilled: boolean;
  /** Whether the month seals again if its spend, teams or shared costs change. */
  followsToday: boolean;
  /**
   * The bills by team; null while nothing of the month has been delivered. A team that was created after the seal has no bill.
   */
  bills: Map<string, Bill> | null;
  /** The organisation's total so far; null while nothing has been delivered. */
  total: DecimalText | null;
  /** The total less all bills; null while nothing has been delivered. */
  unallocated: DecimalText | null;
  uncollected: UncollectedPicks;
  /** What keeps the month from settling. */
  holdingBack: SourceDoubt[];
  /** What is not certain about its spend. A settled month does not seal meanwhile. */
  doubts: SourceDoubt[];
}

const UNSEALED = {
  version: null,
  sealed_at: null,
  sealed_because: null,
  reason: null,
  sealed_by: null,
};

/**
 * Returns the bills of `count` months up to `newest` and of the one before them, oldest first. Sealed bills are as they were
 * sealed; the others come from today's spend, ownership and values. Due bills must have been sealed (bill-sealing.ts).
 *
 * @param known what sources cover of these months, if the caller has read it already.
 */
export async function monthBills(
  session: ComputedQueries,
  orgId: string,
  { newest, count }: { newest: Month; count: number },
  known?: ReadonlyMap<Month, readonly SourceMonth[]>,
): Promise<MonthBills[]> {
  const range = { org: orgId, first: factsFrom(newest, count), last: firstDay(newest) };
  const sources =
    known ?? (await sourceMonths(session, orgId, { first: monthOf(range.first), last: newest }));
  const rows = await session.query<MonthRow>(MONTHS, range);
  const months = rows.map((row) => {
    const { holdingBack, doubts, lastKnown } = coverageOf(
      monthOf(row.month),
      sources.get(monthOf(row.month)) ?? [],
      null,
    );
    return { ...row, holdingBack, doubts, total: lastKnown.size === 0 ? null : row.total };
  });
  const teams = await session.query<{ id: string }>('SELECT team_id AS id FROM teams WHERE org_id = $org', {
    org: orgId,
  });
  const versions = await sealedBills(session, range);
  const withoutDeleted = (bills = new Map<string, Bill>()): Map<string, Bill> =>
    new Map(
      teams.flatMap(({ id }) => {
        const bill = bills.get(id);
        return bill === undefined ? [] : [[id, bill] as const];
      }),
    );
  const open = months.filter(({ sealed, total }) => !sealed && total !== null);
  const estimates = await estimatedBills(session, orgId, open);
  const unsealed = months.filter(({ sealed }) => !sealed).map(({ month }) => month);
  const uncollectedNow = await uncollectedPicks(session, orgId, unsealed);

  return months.map(({ month: day, settled, sealed, total, uncollected, holdingBack, doubts, ...row }) => {
    const month = monthOf(day);
    const estimate = estimates.get(month);
    const facts = { month, settled, sealed, missing: estimate?.missing ?? [] };
    const bills = sealed ? withoutDeleted(versions.get(month)) : (estimate?.bills ?? null);
    return {
      ...facts,
      status: billStatus({ ...facts, hasBill: true }),
      settledBeforeTeams: row.before_teams,
      backfilled: row.backfilled,
      followsToday: row.follows_today,
      bills,
      total,
      holdingBack,
      doubts,
      uncollected:
        uncollected === null
          ? (uncollectedNow.get(month) ?? {})
          : (JSON.parse(uncollected) as UncollectedPicks),
      unallocated: total === null || bills === null ? null : unallocated(total, [...bills.values()]),
    };
  });
}

interface MonthRow {
  month: Day;
  settled: boolean;
  sealed: boolean;
  before_teams: boolean;
  backfilled: boolean;
  follows_today: boolean;
  total: DecimalText;
  uncollected: string | null;
}

/** Returns the bills of open months by today's spend, ownership and values, and what they wait for, by month. */
async function estimatedBills(
  session: ComputedQueries,
  orgId: string,
  open: readonly Pick<MonthRow, 'month' | 'settled'>[],
): Promise<Map<Month, { bills: Map<string, Bill>; missing: string[] }>> {
  const days = open.map(({ month }) => month);
  const bases = await currentBases(session, orgId, days);
  const metrics = [...new Set([...bases.values()].flatMap(splitMetrics))];
  const values = await splitValues(session, orgId, metrics, days);
  const names = await metricNames(session, orgId, metrics);
  const { doubtOf } = await splitDoubts(session, orgId, metrics);
  const nameOf = (metric: string): string => names.get(metric) ?? metric;
  return new Map(
    open.flatMap(({ month: day, settled }) => {
      const month = monthOf(day);
      const basis = bases.get(month);
      if (basis === undefined) return [];
      const sums = values.get(month)?.sums ?? new Map<string, never>();
      const splitBy = splitMetrics(basis);
      const missing = [
        ...missingValues(month, splitBy.filter((metric) => !sums.has(metric)).map(nameOf)),
        ...splitBy.flatMap((metric) => {
          const doubt = doubtOf(metric, month, settled);
          return doubt === null
            ? []
            : `metric ${JSON.stringify(nameOf(metric))}, by which a shared cost is split, may lack values of ${month}: ${doubt}`;
        }),
      ];
      // Without copies, which would make the lists of shares.
      const bills = new Map(
        [...billsOf(basis, sums)].map(([id, bill]) => [id, Object.assign(bill, UNSEALED)]),
      );
      return [[month, { bills, missing }] as const];
    }),
  );
}

// Spend that arrives after the seal is in the month's total and in no bill, so that it is unallocated.
const MONTHS = `
WITH ${ctes(SETTLED, SEALED)},
months AS (
  SELECT CAST(unnest(generate_series($first::DATE, $last::DATE, INTERVAL 1 MONTH)) AS DATE) AS month),
totals AS (
  SELECT month, sum(cost) AS total FROM month_spend JOIN current_computations USING (org_id, month, computation_id)
  WHERE org_id = $org AND month BETWEEN $first::DATE AND $last::DATE GROUP BY month)
SELECT month, settled_at IS NOT NULL AS settled, COALESCE(NOT with_teams, false) AS before_teams,
  COALESCE(backfilled, false) AS backfilled, COALESCE(follows_today, false) AS follows_today,
  COALESCE(holds, false) AS sealed,
  COALESCE(total, 0::DECIMAL(38,15)) AS total,
  CASE WHEN holds THEN basis->'$.uncollected' END AS uncollected
FROM months LEFT JOIN settled USING (month) LEFT JOIN sealed USING (month) LEFT JOIN totals USING (month)
ORDER BY month`;
