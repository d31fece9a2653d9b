import { SPEND_SOURCES, type SpendSource } from '../../domain/sources/spend-sources.ts';
import { addMonths, firstDay, lastDay, monthOf, type Day } from '../shared/calendar.ts';

/** Money of the running month so far, and of the same days of the month before. */
export interface SameDays {
  now: number;
  before: number;
  change_percent: number | null;
}

/** Spend of the running month against the same days of the month before. */
export interface MonthSpend {
  /** The last day that counts; null if nothing of the running month has arrived. */
  through: Day | null;
  /** Whether every source has delivered all days up to there. */
  isComplete: boolean;
  total: SameDays;
  bySource: Record<SpendSource, SameDays>;
}

/** The answer of `GET /costs/breakdown` by day and source. */
interface Breakdown {
  data: readonly { total: number; day?: unknown; source?: unknown }[];
  complete_through: Day | null;
}

/**
 * Compares the running month with the same days of the month before. Only days count up to which all sources have delivered,
 * or else the days with any spend, so that a late bill does not look like savings.
 */
export function monthSpendOf({ data, complete_through }: Breakdown, today: Day): MonthSpend {
  const month = monthOf(today);
  const rows = data.map(({ day, source, total }) => ({ day: String(day), source, total }));
  const isComplete = complete_through !== null && monthOf(complete_through) === month;
  const through = isComplete
    ? complete_through
    : rows.reduce<Day | null>(
        (last, { day }) => (monthOf(day) === month && (last === null || day > last) ? day : last),
        null,
      );
  const sameDay = sameDayBefore(through ?? firstDay(month));
  const of = (source: SpendSource | null): SameDays => {
    const wanted = rows.filter((row) => source === null || row.source === source);
    const sum = (from: Day, to: Day | null): number =>
      wanted.reduce(
        (all, { day, total }) => (to !== null && day >= from && day <= to ? all + total : all),
        0,
      );
    const now = sum(firstDay(month), through);
    const before = sum(firstDay(monthOf(sameDay)), through === null ? null : sameDay);
    return { now, before, change_percent: before === 0 ? null : ((now - before) / Math.abs(before)) * 100 };
  };
  const bySource = Object.fromEntries(SPEND_SOURCES.map((source) => [source, of(source)]));
  return { through, isComplete, total: of(null), bySource: bySource as Record<SpendSource, SameDays> };
}

/** Returns this day in the month before; its last day if that month is shorter. */
function sameDayBefore(day: Day): Day {
  const before = addMonths(monthOf(day), -1);
  const same = `${before}${day.slice(7)}`;
  return same > lastDay(before) ? lastDay(before) : same;
}
