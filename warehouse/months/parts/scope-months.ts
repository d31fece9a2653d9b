import { firstDay, monthOf, type Day, type Month } from '../../../domain/shared/calendar.ts';
import { unitsOfFixed, type DecimalText } from '../../../domain/shared/decimals.ts';
import { sideBySide } from '../../../domain/shared/side-by-side.ts';
import type { Derived, OrganisationCache } from '../../engine/cache/derived-cache.ts';
import type { ComputedQueries } from '../../spend/compute-spend.ts';

/** What a scope costs. Months and days without spend are missing. */
export interface ScopeCosts {
  months: Map<Month, DecimalText>;
  /** In units of 10⁻¹⁵, for the running month and the one before it. */
  days: Map<Day, bigint>;
}

/** A scope id is a hash of the scope, and a computation never changes. So only a new computation changes what a scope costs. */
const COSTS: Derived<ScopeCosts> = {
  name: 'costs of a scope',
  from: ['month_computations'],
  bytesOf: ({ months, days }) => (months.size + days.size) * COST_BYTES,
};

const COST_BYTES = 120;

/**
 * Returns the costs of scopes from `first` to `last`, by scope id.
 *
 * @param days the range of days whose costs are wanted, too; null for none.
 */
export async function scopeMonths(
  session: ComputedQueries,
  cache: OrganisationCache,
  orgId: string,
  scopeIds: readonly string[],
  months: { first: Day; last: Day },
  days: { first: Day; last: Day } | null,
): Promise<ReadonlyMap<string, ScopeCosts>> {
  const range = [months.first, months.last, days?.first ?? '', days?.last ?? ''].join();
  const keyOf = (scopeId: string): string => `${scopeId} ${range}`;
  const keys = new Map(scopeIds.map((id) => [keyOf(id), []]));
  const costs = await cache.each(COSTS, keys, async (missing) => {
    const scopes = missing.map((key) => key.slice(0, -range.length - 1));
    const found = new Map(scopes.map((id) => [id, { months: new Map(), days: new Map() }]));
    const parameters = { org: orgId, scopes };
    const [ofMonths, ofDays] = await sideBySide([
      session.query<{ scope_id: string; month: Day; cost: DecimalText }>(MONTHS, {
        ...parameters,
        ...months,
      }),
      days === null
        ? []
        : session.query<{ scope_id: string; day: Day; cost: DecimalText }>(DAYS, {
            ...parameters,
            ...days,
            month: firstDay(monthOf(days.first)),
          }),
    ]);
    for (const { scope_id, month, cost } of ofMonths) found.get(scope_id)?.months.set(monthOf(month), cost);
    for (const { scope_id, day, cost } of ofDays) found.get(scope_id)?.days.set(day, unitsOfFixed(cost));
    return new Map([...found].map(([id, scope]) => [keyOf(id), scope]));
  });
  return new Map(scopeIds.flatMap((id) => [[id, costs.get(keyOf(id)) ?? NO_COSTS] as const]));
}

export const NO_COSTS: ScopeCosts = { months: new Map(), days: new Map() };

const MONTHS = `
SELECT scope_id, month, cost FROM scope_costs JOIN current_computations USING (org_id, month, computation_id)
WHERE org_id = $org AND month BETWEEN $first::DATE AND $last::DATE AND list_contains($scopes, scope_id)`;

const DAYS = `
SELECT scope_id, day, sum(cost) AS cost
FROM scope_day_costs JOIN current_computations USING (org_id, month, computation_id)
WHERE org_id = $org AND month >= $month::DATE AND day BETWEEN $first::DATE AND $last::DATE
  AND list_contains($scopes, scope_id)
GROUP BY scope_id, day`;
