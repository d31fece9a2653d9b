import { dayAt, dayNumber, firstDay, monthOf, type Day, type Month } from '../../domain/shared/calendar.ts';
import { rangesOf, type DayRange } from '../../domain/shared/day-ranges.ts';
import { bitsOf, type UnitHistory } from '../../domain/sources/missing-units.ts';
import type { UnitKind } from '../../domain/sources/unit-rhythm.ts';
import type { Session } from '../engine/session.ts';
import { sourceMonths } from './coverage.ts';
import { missingUnitsOf, unitHistories } from './missing-units.ts';

/** A unit of a cost source, and what is known of its days. */
export interface SourceUnit {
  unit: string;
  kind: UnitKind;
  /** The first and the last day with rows; null if it has only taxes, purchases, credits and the like. */
  firstDay: Day | null;
  lastDay: Day | null;
  missing: DayRange[];
  endedOn: Day | null;
  stands: boolean;
  /** The doubts about it, in words. */
  doubts: string[];
}

/** Returns the units of a source up to the month `last`, by name. */
export const unitsOf = async (
  session: Pick<Session, 'query'>,
  orgId: string,
  sourceId: string,
  last: Month,
): Promise<SourceUnit[]> => {
  const [oldest] = await session.query<{ month: Day | null }>(
    'SELECT min(billing_period) AS month FROM current_loads WHERE org_id = $org AND source_id = $source',
    { org: orgId, source: sourceId },
  );
  if (oldest === undefined || oldest.month === null) return [];
  const range = { first: monthOf(oldest.month), last };
  const { histories } = await unitHistories(session, orgId, range);
  const missing = (await missingUnitsOf(session, orgId, range)).get(sourceId) ?? [];
  const doubts = [...(await sourceMonths(session, orgId, range)).values()]
    .flatMap((sources) => sources.filter(({ id }) => id === sourceId))
    .flatMap(({ doubts: ofMonth }) => ofMonth);
  const decided = await session.query<{ unit: string; ended_on: Day | null; stands: boolean }>(
    'SELECT unit, ended_on, stands FROM decided_units WHERE org_id = $org AND source_id = $source',
    { org: orgId, source: sourceId },
  );
  return (histories.get(sourceId)?.units ?? []).map((history) => {
    const { unit, kind } = history;
    const days = daysOf(history);
    const decision = decided.find((one) => one.unit === unit);
    return {
      ...{ unit, kind, firstDay: days[0] ?? null, lastDay: days.at(-1) ?? null },
      missing: rangesOf(missing.filter((one) => one.unit === unit).flatMap((one) => one.days)),
      endedOn: decision?.ended_on ?? null,
      stands: decision?.stands ?? false,
      doubts: doubts
        .filter(({ ways_out: ways }) => ways.some((way) => way.unit === unit))
        .map(({ sentence }) => sentence),
    };
  });
};

const daysOf = ({ months }: UnitHistory): Day[] =>
  [...months]
    .flatMap(([month, { days }]) => bitsOf(days).map((day) => dayAt(dayNumber(firstDay(month)) + day - 1)))
    .sort();
