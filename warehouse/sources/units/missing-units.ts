import {
  addMonths,
  dayAt,
  firstDay,
  lastDay,
  monthOf,
  type Day,
  type Month,
} from '../../../domain/shared/calendar.ts';
import {
  missingUnits,
  unitAbsences,
  type KnownDays,
  type MissingUnit,
  type UnitDecisions,
  type UnitHistory,
} from '../../../domain/sources/units/missing-units.ts';
import { pushTo } from '../../../domain/shared/push-to.ts';
import type { Queries } from '../../engine/session.ts';
import { ctes } from '../../engine/sql/cte.ts';
import { coveredDays, LOADS_AS_OF } from '../covered-days.ts';

/** A month no longer waits for a unit whose last day is more than this many months before it. */
const FORGOTTEN_AFTER = 6;

/** The last days of a unit, and the month before them, show its rhythm. So each month is evaluated alike, whatever range is asked. */
const MONTHS_BEFORE = FORGOTTEN_AFTER + 1;

/** A hole may end in a month after the last one. */
const MONTHS_AFTER = 12;

/** Returns the days from which the units of months from `first` to `last` are evaluated. */
export const daysOfRhythm = ({ first, last }: MonthRange): { first: Day; last: Day } => ({
  first: firstDay(addMonths(first, -MONTHS_BEFORE)),
  last: lastDay(addMonths(last, MONTHS_AFTER)),
});

interface MonthRange {
  first: Month;
  last: Month;
}

/**
 * Returns the days of months that accounts, clusters, hosts and tools lack, by source id. The rule is in domain/sources.
 *
 * @param known the days that sources cover among `daysOfRhythm`, by source id. Others lack nothing.
 * @param asOf only loads and decisions before this day count; null counts all.
 */
export async function missingUnitsOf(
  session: Queries,
  orgId: string,
  range: MonthRange,
  known: ReadonlyMap<string, KnownDays>,
  asOf: Day | null,
): Promise<Map<string, MissingUnit[]>> {
  const parameters = { org: orgId, ...daysOfRhythm(range) };
  const rows = await (asOf === null
    ? session.query<UnitRow>(UNITS, parameters)
    : session.query<UnitRow>(UNITS_AS_OF, { ...parameters, as_of: asOf }));
  const units = new Map<string, UnitHistory[]>();
  for (const { source_id: source, ...unit } of rows) pushTo(units, source, unit);
  const found = [...units].flatMap(([source, ofSource]) => {
    const absences = unitAbsences(ofSource, known.get(source) ?? new Map<Month, number>(), range);
    return absences.length === 0 ? [] : [{ source, absences }];
  });
  const missing = new Map<string, MissingUnit[]>();
  if (found.length === 0) return missing;
  const decisions = await decisionsOf(session, orgId, asOf);
  for (const { source, absences } of found) {
    for (const unit of missingUnits(absences, decisions(source)))
      if (unit.month >= range.first && unit.month <= range.last && !isForgotten(unit))
        pushTo(missing, source, unit);
  }
  return missing;
}

const isForgotten = ({ month, absence }: MissingUnit): boolean =>
  monthOf(dayAt(absence.lastSeen)) < addMonths(month, -FORGOTTEN_AFTER);

/** Returns the parameters of COVERED_DAYS: the days from `first` to `last` on which a source lacks a unit. */
export async function lackingDays(
  session: Queries,
  orgId: string,
  days: { first: Day; last: Day },
): Promise<LackingDays> {
  const range = { first: monthOf(days.first), last: monthOf(days.last) };
  const covered = await session.query<{ source_id: string; month: Day; days: number }>(COVERED, {
    org: orgId,
    ...daysOfRhythm(range),
  });
  const known = new Map<string, Map<Month, number>>();
  for (const { source_id: source, month, days: bits } of covered)
    known.set(source, (known.get(source) ?? new Map<Month, number>()).set(monthOf(month), bits));
  return daysOfUnits(await missingUnitsOf(session, orgId, range, known, null));
}

/** Returns the parameters of COVERED_DAYS for units that are missing, by source id. */
export function daysOfUnits(missing: Iterable<readonly [string, readonly MissingUnit[]]>): LackingDays {
  const lacking = [...missing].flatMap(([source, units]) =>
    [...new Set(units.flatMap(({ days }) => days))].map((day) => ({ source, day })),
  );
  return {
    lacking_sources: lacking.map(({ source }) => source),
    lacking_days: lacking.map(({ day }) => day),
  };
}

