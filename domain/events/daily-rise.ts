import Big from 'big.js';
import { addDays, daysInclusive, type Day } from '../shared/calendar.ts';
import { quotient } from '../shared/decimals.ts';
import { UNIT_COST_DECIMALS } from '../months/month-numbers.ts';

/** How far a day must stand above its history: both in percent of the median and in median absolute deviations. */
export interface RiseRule {
  percent: number;
  deviations: number;
}

export const DEFAULT_RISE_RULE: RiseRule = { percent: 20, deviations: 4 };

/** How many recorded days just before it a day is compared with. With fewer than the least it is not checked. */
const HISTORY_DAYS = 28;
const LEAST_HISTORY = 14;

/** How many of the newest recorded days are checked, each on its own. Values may come late, and several at once. */
const CHECKED_DAYS = 7;

const DAYS_OF_WEEK = 7;

/** Days further back raise no event, so that an upload of last year's values raises none. */
const NEWS_DAYS = 35;

/** How many recorded days a check needs: the checked days, a week before them, and the history of that week's first day. */
export const RECORDED_DAYS = CHECKED_DAYS + DAYS_OF_WEEK + HISTORY_DAYS;

/** A day of a daily metric with both a cost and a value. */
export interface RecordedDay {
  day: Day;
  unitCost: Big;
}

/** A day on which the unit cost rose. `expected` is the median of the days that it was compared with. */
export interface Rise extends RecordedDay {
  expected: Big;
}

/**
 * Returns the days on which a rise begins: days well above their own history to which no earlier rise lasts. So a lasting rise
 * raises one event, on its first day (docs/concepts.md#events-and-webhooks). Single outliers hardly move the median and the
 * median absolute deviation. If the history does not vary at all, the percentage alone decides.
 *
 * By the same rule a day must stand above the same weekdays of its history. A shop that sells little on Saturdays has a high unit
 * cost each Saturday, which is no news. If the history lacks that weekday, the whole history decides alone.
 *
 * @param days the last {@link RECORDED_DAYS} recorded days, oldest first.
 */
export function risesBegun(days: readonly RecordedDay[], rule: RiseRule, today: Day): Rise[] {
  const since = addDays(today, -NEWS_DAYS);
  const checkedFrom = Math.max(0, days.length - CHECKED_DAYS);
  const rises: Rise[] = [];
  for (let index = checkedFrom; index < days.length; index += 1) {
    const standing = standingOf(days, index, rule);
    if (standing === null || !isRise(standing) || standing.day < since) continue;
    const { day, unitCost, expected } = standing;
    if (!hasLastedTo(days, index, rule)) rises.push({ day, unitCost, expected });
  }
  return rises;
}

/** A day compared with its history: whether it stands above all of it, and above the same weekdays. */
interface Standing extends Rise {
  aboveAll: boolean;
  aboveWeekday: boolean;
}

const isRise = ({ aboveAll, aboveWeekday }: Standing): boolean => aboveAll && aboveWeekday;

/**
 * Whether an earlier rise lasts to a day: the weekday of the week before rose, or a day of the run before it did. The run goes
 * back through days that stand above all of their history or above the same weekdays. So it spans rising weekends that are
 * ordinarily cheap, and ordinarily dear weekends that do not rise.
 */
function hasLastedTo(days: readonly RecordedDay[], index: number, rule: RiseRule): boolean {
  const checked = days[index];
  if (checked === undefined) return false;
  const weekBefore = addDays(checked.day, -DAYS_OF_WEEK);
  let isRun = true;
  for (let before = index - 1; before >= 0 && before >= index - DAYS_OF_WEEK; before -= 1) {
    const standing = standingOf(days, before, rule);
    isRun &&= standing !== null && (standing.aboveAll || standing.aboveWeekday);
    if (standing !== null && isRise(standing) && (isRun || standing.day === weekBefore)) return true;
  }
  return false;
}

function standingOf(days: readonly RecordedDay[], index: number, rule: RiseRule): Standing | null {
  const checked = days[index];
  const history = days.slice(Math.max(0, index - HISTORY_DAYS), Math.max(0, index));
  if (checked === undefined || history.length < LEAST_HISTORY) return null;
  const weekday = weekdayOf(checked.day);
  const sameWeekdays = history.filter(({ day }) => weekdayOf(day) === weekday);
  const aboveAll = standsAbove(checked, history, rule);
  return {
    ...checked,
    expected: median(costsOf(history)),
    aboveAll,
    aboveWeekday: sameWeekdays.length === 0 ? aboveAll : standsAbove(checked, sameWeekdays, rule),
  };
}

function standsAbove(checked: RecordedDay, others: readonly RecordedDay[], rule: RiseRule): boolean {
  const costs = costsOf(others);
  const expected = median(costs);
  const deviation = median(costs.map((unitCost) => unitCost.minus(expected).abs()));
  const above = checked.unitCost.minus(expected);
  return (
    above.gt(0) &&
    above.times(100).gte(expected.abs().times(rule.percent)) &&
    above.gte(deviation.times(rule.deviations))
  );
}

const costsOf = (days: readonly RecordedDay[]): Big[] => days.map(({ unitCost }) => unitCost);

const weekdayOf = (day: Day): number => daysInclusive('1970-01-01', day) % DAYS_OF_WEEK;

function median(values: readonly Big[]): Big {
  const sorted = [...values].sort((a, b) => a.cmp(b));
  const upper = sorted[Math.floor(sorted.length / 2)] ?? Big(0);
  const lower = sorted[Math.ceil(sorted.length / 2) - 1] ?? upper;
  return quotient(lower.plus(upper), Big(2), UNIT_COST_DECIMALS);
}
