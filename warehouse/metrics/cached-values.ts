import { withChange, type ValueChange, type ValueMonths } from '../../domain/metrics/value-months.ts';
import { comparedDays } from '../../domain/months/compared-days.ts';
import { factsFrom, shownMonths } from '../../domain/months/shown-months.ts';
import { dayOf, lastDay, type Day } from '../../domain/shared/calendar.ts';
import type { Derived } from '../engine/cache/derived-cache.ts';
import { ofMetric, type Part } from '../engine/cache/revisions.ts';
import type { Session } from '../engine/session.ts';

/** From when the values of a metric are wanted: by month, and by day. */
export interface ValueRange {
  first: Day;
  firstDay: Day;
}

/** The values of a metric, as they are cached. They depend only on {@link partsOfValues}. */
export const VALUES: Derived<ValueMonths> = {
  name: 'values of a metric',
  from: [],
  bytesOf: ({ months, days }) => months.size * 200 + days.size * 100,
};

export const keyOfValues = (metricId: string, { first, firstDay }: ValueRange): string =>
  `${metricId} ${first} ${firstDay}`;

export const partsOfValues = (metricId: string): Part[] =>
  ofMetric(metricId, ['metric_versions', 'metric_value_changes']);

/** Returns the range of the values of the shown months. */
export function shownValues(now: Date): ValueRange {
  const { newest, count } = shownMonths(now);
  return { first: factsFrom(newest, count), firstDay: comparedDays(dayOf(now))?.first ?? lastDay(newest) };
}

/**
 * Changes the cached values of a count as the running transaction changes their rows. So nobody reads all of them again after a
 * change of a few.
 */
export function amendValues(
  session: Session,
  { orgId, metricId }: { orgId: string; metricId: string },
  changes: readonly ValueChange[],
  now: Date,
): void {
  session.amend({
    derived: VALUES,
    orgId,
    key: keyOfValues(metricId, shownValues(now)),
    parts: partsOfValues(metricId),
    amended: (values: ValueMonths) => {
      let amended: ValueMonths | null = values;
      for (const change of changes) amended = amended === null ? null : withChange(amended, change);
      return amended;
    },
  });
}