interface LackingDays {
  lacking_sources: string[];
  lacking_days: Day[];
}

type UnitRow = UnitHistory & { source_id: string };

// The rows are not summed up by month here, because most units lack nothing.
const unitsBy = (loads: string): string => `
SELECT source_id, load_units.kind, unit, list({
  'month': strftime(billing_period, '%Y-%m'), 'days': CAST(days AS INTEGER), 'spendDays': CAST(spend_days AS INTEGER), 'cost': cost}) AS periods
FROM load_units SEMI JOIN ${loads} AS counted USING (org_id, source_id, load_id, billing_period)
WHERE org_id = $org AND billing_period BETWEEN $first::DATE AND $last::DATE
GROUP BY ALL ORDER BY source_id, unit`;

const UNITS = unitsBy('current_loads');
const UNITS_AS_OF = unitsBy(LOADS_AS_OF);

/** A day as a bit of its month. */
export const DAY_BIT = `1::INTEGER << CAST(date_part('day', day) - 1 AS INTEGER)`;

/** The days that each source covers whose schedule is not paused. No month waits for the others. */
const COVERED = `
WITH ${ctes(coveredDays('current_loads'))}
SELECT source_id, CAST(date_trunc('month', day) AS DATE) AS month, bit_or(${DAY_BIT}) AS days
FROM covered_days SEMI JOIN (FROM cost_sources WHERE org_id = $org AND NOT schedule_paused) AS active USING (source_id) GROUP BY ALL`;

/** What was decided about the units of a source. */
interface SourceDecisions extends UnitDecisions {
  endedOn: Map<string, Day>;
}

/** Returns a function that returns the decisions about the units of a source. */
async function decisionsOf(
  session: Queries,
  orgId: string,
  asOf: Day | null,
): Promise<(source: string) => SourceDecisions> {
  const rows = await session.query<DecisionRow>(DECISIONS, { org: orgId, as_of: asOf });
  const [settled, accepted] = [new Set<Month>(), new Set<string>()];
  const [ends, created] = [new Map<string, Map<string, Day>>(), new Map<string, Month>()];
  for (const { decision, source_id: source, unit, day } of rows) {
    const month = monthOf(day);
    if (decision === 'settled') settled.add(month);
    else if (decision === 'accepted') accepted.add(`${source} ${month} ${unit}`);
    else if (decision === 'created') created.set(source, month);
    else ends.set(source, (ends.get(source) ?? new Map<string, Day>()).set(unit, day));
  }
  return (source) => ({
    endedOn: ends.get(source) ?? new Map<string, Day>(),
    isClosed: (month, unit) =>
      settled.has(month) || accepted.has(`${source} ${month} ${unit}`) || month < (created.get(source) ?? ''),
  });
}

interface DecisionRow {
  decision: 'ended' | 'accepted' | 'settled' | 'created';
  source_id: string;
  unit: string;
  day: Day;
}

/** What people have decided about units, and the months that have settled, or had ended before the source was created. */
const DECISIONS = `
SELECT 'ended' AS decision, source_id, unit, ended_on AS day FROM (
  SELECT source_id, unit, ended_on FROM unit_decisions
  WHERE org_id = $org AND ($as_of::DATE IS NULL OR decided_at < $as_of::TIMESTAMP)
  QUALIFY row_number() OVER (PARTITION BY source_id, unit ORDER BY decision_id DESC) = 1)
WHERE ended_on IS NOT NULL
UNION ALL
SELECT DISTINCT 'accepted', source_id, unit, month FROM accepted_units
WHERE org_id = $org AND ($as_of::DATE IS NULL OR accepted_at < $as_of::TIMESTAMP)
UNION ALL
SELECT DISTINCT 'settled', '', '', month FROM settled_months
WHERE org_id = $org AND ($as_of::DATE IS NULL OR settled_at < $as_of::TIMESTAMP)
UNION ALL
SELECT 'created', source_id, '', CAST(min(changed_at) AS DATE)
FROM cost_source_versions WHERE org_id = $org GROUP BY source_id`;
