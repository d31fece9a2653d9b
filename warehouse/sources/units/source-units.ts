import { monthOf, type Day, type Month } from '../../../domain/shared/calendar.ts';
import { rangesOf, type DayRange } from '../../../domain/shared/day-ranges.ts';
import type { SourceMonth } from '../../../domain/sources/coverage.ts';
import type { SourceDoubt } from '../../../domain/sources/doubts.ts';
import { unitDoubts } from '../../../domain/sources/units/missing-units.ts';
import type { UnitKind } from '../../../domain/sources/spend-sources.ts';
import type { Queries } from '../../engine/session.ts';
import { sourceMonths } from '../coverage.ts';

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
  doubts: string[];
}

/** Returns the units of a source up to the month `last`, by name. */
export async function unitsOf(
  session: Queries,
  orgId: string,
  sourceId: string,
  last: Month,
): Promise<SourceUnit[]> {
  const [oldest] = await session.query<{ month: Day | null }>(
    'SELECT min(billing_period) AS month FROM current_loads WHERE org_id = $org AND source_id = $source',
    { org: orgId, source: sourceId },
  );
  if (oldest === undefined || oldest.month === null) return [];
  const range = { first: monthOf(oldest.month), last };
  const months = [...(await sourceMonths(session, orgId, range)).values()]
    .flat()
    .filter(({ id }) => id === sourceId);
  const missing = months.flatMap(({ missingUnits }) => missingUnits);
  const units = await session.query<Omit<SourceUnit, 'missing' | 'doubts'>>(UNITS, {
    org: orgId,
    source: sourceId,
  });
  return units.map((row) => ({
    ...row,
    missing: rangesOf(missing.filter(({ unit }) => unit === row.unit).flatMap(({ days }) => days)),
    doubts: months.flatMap((month) => doubtsAbout(row.unit, month)).map(({ sentence }) => sentence),
  }));
}

/** A month names few of the units that lack days, and not all of them can end. Here each one has its own sentence. */
const doubtsAbout = (name: string, month: SourceMonth): SourceDoubt[] => [
  ...month.doubts.filter(
    ({ code, ways_out: ways }) => code !== 'unit_missing' && ways.some(({ unit }) => unit === name),
  ),
  ...unitDoubts(
    month,
    month.missingUnits.filter(({ unit }) => unit === name),
  ),
];

const UNITS = `
WITH unit_months AS (
  SELECT unit, load_units.kind, CAST(date_trunc('month', billing_period) AS DATE) - 1 AS before, NULLIF(days, 0) AS days
  FROM load_units SEMI JOIN current_loads USING (org_id, source_id, load_id, billing_period)
  WHERE org_id = $org AND source_id = $source),
units AS (
  SELECT unit, kind, min(before + CAST(length(bin(days & -days)) AS INTEGER)) AS "firstDay",
    max(before + CAST(length(bin(days)) AS INTEGER)) AS "lastDay"
  FROM unit_months GROUP BY ALL)
SELECT units.*, ended_on AS "endedOn", COALESCE(stands, false) AS stands
FROM units LEFT JOIN (FROM decided_units WHERE org_id = $org AND source_id = $source) USING (unit) ORDER BY unit`;
