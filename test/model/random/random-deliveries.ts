import fc from 'fast-check';
import type { Day, Month } from '../../../domain/shared/calendar.ts';
import type { Delivery, Feed, FileCopy, Kind, RejectedRow } from '../organisation-story.ts';

/** Few days, so that rows meet: first and last days of months, and future days of the running month. */
export const SPEND_DAYS: Readonly<Record<Month, readonly Day[]>> = {
  '2025-12': ['2025-12-30', '2025-12-31'],
  '2026-01': ['2026-01-01', '2026-01-02', '2026-01-31'],
  '2026-02': ['2026-02-01', '2026-02-10', '2026-02-20'],
};
export const SPEND_MONTHS = Object.keys(SPEND_DAYS);

/** Any day, because a file of one month may have a row of another that cannot be read. */
const day = fc.constantFrom(...Object.values(SPEND_DAYS).flat());

const oneDay = day.map((of): RejectedRow['days'] => [of, of]);
const someDays = fc.tuple(day, day).map(([a, b]): RejectedRow['days'] => (a < b ? [a, b] : [b, a]));

const rejectedRow = (kind: Kind, month: Month): fc.Arbitrary<RejectedRow> =>
  fc.record({
    isOfSecond: kind === 'opencost' || kind === 'ai_tools' ? fc.boolean() : fc.constant(false),
    days: fc.oneof(
      { weight: 3, arbitrary: oneDay },
      { weight: 1, arbitrary: kind === 'focus' ? someDays : oneDay },
      { weight: 1, arbitrary: fc.constant(null) },
    ),
    period: kind === 'focus' ? fc.constantFrom(month, month, ...SPEND_MONTHS, null) : fc.constant(null),
    lacks: fc.constantFrom('amount', 'amount', 'name'),
  });

const fileCopy = (kind: Kind, month: Month): fc.Arbitrary<FileCopy> =>
  fc.oneof(
    { weight: 2, arbitrary: fc.record({ of: fc.constant('all' as const), isCompressed: fc.boolean() }) },
    { weight: 2, arbitrary: fc.record({ through: fc.constantFrom(...(SPEND_DAYS[month] ?? [])) }) },
    ...(kind === 'focus'
      ? [{ weight: 2, arbitrary: fc.record({ account: fc.constantFrom('1111', 'sub-1') }) }]
      : []),
  );

const rarely = <Item>(times: number, item: fc.Arbitrary<Item>, most: number): fc.Arbitrary<Item[]> =>
  fc.oneof(
    { weight: times, arbitrary: fc.constant<Item[]>([]) },
    { weight: 1, arbitrary: fc.array(item, { minLength: 1, maxLength: most }) },
  );

/** How the rows of a load lie in files. Most loads are one file without rejected rows. */
export const randomDelivery = (kind: Kind, month: Month): fc.Arbitrary<Delivery> =>
  fc.record({
    rejected: rarely(15, rejectedRow(kind, month), 3),
    isMostlyReadable: fc.oneof(
      { weight: 5, arbitrary: fc.constant(true) },
      { weight: 1, arbitrary: fc.constant(false) },
    ),
    copies: rarely(2, fileCopy(kind, month), 2),
  });

/** Returns a bill with all lines of an earlier one of its billing period. Other feeds keep the days that they lack anyway. */
export const grownFrom = (feed: Feed, before: Feed | undefined): Feed =>
  feed.kind === 'focus' && before?.kind === 'focus'
    ? { ...feed, lines: [...before.lines, ...feed.lines] }
    : feed;
