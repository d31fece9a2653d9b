import type { Day } from '../../../../domain/shared/calendar.ts';
import type { SpendPick } from '../../../../domain/spend/spend-pick.ts';
import { changeInPercent, names, numbersOf, type Numbers } from './naive-months.ts';
import type { NaiveMetric, NaiveOrganisation } from '../naive-organisation.ts';
import { lastDayOf } from '../naive-sources.ts';
import type { Spent } from '../naive-spend.ts';
import type { Kind, StoryValue } from '../../organisation-story.ts';

/** Returns the change of a month from the month before, or of the running month from its same days. */
export const changes = (basis: 'month' | 'same_days', before: Numbers | null, after: Numbers | null) => ({
  change_percent: changeInPercent(before?.unitCost ?? null, after?.unitCost ?? null),
  change_basis: basis,
  cost_change_percent: changeInPercent(before?.cost ?? null, after?.cost ?? null),
});

const KIND = { cloud: 'focus', kubernetes: 'opencost', host: 'hosts', repository: 'ai_tools' } as const;
const kindsOf = (picks: readonly SpendPick[] | null): Kind[] | null =>
  picks === null ? null : picks.map(({ source }) => KIND[source]);

/** Returns the days of a month from its first day to `through`. */
const daysThrough = (through: Day): Day[] =>
  Array.from(
    { length: Number(through.slice(8)) },
    (_, index) => `${through.slice(0, 8)}${(index + 1).toString().padStart(2, '0')}`,
  );

/** Returns the same day of another month, or that month's last day. */
function sameDay(day: Day, month: string): Day {
  const same = `${month}-${day.slice(8)}`;
  return same > lastDayOf(month) ? lastDayOf(month) : same;
}

const DAY_MS = 86_400_000;

/** Returns whether a day has a value of each label that had one in the seven days before. */
function hasAllLabels(day: Day, values: readonly StoryValue[]): boolean {
  const before = values.filter(({ period }) => {
    const age = Date.parse(day) - Date.parse(period);
    return age > 0 && age <= 7 * DAY_MS;
  });
  return before.every(({ label }) => values.some((one) => one.period === day && one.label === label));
}

/**
 * Returns the running month's change from the same days of the month before. Its days begin with the first, and end before the
 * first day that is not over or whose spend is unknown. For a daily metric, they also end before the first day whose values
 * are not complete. Monthly values are not compared.
 */
export function sameDaysChange(
  naive: NaiveOrganisation,
  metric: NaiveMetric,
  { today, before, isUncollected }: { today: Day; before: string; isUncollected: boolean },
  spent: readonly Spent[],
) {
  const nothing = changes('same_days', null, null);
  const { team, frequency } = metric.definition;
  const kinds = kindsOf(metric.picks);
  const values = [...metric.values.values()];
  let through: Day | null = null;
  for (const day of daysThrough(today)) {
    const hasValue =
      frequency === 'monthly' ||
      values.some(({ period }) => period > day) ||
      (values.some(({ period }) => period === day) && hasAllLabels(day, values));
    const isUnread = frequency === 'daily' && metric.import.isBehind(day);
    if (day === today || !hasValue || isUnread || !naive.sources.isKnown(day, kinds)) break;
    through = day;
  }
  if (through === null || isUncollected) return nothing;
  const isBegun = values.some(({ period }) => period <= `${before}-01`);
  const numbersThrough = (last: Day): Numbers | null => {
    const days = daysThrough(last);
    const costs = days.map((day) =>
      team === null
        ? spent
            .filter((one) => one.day === day)
            .filter((one) => metric.picks === null || metric.picks.some((pick) => names(pick, one)))
            .reduce((sum, { units }) => sum + units, 0n)
        : naive.bills.ofDay(day, team, spent, today),
    );
    const cost = costs.reduce((sum, one) => (sum === null || one === null ? null : sum + one), 0n);
    // Before the metric's first value, values are unknown.
    const hasValues = frequency === 'daily' && (isBegun || last.startsWith(today.slice(0, 7)));
    const counted = hasValues ? values.filter(({ period }) => days.includes(period)) : [];
    return numbersOf(cost, counted, metric.definition);
  };
  const beforeThrough = sameDay(through, before);
  const isBeforeKnown =
    daysThrough(beforeThrough).every((day) => naive.sources.isKnown(day, kinds)) &&
    metric.import.hasRead(beforeThrough);
  return isBeforeKnown
    ? changes('same_days', numbersThrough(beforeThrough), numbersThrough(through))
    : nothing;
}
