import type { Day, Month } from '../../../domain/shared/calendar.ts';
import type { Feed, RejectedRow } from '../organisation-story.ts';

// Rows that could not be read, and the months that they keep in doubt (docs/concepts.md, When a month waits).
//
// 1. A row belongs to the months of its days, else to the month of its billing period. If neither can be read, it can belong to
//    each billing period that the reading has loaded.
// 2. Once its billing period is loaded again, its doubt ends. A period of which no row could be read is not loaded: its doubts
//    stay beside those of its load, until a load of it.
// 3. Bills aside, a load keeps days that it has not read. It keeps what was rejected of them, too: of a day that it has neither
//    rows nor rejected rows of, and of rows without a day if it keeps any day.
// 4. Assets and usage only count beside spend. Without a load of their billing period, their rejected rows mean nothing.

/** What a rejected row says about a month. */
interface Finding {
  isOfSecond: boolean;
  month: Month;
  /** Null for bills, and if it cannot be read. */
  day: Day | null;
}

/** The findings of a billing period, by a load of it or by a reading that could load nothing of it. */
export interface FoundRows {
  period: Month;
  on: Day;
  isLoad: boolean;
  findings: readonly Finding[];
}

/** The days of one feed: in the rows of a reading, and in those that its load keeps. */
interface FeedDays {
  read: readonly Day[];
  kept: readonly Day[];
}

/** A reading of a source's files of one month. */
interface Reading {
  kind: Feed['kind'];
  rejected: readonly RejectedRow[];
  on: Day;
  month: Month;
  /** The day of the load of the month; null if nothing was loaded. */
  loadedOn: Day | null;
  main: FeedDays;
  second: FeedDays;
}

/** Returns the findings that count for a billing period: of its last load, and of the last reading since then. */
function current(found: readonly FoundRows[], period: Month): { ofLoad: Finding[]; unread: Finding[] } {
  const ofPeriod = found.filter((one) => one.period === period);
  const load = ofPeriod.findLastIndex(({ isLoad }) => isLoad);
  const unread = ofPeriod.slice(load + 1).at(-1);
  return { ofLoad: [...(ofPeriod[load]?.findings ?? [])], unread: [...(unread?.findings ?? [])] };
}

/** Returns whether rows that could not be read leave a month in doubt. */
export const isDoubted = (found: readonly FoundRows[], month: Month): boolean =>
  found.some(({ period }) => {
    const { ofLoad, unread } = current(found, period);
    return [...ofLoad, ...unread].some((finding) => finding.month === month);
  });

const monthOf = (day: Day): Month => day.slice(0, 7);

function monthsFrom(first: Month, last: Month): Month[] {
  const [year = 0, month = 0] = first.split('-').map(Number);
  const next = new Date(Date.UTC(year, month)).toISOString().slice(0, 7);
  return first >= last ? [first] : [first, ...monthsFrom(next, last)];
}

/** Returns what a reading finds, by billing period. */
export function foundIn(reading: Reading, earlier: readonly FoundRows[]): FoundRows[] {
  const { kind, rejected, on, month, loadedOn, main, second } = reading;
  const isBill = kind === 'focus';
  const isLoaded = (period: Month): boolean =>
    (period === month && loadedOn !== null) || earlier.some((one) => one.period === period && one.isLoad);
  const found = rejected
    .flatMap(({ isOfSecond, days, period }): (Finding & { period: Month })[] => {
      if (days === null && period === null)
        return loadedOn === null ? [] : [{ isOfSecond, month, period: month, day: null }];
      const own = period ?? monthOf(days?.[0] ?? '');
      const months = days === null ? [own] : monthsFrom(monthOf(days[0]), monthOf(days[1]));
      const day = isBill ? null : (days?.[0] ?? null);
      return months.map((one) => ({ isOfSecond, month: one, period: own, day }));
    })
    .filter(({ isOfSecond, period }) => !isOfSecond || isLoaded(period));
  const isFoundAgain = (finding: Finding, period: Month): boolean =>
    found.some(
      (one) =>
        one.period === period &&
        one.isOfSecond === finding.isOfSecond &&
        one.month === finding.month &&
        one.day === finding.day,
    );
  const isKept = ({ isOfSecond, day }: Finding): boolean => {
    const { read, kept } = isOfSecond ? second : main;
    const isRejected = rejected.some((row) => row.isOfSecond === isOfSecond && row.days?.[0] === day);
    return day === null ? kept.length > 0 : !read.includes(day) && !isRejected;
  };
  const periods = new Set([...(loadedOn === null ? [] : [month]), ...found.map(({ period }) => period)]);
  return [...periods].map((period): FoundRows => {
    const own = found.filter((one) => one.period === period);
    const { ofLoad, unread } = current(earlier, period);
    if (period === month && loadedOn !== null) {
      const kept = isBill ? [] : [...ofLoad, ...unread].filter(isKept);
      return { period, on: loadedOn, isLoad: true, findings: [...own, ...kept] };
    }
    const kept = unread.filter((finding) => !isFoundAgain(finding, period));
    return { period, on, isLoad: false, findings: [...own, ...kept] };
  });
}

/** Returns whether a feed is refused because more than one row in a hundred cannot be read. */
export const isRefused = (
  { rejected, isMostlyReadable }: Feed,
  rows: { main: number; second: number },
): boolean =>
  (['main', 'second'] as const).some((feed) => {
    const unreadable = rejected.filter(({ isOfSecond }) => isOfSecond === (feed === 'second')).length;
    const readable = rows[feed];
    return unreadable > 0 && (readable === 0 || (!isMostlyReadable && unreadable * 99 > readable));
  });
