import type { Day, Month } from '../../../domain/shared/calendar.ts';
import type { NaiveChoices } from './naive-choices.ts';
import { lostDays, losesUnit, type Charge } from './naive-lost-units.ts';
import { foundIn, isRefused, type FoundRows } from './naive-rejected.ts';
import type { CollectedLine, FeedRows } from './naive-rows.ts';
import type { Feed, Kind, Step } from '../organisation-story.ts';

// What the files of a load change (docs/data-formats.md).
//
// 1. However many copies of it lie beside them, each row counts once.
// 2. A bill replaces the bill of its billing period. Other files keep the days that they lack, of each feed.
// 3. A day that was read before it had ended is not finished, even if a later load keeps it.
// 4. Assets and usage without spend join the spend of an earlier load, whose time stays. Without one, they mean nothing.

/** A published load, with the values that it collected. */
export interface Load {
  rows: FeedRows;
  /** The days of its spend, in order. */
  days: readonly Day[];
  /** The days of its spend that were read before they had ended, and those of its assets. */
  unfinished: ReadonlySet<Day>;
  unfinishedAssets: ReadonlySet<Day>;
  /** For clusters and hosts: the days from the first to the last, read by it or by an earlier load whose days it keeps. */
  read: ReadonlySet<Day>;
  publishedOn: Day;
}

const NO_ROWS: FeedRows = { lines: [], allocations: [], assets: [], shares: [], spend: [], usage: [] };

/** Returns the rows of a feed: all of them, those of its spend, and those of its second feed. */
function rowsOf(feed: Feed, on: Day, choices: NaiveChoices): FeedRows {
  switch (feed.kind) {
    case 'focus':
      return {
        ...NO_ROWS,
        lines: feed.lines.map((line): CollectedLine => ({ ...line, ...choices.collect(line, on) })),
      };
    case 'opencost':
      return { ...NO_ROWS, allocations: feed.allocations, assets: feed.assets };
    case 'hosts':
      return { ...NO_ROWS, shares: feed.shares };
    case 'ai_tools':
      return { ...NO_ROWS, spend: feed.spend, usage: feed.usage };
  }
}

const mainDays = ({ lines, allocations, shares, spend }: FeedRows): Day[] =>
  [...lines, ...allocations, ...shares, ...spend].map(({ day }) => day).sort();
const secondDays = ({ assets, usage }: FeedRows): Day[] => [...assets, ...usage].map(({ day }) => day);

/** Returns rows with those of days that they lack. */
const withKept = <Row extends { day: Day }>(rows: readonly Row[], before: readonly Row[]): Row[] => [
  ...rows,
  ...before.filter(({ day }) => rows.every((row) => row.day !== day)),
];

const joined = (rows: FeedRows, before: FeedRows): FeedRows => ({
  lines: rows.lines,
  allocations: withKept(rows.allocations, before.allocations),
  assets: withKept(rows.assets, before.assets),
  shares: withKept(rows.shares, before.shares),
  spend: withKept(rows.spend, before.spend),
  usage: withKept(rows.usage, before.usage),
});

const chargesOf = ({ lines, allocations, shares, spend }: FeedRows): Charge[] => [
  ...lines.map(({ day, cloud, account, cost }) => ({ day, cloud, unit: account, cost })),
  ...allocations.map(({ day, cluster, cost }) => ({ day, cloud: null, unit: cluster, cost })),
  ...shares.map(({ day, host, cost }) => ({ day, cloud: null, unit: host, cost })),
  ...spend.map(({ day, tool, cost }) => ({ day, cloud: null, unit: tool, cost })),
];

/** Returns the month's days from the first to the last of `days` that had ended before the load was published. */
const daysRead = (days: readonly Day[], month: Month, publishedOn: Day): Day[] =>
  Array.from({ length: 31 }, (_, index) => `${month}-${`${index + 1}`.padStart(2, '0')}`).filter(
    (day) => day < publishedOn && day >= (days[0] ?? '9') && day <= (days.at(-1) ?? ''),
  );

function isLost(
  kind: Kind,
  before: readonly Charge[],
  after: readonly Charge[],
  isSettled: (month: Month) => boolean,
): boolean {
  const gone = kind === 'focus' ? lostDays(before, after) : [];
  const kept = before.filter(({ day }) => !gone.includes(day));
  const months = new Set(kept.map(({ day }) => day.slice(0, 7)));
  return (
    gone.some((day) => isSettled(day.slice(0, 7))) ||
    [...months].some((month) => isSettled(month) && losesUnit(kept, after, month))
  );
}

/** Returns the load of a month, null if nothing is loaded, with what was rejected; or that the files are refused. */
export function loadOf(
  { on, month, feed }: Extract<Step, { does: 'load' }>,
  { before, found }: { before: Load | undefined; found: readonly FoundRows[] },
  choices: NaiveChoices,
  isSettled: (month: Month) => boolean,
): { load: Load | null; found: FoundRows[] } | 'refused' {
  const { kind, rejected } = feed;
  const own = rowsOf(feed, on, choices);
  const [main, second] = [mainDays(own), secondDays(own)];
  if (isRefused(feed, { main: main.length, second: second.length })) return 'refused';
  const earlier = before?.rows ?? NO_ROWS;
  const rows = joined(own, earlier);
  if (main.length > 0 && isLost(kind, chargesOf(earlier), chargesOf(rows), isSettled)) return 'refused';
  const isLoaded = main.length > 0 || (before !== undefined && second.length > 0);
  const publishedOn = main.length > 0 || before === undefined ? on : before.publishedOn;
  const keptOf = (days: readonly Day[], all: readonly Day[]): Day[] =>
    all.filter((day) => !days.includes(day));
  const reading = {
    kind,
    rejected,
    on,
    month,
    loadedOn: isLoaded ? publishedOn : null,
    main: { read: main, kept: keptOf(main, mainDays(rows)) },
    second: { read: second, kept: keptOf(second, secondDays(rows)) },
  };
  const unfinishedAmong = (feed: Record<'read' | 'kept', Day[]>, earlier?: ReadonlySet<Day>): Set<Day> =>
    new Set([...feed.read.filter((day) => day >= on), ...feed.kept.filter((day) => earlier?.has(day))]);
  const unfinished = unfinishedAmong(reading.main, before?.unfinished);
  const unfinishedAssets = unfinishedAmong(reading.second, before?.unfinishedAssets);
  const ended = daysRead(main, month, on).filter((day) => !unfinished.has(day) && !unfinishedAssets.has(day));
  return {
    found: foundIn(reading, found),
    load: isLoaded
      ? {
          rows,
          publishedOn,
          unfinished,
          unfinishedAssets,
          days: mainDays(rows),
          read: new Set([...ended, ...(before?.read ?? [])]),
        }
      : null,
  };
}
