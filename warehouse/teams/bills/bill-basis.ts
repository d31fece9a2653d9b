import type { ComputedQueries } from '../../spend/compute-spend.ts';
import { addDays, daysInclusive, monthOf, type Day, type Month } from '../../../domain/shared/calendar.ts';
import { moneyText, type DecimalText } from '../../../domain/shared/decimals.ts';
import type { BillBasis, SealedBasis } from '../../../domain/teams/bill.ts';
import type { SpendSource } from '../../../domain/sources/spend-sources.ts';
import { cte } from '../../engine/sql/cte.ts';
import { DAILY_SPEND } from '../../spend/daily-spend.ts';
import { ownedSpend } from '../../spend/picks/ownership.ts';
import { SHARED_COSTS } from '../shared-costs.ts';
import { uncollectedPicks } from '../uncollected-picks.ts';

/**
 * Returns today's basis of the bills of some months (their first days). One statement reads all teams, shared costs and months.
 */
export async function currentBases(
  session: ComputedQueries,
  orgId: string,
  months: readonly Day[],
): Promise<Map<Month, BillBasis>> {
  if (months.length === 0) return new Map();
  const bases = await basesOf(session, orgId, months, ownedSpend('month', MONTH_SPEND), { months });
  return new Map([...bases].map(([month, basis]) => [monthOf(month), basis]));
}

/** Returns today's basis of the bills of some months, with the tags and splits that are not collected, as a seal keeps it. */
export async function currentSealBases(
  session: ComputedQueries,
  orgId: string,
  months: readonly Day[],
): Promise<Map<Month, SealedBasis>> {
  const bases = await currentBases(session, orgId, months);
  const uncollected = await uncollectedPicks(session, orgId, months);
  return new Map(
    [...bases].map(([month, basis]) => [month, { ...basis, uncollected: uncollected.get(month) ?? {} }]),
  );
}

/** Returns the basis of every day from `start` to `end`, by today's teams and shared costs or by stored days. */
export const dailyBases = (
  session: ComputedQueries,
  orgId: string,
  { start, end }: { start: Day; end: Day },
  statement = ownedSpend('day', DAILY_SPEND),
): Promise<Map<Day, BillBasis>> =>
  basesOf(
    session,
    orgId,
    Array.from({ length: daysInclusive(start, end) }, (_, index) => addDays(start, index)),
    statement,
    { start, end },
  );

async function basesOf(
  session: ComputedQueries,
  orgId: string,
  periods: readonly Day[],
  statement: string,
  parameters: Record<string, Day | readonly Day[]>,
): Promise<Map<Day, BillBasis>> {
  const teams = await session.query<{ id: string }>(
    'SELECT team_id AS id FROM teams WHERE org_id = $org ORDER BY team_id',
    { org: orgId },
  );
  const sharedCosts = await SHARED_COSTS.list(session, orgId);
  const rows = await session.query<{
    period: Day;
    user_type: 'team' | 'shared cost';
    user_id: string;
    owned_source: SpendSource;
    cost: DecimalText;
  }>(statement, { org: orgId, ...parameters });
  const owned = new Map<string, Partial<Record<SpendSource, DecimalText>>>();
  const covered = new Map<string, DecimalText>();
  for (const { period, user_type, user_id, owned_source, cost } of rows) {
    const at = `${period} ${user_id}`;
    if (user_type === 'team') owned.set(at, { ...owned.get(at), [owned_source]: cost });
    else covered.set(at, cost);
  }
  return new Map(
    periods.map((period) => [
      period,
      {
        teams: teams.map(({ id }) => ({ id, by_source: owned.get(`${period} ${id}`) ?? {} })),
        shared_costs: sharedCosts.map(({ id, name, split }) => ({
          id,
          name,
          amount: covered.get(`${period} ${id}`) ?? moneyText(0n),
          split,
        })),
      },
    ]),
  );
}

const MONTH_SPEND = cte({
  name: 'spend',
  sql: `SELECT month, keys, cost FROM month_spend JOIN current_computations USING (org_id, month, computation_id)
  WHERE org_id = $org AND list_contains($months::DATE[], month)`,
});
