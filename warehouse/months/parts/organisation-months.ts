import { addDays, firstDay, monthOf, type Day, type Month } from '../../../domain/shared/calendar.ts';
import type { SourceMonth } from '../../../domain/sources/coverage.ts';
import { SPEND_SOURCES } from '../../../domain/sources/spend-sources.ts';
import { cte, ctes } from '../../engine/sql/cte.ts';
import type { Queries } from '../../engine/session.ts';
import type { Derived, OrganisationCache } from '../../engine/cache/derived-cache.ts';
import { sourceMonths } from '../../sources/coverage.ts';
import { DAYS } from '../../sources/covered-days.ts';
import { daysOfUnits } from '../../sources/units/missing-units.ts';
import { knownDays } from '../../spend/known-days.ts';

/** What sources have delivered of an organisation's months, and which of them have settled. */
export interface OrganisationMonths {
  sources: ReadonlyMap<Month, readonly SourceMonth[]>;
  settled: ReadonlySet<Month>;
}

const MONTHS: Derived<OrganisationMonths> = {
  name: 'months of an organisation',
  from: [
    'loads',
    'cost_source_versions',
    'settled_months',
    'month_computations',
    'unit_decisions',
    'accepted_units',
  ],
  bytesOf: ({ sources }) => JSON.stringify([...sources]).length,
};

/** Returns what is delivered of the months from `first` to `last`. */
export const organisationMonths = (
  session: Queries,
  cache: OrganisationCache,
  orgId: string,
  range: { first: Month; last: Month },
): Promise<OrganisationMonths> =>
  cache.one(MONTHS, `${range.first} ${range.last}`, async () => {
    const settled = await session.query<{ month: Day }>(
      'SELECT DISTINCT month FROM settled_months WHERE org_id = $org',
      { org: orgId },
    );
    return {
      sources: await sourceMonths(session, orgId, range),
      settled: new Set(settled.map(({ month }) => monthOf(month))),
    };
  });

/** The last day of the running month, and of the month before, up to which the spend of a scope is known. */
export interface KnownThrough {
  running: Day;
  before: Day;
}

const KNOWN: Derived<ReadonlyMap<string, KnownThrough>> = {
  name: 'days with known spend',
  from: ['loads', 'cost_source_versions', 'settled_months', 'unit_decisions', 'accepted_units'],
  bytesOf: (known) => known.size * 200,
};

/**
 * Returns up to which days spend is known, by the spend that a scope picks from (known-days.ts). The days lie between
 * `first`, in the month before, and `last`, in the running month.
 */
export const knownThrough = (
  session: Queries,
  cache: OrganisationCache,
  orgId: string,
  { sources }: OrganisationMonths,
  { first, last }: { first: Day; last: Day },
): Promise<ReadonlyMap<string, KnownThrough>> =>
  cache.one(KNOWN, `${first} ${last} ${[...sources.keys()].join()}`, async () => {
    const month = firstDay(monthOf(last));
    const missing = [...sources.values()].flat().map(({ id, missingUnits }) => [id, missingUnits] as const);
    const rows = await session.query<{ spend: string; is_running: boolean; through: Day }>(KNOWN_THROUGH, {
      org: orgId,
      scopes: ALL_SCOPES,
      first,
      last,
      month,
      ...daysOfUnits(missing),
    });
    const known = new Map<string, KnownThrough>();
    for (const { spend, is_running, through } of rows) {
      const both = known.get(spend) ?? { running: addDays(month, -1), before: addDays(first, -1) };
      known.set(spend, { ...both, [is_running ? 'running' : 'before']: through });
    }
    return known;
  });

/** All spend that a scope can pick from, in alphabetical order; the empty text is the organisation's scope. */
const ALL_SCOPES = [...SPEND_SOURCES]
  .sort()
  .reduce<string[]>(
    (sets, spend) => [...sets, ...sets.map((set) => (set === '' ? spend : `${set},${spend}`))],
    [''],
  );

const SCOPES = cte({ name: 'scopes', sql: 'SELECT unnest($scopes) AS spend' });

const KNOWN_THROUGH = `
WITH ${ctes(SCOPES, DAYS, knownDays(SCOPES))}
SELECT spend, day >= $month::DATE AS is_running,
  COALESCE(min(day) FILTER (known_days.spend IS NULL), max(day) + 1) - 1 AS through
FROM (SELECT spend, day FROM scopes CROSS JOIN days) LEFT JOIN known_days USING (spend, day) GROUP BY ALL`;
