import { monthOf, type Day, type Month } from '../domain/calendar.ts';
import { moneyText, type DecimalText } from '../domain/decimals.ts';
import type { BillBasis } from '../domain/bill.ts';
import type { SpendSource } from '../domain/spend-source.ts';
import { OWNERS } from './ownership.ts';
import type { Session } from './session.ts';
import { listSharedCosts } from './shared-costs.ts';

/**
 * What the bills of some months (their first days) are made of today: one statement for all teams, shared costs and
 * months; spend must have been computed before (month-computation.ts).
 */
export const currentBases = async (
  session: Session,
  orgId: string,
  months: readonly Day[],
): Promise<Map<Month, BillBasis>> => {
  if (months.length === 0) return new Map();
  const teams = await session.query<{ id: string }>(
    'SELECT team_id AS id FROM teams WHERE org_id = $org ORDER BY team_id',
    { org: orgId },
  );
  const sharedCosts = await listSharedCosts(session, orgId);
  const rows = await session.query<{
    month: Day;
    user_type: 'team' | 'shared cost';
    user_id: string;
    owned_source: SpendSource;
    cost: DecimalText;
  }>(OWNED_SPEND, { org: orgId, months });
  const owned = new Map<string, Partial<Record<SpendSource, DecimalText>>>();
  const covered = new Map<string, DecimalText>();
  for (const { month, user_type, user_id, owned_source, cost } of rows) {
    const at = `${monthOf(month)} ${user_id}`;
    if (user_type === 'team') owned.set(at, { ...owned.get(at), [owned_source]: cost });
    else covered.set(at, cost);
  }
  return new Map(
    months.map(monthOf).map((month) => [
      month,
      {
        teams: teams.map(({ id }) => ({ id, by_source: owned.get(`${month} ${id}`) ?? {} })),
        shared_costs: sharedCosts.map(({ id, name, split }) => ({
          id,
          name,
          amount: covered.get(`${month} ${id}`) ?? moneyText(0n),
          split,
        })),
      },
    ]),
  );
};

// A shared cost's sources are of no interest: it has one sum.
const OWNED_SPEND = `
WITH spend AS (
  SELECT month, keys, cost FROM month_spend JOIN current_computations USING (org_id, month, computation_id)
  WHERE org_id = $org AND list_contains($months::DATE[], month)),
${OWNERS}
SELECT month, user_type, user_id, CASE WHEN user_type = 'team' THEN owned_source END AS owned_source, sum(cost) AS cost
FROM spend JOIN owners USING (keys) GROUP BY ALL`;
