import { addMonths, firstDay, lastDay, monthOf, type Day, type Month } from '../../domain/shared/calendar.ts';
import type { DecimalText } from '../../domain/shared/decimals.ts';
import {
  missingUnits,
  unitAbsences,
  type MissingUnit,
  type UnitDecisions,
  type SourceHistory,
  type UnitHistory,
} from '../../domain/sources/missing-units.ts';
import type { UnitKind } from '../../domain/sources/unit-rhythm.ts';
import { pushTo } from '../../domain/shared/push-to.ts';
import type { Session } from '../engine/session.ts';
import { coveredDays, LOADS_AS_OF } from './covered-days.ts';

/** How many months before the first one show the rhythm of a unit. A unit that is gone for longer is forgotten. */
const MONTHS_BEFORE = 6;

/** A hole may end in a month after the last one. */
const MONTHS_AFTER = 12;

/** The months that are asked for, and the loads that count. */
export interface UnitRange {
  first: Month;
  last: Month;
  /** Only loads and decisions before this day count; null counts all. */
  asOf?: Day | null;
}

/** What loads say about the units of sources. */
interface Histories {
  histories: Map<string, SourceHistory>;
  parameters: { org: string; first: Day; last: Day; as_of?: Day };
}

/**
 * Returns the days of months that accounts, clusters, hosts and tools lack, by source id. Sources whose schedule is paused have
 * none, because no month waits for them. The rule is in domain/sources.
 */
export const missingUnitsOf = async (
  session: Pick<Session, 'query'>,
  orgId: string,
  range: UnitRange,
): Promise<Map<string, MissingUnit[]>> => {
  const { histories, parameters } = await unitHistories(session, orgId, range);
  const found = [...histories].flatMap(([source, history]) => {
    const absences = history.isActive ? unitAbsences(history) : [];
    return absences.length === 0 ? [] : [{ source, absences }];
  });
  const missing = new Map<string, MissingUnit[]>();
  if (found.length === 0) return missing;
  const decisions = await decisionsOf(session, orgId, parameters.as_of ?? null);
  for (const { source, absences } of found) {
    for (const unit of missingUnits(absences, decisions(source)))
      if (unit.month >= range.first && unit.month <= range.last) pushTo(missing, source, unit);
  }
  return missing;
};

/** Returns the parameters of COVERED_DAYS: the days from `first` to `last` on which a source lacks a unit. */
export const lackingDays = async (
  session: Pick<Session, 'query'>,
  orgId: string,
  { first, last }: { first: Day; last: Day },
): Promise<{ lacking_sources: string[]; lacking_days: Day[] }> => {
  const missing = await missingUnitsOf(session, orgId, { first: monthOf(first), last: monthOf(last) });
  const lacking = [...missing].flatMap(([source, units]) =>
    [...new Set(units.flatMap(({ days }) => days))].map((day) => ({ source, day })),
  );
  return {
    lacking_sources: lacking.map(({ source }) => source),
    lacking_days: lacking.map(({ day }) => day),
  };
};

/** Returns the units of sources, and the days that are known of each source. */
export const unitHistories = async (
  session: Pick<Session, 'query'>,
  orgId: string,
  { first, last, asOf = null }: UnitRange,
): Promise<Histories> => {
  const histories = new Map<string, SourceHistory & { units: UnitHistory[] }>();
  const parameters = {
    org: orgId,
    first: firstDay(addMonths(first, -MONTHS_BEFORE)),
    last: lastDay(addMonths(last, MONTHS_AFTER)),
    ...(asOf === null ? {} : { as_of: asOf }),
  };
  const rows = await session.query<UnitRow>(asOf === null ? UNITS : UNITS_AS_OF, parameters);
  if (rows.length === 0) return { histories, parameters };
  const covered = await session.query<CoveredRow>(asOf === null ? COVERED : COVERED_AS_OF, parameters);
  const described = new Set(rows.map(({ source_id, month }) => `${source_id} ${month}`));
  const known = new Map<string, Map<Month, number>>();
  for (const { source_id, month, days } of covered) {
    if (!described.has(`${source_id} ${month}`)) continue;
    const months = known.get(source_id) ?? new Map<Month, number>();
    known.set(source_id, months.set(monthOf(month), Number(days)));
  }
  const units = new Map<string, UnitHistory & { months: Map<Month, UnitMonth> }>();
  for (const { source_id: source, is_active: isActive, kind, unit, month, days, ...row } of rows) {
    const key = `${source} ${unit}`;
    const history = units.get(key) ?? { kind, unit, months: new Map<Month, UnitMonth>() };
    history.months.set(monthOf(month), {
      days: Number(days),
      spendDays: Number(row.spend_days),
      cost: row.cost,
    });
    if (units.has(key)) continue;
    units.set(key, history);
    const ofSource = histories.get(source) ?? {
      isActive,
      known: known.get(source) ?? new Map<Month, number>(),
      units: [],
    };
    ofSource.units.push(history);
    histories.set(source, ofSource);
  }
  return { histories, parameters };
};

type UnitMonth = NonNullable<ReturnType<UnitHistory['months']['get']>>;

interface UnitRow {
  source_id: string;
  is_active: boolean;
  kind: UnitKind;
  unit: string;
  month: Day;
  days: string;
  spend_days: string;
  cost: DecimalText;
}

interface CoveredRow {
  source_id: string;
  month: Day;
  days: string;
}

const unitsBy = (loads: string): string => `
SELECT source_id, NOT schedule_paused AS is_active, load_units.kind, unit, CAST(date_trunc('month', billing_period) AS DATE) AS month,
  bit_or(days) AS days, bit_or(spend_days) AS spend_days, sum(cost) AS cost
FROM load_units SEMI JOIN ${loads} AS counted USING (org_id, source_id, load_id, billing_period)
JOIN (SELECT source_id, schedule_paused FROM cost_sources WHERE org_id = $org) AS existing USING (source_id)
WHERE org_id = $org AND billing_period BETWEEN $first::DATE AND $last::DATE
GROUP BY ALL ORDER BY source_id, unit, month`;

const UNITS = unitsBy('current_loads');
const UNITS_AS_OF = unitsBy(LOADS_AS_OF);

/** The days that each source covers, as bits of each month. */
const coveredBy = (loads: string): string => `
WITH ${coveredDays(loads)}
SELECT source_id, CAST(date_trunc('month', day) AS DATE) AS month,
  bit_or(CAST(1 AS BIGINT) << CAST(date_part('day', day) - 1 AS INTEGER)) AS days
FROM covered_days GROUP BY ALL`;

const COVERED = coveredBy('current_loads');
const COVERED_AS_OF = coveredBy(LOADS_AS_OF);

/** What was decided about the units of a source. */
interface SourceDecisions extends UnitDecisions {
  endedOn: Map<string, Day>;
}

/** Returns a function that returns the decisions about the units of a source. */
const decisionsOf = async (
  session: Pick<Session, 'query'>,
  orgId: string,
  asOf: Day | null,
): Promise<(source: string) => SourceDecisions> => {
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
};

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
