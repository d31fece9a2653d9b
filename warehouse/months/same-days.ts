import { addDays, daysInclusive, firstDay, monthOf, type Day } from '../../domain/shared/calendar.ts';
import { hasReadDay, readThrough, type ImportReach } from '../../domain/imports/import-reach.ts';
import type { ComparedDays } from '../../domain/months/compared-days.ts';
import type { ValueMonths } from '../../domain/metrics/value-months.ts';
import type { DaysFacts, MonthFacts } from '../../domain/months/month-facts.ts';
import {
  decimalUnits,
  MONEY_DECIMALS,
  moneyText,
  valueText,
  type DecimalText,
} from '../../domain/shared/decimals.ts';
import type { OrganisationCache } from '../engine/cache/derived-cache.ts';
import type { ComputedQueries } from '../spend/compute-spend.ts';
import { dailyTeamCosts } from '../teams/bills/daily-team-costs.ts';
import type { Revenue } from './month-revenue.ts';
import { spendOf, type MetricScope } from './parts/metric-scopes.ts';
import { knownThrough, type KnownThrough, type OrganisationMonths } from './parts/organisation-months.ts';
import type { ScopeCosts } from './parts/scope-months.ts';

/** What the running month of a metric is compared by. */
export interface ComparedMetric {
  scope: MetricScope;
  values: ValueMonths;
  costs: ScopeCosts;
  /** What the metric's import has read; null if the metric is not connected. */
  reach: ImportReach | null;
}

/**
 * Adds to each metric's running month the sums of its days so far, and of the same days of the month before. The days run from the
 * 1st to the last complete day: the scope's sources cover every day up to it (known-days.ts), and the values of a daily metric
 * are complete (values-through.ts), and its import has read them. If the month before is shorter, its days run to its end. Nothing is known of days before the
 * metric's first value. A monthly value cannot be cut into days, so that only the cost of these metrics is compared. Months
 * without all their tag or split data are not compared.
 *
 * @param byMetric facts of months up to the running one, oldest first; with the month before it.
 */
export async function putSameDays(
  session: ComputedQueries,
  cache: OrganisationCache,
  orgId: string,
  byMetric: ReadonlyMap<string, readonly MonthFacts[]>,
  compared: readonly ComparedMetric[],
  days: ComparedDays,
  revenue: Revenue,
  organisation: OrganisationMonths,
): Promise<void> {
  const known = await knownThrough(session, cache, orgId, organisation, days);
  const team = compared.some(({ scope }) => scope.team_id !== null)
    ? await teamCosts(session, orgId, { start: days.first, end: days.last })
    : null;
  for (const metric of compared) {
    const facts = byMetric.get(metric.scope.metric_id) ?? [];
    const running = facts.find(({ month }) => month === monthOf(days.last));
    const before = facts.find(({ month }) => month === monthOf(days.first));
    if (running === undefined || running.uncollected.length > 0) continue;
    const range = comparedRange(metric, known.get(spendOf(metric.scope)), days);
    if (range === null) continue;
    const factsOf = (start: Day, end: Day, hasValues: boolean): DaysFacts =>
      daysFacts(metric, start, end, hasValues, { team, revenue });
    running.sameDays = {
      through: range.through,
      now: factsOf(firstDay(running.month), range.through, true),
      before:
        range.isBeforeKnown && before?.uncollected.length === 0
          ? factsOf(days.first, range.beforeThrough, range.hasValuesBefore)
          : null,
    };
  }
}

/** Returns which days of a metric are compared; null if none are complete. */
function comparedRange(
  { scope: { frequency }, values, reach }: ComparedMetric,
  known: KnownThrough | undefined,
  { first, last }: ComparedDays,
) {
  const month = firstDay(monthOf(last));
  if (known === undefined || known.running < month) return null;
  const isDaily = frequency === 'daily';
  const valuesThrough = completeThrough(values, reach);
  if (isDaily && (valuesThrough === null || valuesThrough < month)) return null;
  const through =
    isDaily && valuesThrough !== null && valuesThrough < known.running ? valuesThrough : known.running;
  const sameDay = addDays(first, daysInclusive(month, through) - 1);
  const beforeThrough = sameDay < month ? sameDay : addDays(month, -1);
  return {
    through,
    beforeThrough,
    isBeforeKnown: known.before >= beforeThrough && (reach === null || hasReadDay(reach, beforeThrough)),
    hasValuesBefore: isDaily && values.from !== null && values.from <= first,
  };
}

/** Returns the day through which a metric's values are complete; null without values. The day of an import's run is not over. */
function completeThrough({ through }: ValueMonths, reach: ImportReach | null): Day | null {
  const imported = reach === null ? null : readThrough(reach);
  return through !== null && imported !== null && imported < through ? imported : through;
}

type TeamCosts = (teamId: string, start: Day, end: Day) => DecimalText | null;

function daysFacts(
  { scope, values, costs }: ComparedMetric,
  start: Day,
  end: Day,
  hasValues: boolean,
  { team, revenue }: { team: TeamCosts | null; revenue: Revenue },
): DaysFacts {
  const value = sumWithin(values.days, start, end);
  return {
    cost:
      scope.team_id === null
        ? moneyText(sumWithin(costs.days, start, end).sum)
        : (team?.(scope.team_id, start, end) ?? null),
    valueSum:
      !hasValues || value.days === 0
        ? null
        : scope.kind === 'revenue'
          ? revenue.sum(scope.metric_id, start, end)
          : valueText(value.sum),
    valuePeriods: value.days,
  };
}

/** Adds up the days of a range. A loop without copies, because an overview of a thousand metrics adds up four ranges of each. */
function sumWithin(units: ReadonlyMap<Day, bigint>, start: Day, end: Day): { sum: bigint; days: number } {
  const found = { sum: 0n, days: 0 };
  for (const [day, ofDay] of units) {
    if (day < start || day > end) continue;
    found.sum += ofDay;
    found.days += 1;
  }
  return found;
}

/** Returns what each team costs over some days, by today's definitions; null if a day is not known. */
async function teamCosts(
  session: ComputedQueries,
  orgId: string,
  range: { start: Day; end: Day },
): Promise<TeamCosts> {
  const days = await dailyTeamCosts(session, orgId, range, 'stored days');
  return (teamId, start, end) => {
    let sum = 0n;
    for (let day = start; day <= end; day = addDays(day, 1)) {
      const cost = days.get(day)?.get(teamId);
      if (cost === undefined) return null;
      sum += decimalUnits(cost, MONEY_DECIMALS);
    }
    return moneyText(sum);
  };
}
