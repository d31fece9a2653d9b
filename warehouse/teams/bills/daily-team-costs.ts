import type { ComputedQueries } from '../../spend/compute-spend.ts';
import { firstDay, monthOf, type Day } from '../../../domain/shared/calendar.ts';
import { billsOf, fullyLoaded, splitMetrics } from '../../../domain/teams/bill.ts';
import type { DecimalText } from '../../../domain/shared/decimals.ts';
import { dailyBases } from './bill-basis.ts';
import { STORED_OWNER_DAYS } from '../../spend/scope-day-costs.ts';
import { hasReadIntoDay } from '../../../domain/imports/import-reach.ts';
import { splitDoubts } from '../split-doubts.ts';
import { splitValues } from '../split-values.ts';

/**
 * Returns what each team costs on each day from `start` to `end`, fully loaded: the spend that it owns and its part of every
 * shared cost. It uses today's definitions for all days, so that a team with more spend to own does not seem dearer. Days
 * split like their month. They are left out while a metric that splits it has no value there, or an import has not read so far. The running month and the one
 * before it are stored by day (scope-day-costs.ts).
 */
export async function dailyTeamCosts(
  session: ComputedQueries,
  orgId: string,
  range: { start: Day; end: Day },
  from: 'bill lines' | 'stored days' = 'bill lines',
): Promise<Map<Day, Map<string, DecimalText>>> {
  const bases = await dailyBases(
    session,
    orgId,
    range,
    from === 'stored days' ? STORED_OWNER_DAYS : undefined,
  );
  const metrics = [...new Set([...bases.values()].flatMap(splitMetrics))];
  const months = [...new Set([...bases.keys()].map((day) => firstDay(monthOf(day))))];
  const values = await splitValues(session, orgId, metrics, months);
  const { reachOf, doubtOf } = await splitDoubts(session, orgId, metrics);
  const isRead = (metric: string, day: Day): boolean => {
    const month = monthOf(day);
    if (month < monthOf(range.end)) return doubtOf(metric, month, true) === null;
    const reach = reachOf(metric);
    return reach === null || hasReadIntoDay(reach, day);
  };
  const costs = new Map<Day, Map<string, DecimalText>>();
  for (const [day, basis] of bases) {
    const sums = values.get(monthOf(day))?.sums ?? new Map<string, never>();
    if (metrics.some((metric) => !sums.has(metric) || !isRead(metric, day))) continue;
    costs.set(day, new Map([...billsOf(basis, sums)].map(([team, bill]) => [team, fullyLoaded(bill)])));
  }
  return costs;
}
