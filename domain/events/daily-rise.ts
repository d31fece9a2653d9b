import Big from 'big.js';
import { addDays, daysInclusive, type Day } from '../shared/calendar.ts';
import { quotient } from '../shared/decimals.ts';
import { UNIT_COST_DECIMALS } from '../months/month-numbers.ts';

/** How far above its own history a day must be: both in percent of the median and in median absolute deviations. */
export interface RiseRule {
  percent: number;
  deviations: number;
}

export const DEFAULT_RISE_RULE: RiseRule = { percent: 20, deviations: 4 };

/** Recorded days that a day is compared with, those just before it; with fewer than the least it is not judged. */
const HISTORY_DAYS = 28;
const LEAST_HISTORY = 14;

/** Values may come late and several at once: so many of the newest recorded days are judged, each on its own. */
const JUDGED_DAYS = 7;

const DAYS_OF_WEEK = 7;

/** A day that lies further back is history and no news: whoever uploads last year is not told of last year. */
const NEWS_DAYS = 35;

/** How many recorded days it takes: those judged, a week before them, and the history of its first day. */
export const RECORDED_DAYS = JUDGED_DAYS + DAYS_OF_WEEK + HISTORY_DAYS;

/** A day of a daily metric that has both a cost and a value. */
export interface RecordedDay {
  day: Day;
  unitCost: Big;
}

/** A day on which the unit cost rose; `expected` is the median of the days it was compared with. */
export interface Rise extends RecordedDay {
  expected: Big;
}

/**
 * The days on which a rise begins: days well above their own history to which no rise lasts. A rise that lasts is told once,
 * on its first day (spec §6). Median and median absolute deviation are hardly moved by single outliers; where the history
 * does not vary at all, the percentage alone decides.
 *
 * A day must stand above the same weekdays of its history by the same rule as above all of it: a shop that sells little on
 * Saturdays has a high unit cost each Saturday, and that is no news. A history without that weekday decides alone.
 *
 * @param days the last {@link RECORDED_DAYS} recorded days, oldest first.
 */
export const risesBegun = (days: readonly RecordedDay[], rule: RiseRule, today: Day): Rise[] => {
  const since = addDays(today, -NEWS_DAYS);
  const judgedFrom = Math.max(0, days.length - JUDGED_DAYS);
  const rises: Rise[] = [];
  for (let index = judgedFrom; index < days.length; index += 1) {
    const standing = standingOf(days, index, rule);
    if (standing === null || !isRise(standing) || standing.day < since) continue;
    const { day, unitCost, expected } = standing;
    if (!hasLastedTo(days, index, rule)) rises.push({ day, unitCost, expected });
  }
  return rises;
};

/** A day beside its history: whether it stands above all of it, and above the same weekdays. */
interface Standing extends Rise {
  aboveAll: boolean;
  aboveWeekday: boolean;
}

const isRise = ({ aboveAll, aboveWeekday }: Standing): boolean => aboveAll && aboveWeekday;

/**
 * Whether a rise lasts to a day: the weekday of the week before rose, or a day of the run before it did. The run goes back
 * through days that stand above all of their history or above the same weekdays. So it spans weekends that are ordinarily
 * cheap and rise too, and weekends that are ordinarily dear and do not rise.
 */
const hasLastedTo = (days: readonly RecordedDay[], index: number, rule: RiseRule): boolean => {
  const judged = days[index];
  if (judged === undefined) return false;
  const weekBefore = addDays(judged.day, -DAYS_OF_WEEK);
  let isRun = true;
  for (let before = index - 1; before >= 0 && before >= index - DAYS_OF_WEEK; before -= 1) {
    const standing = standingOf(days, before, rule);
    isRun &&= standing !== null && (standing.aboveAll || standing.aboveWeekday);
    if (standing !== null && isRise(standing) && (isRun || standing.day === weekBefore)) return true;
  }
  return false;
};

const standingOf = (days: readonly RecordedDay[], index: number, rule: RiseRule): Standing | null => {
  const judged = days[index];
  const history = days.slice(Math.max(0, index - HISTORY_DAYS), Math.max(0, index));
  if (judged === undefined || history.length < LEAST_HISTORY) return null;
  const weekday = weekdayOf(judged.day);
  const sameWeekdays = history.filter(({ day }) => weekdayOf(day) === weekday);
  const aboveAll = standsAbove(judged, history, rule);
  return {
    ...judged,
    expected: median(costsOf(history)),
    aboveAll,
    aboveWeekday: sameWeekdays.length === 0 ? aboveAll : standsAbove(judged, sameWeekdays, rule),
  };
};

const standsAbove = (judged: RecordedDay, others: readonly RecordedDay[], rule: RiseRule): boolean => {
  const costs = costsOf(others);
  const expected = median(costs);
  const deviation = median(costs.map((unitCost) => unitCost.minus(expected).abs()));
  const above = judged.unitCost.minus(expected);
  return (
    above.gt(0) &&
    above.times(100).gte(expected.abs().times(rule.percent)) &&
    above.gte(deviation.times(rule.deviations))
  );
};

const costsOf = (days: readonly RecordedDay[]): Big[] => days.map(({ unitCost }) => unitCost);

const weekdayOf = (day: Day): number => daysInclusive('1970-01-01', day) % DAYS_OF_WEEK;

const median = (values: readonly Big[]): Big => {
  const sorted = [...values].sort((a, b) => a.cmp(b));
  const upper = sorted[Math.floor(sorted.length / 2)] ?? Big(0);
  const lower = sorted[Math.ceil(sorted.length / 2) - 1] ?? upper;
  return quotient(lower.plus(upper), Big(2), UNIT_COST_DECIMALS);
};
