import { EVENTS } from './baseline/events.ts';
import { IMPORTS } from './baseline/imports.ts';
import { LOAD_ROWS } from './baseline/load-rows.ts';
import { METRICS } from './baseline/metrics.ts';
import { MONTHS } from './baseline/months.ts';
import { ORGANISATIONS } from './baseline/organisations.ts';
import { SOURCES } from './baseline/sources.ts';
import { SPEND } from './baseline/spend.ts';
import { TEAMS } from './baseline/teams.ts';
import type { Migration } from './migration.ts';

/**
 * The tables that a new warehouse begins with, by subject. They are append-only logs, which begin with `org_id`. Views show their
 * current state: the newest row by a time-ordered id (docs/design.md#rows-are-only-inserted).
 */
export const BASELINE: Migration = {
  version: 32,
  name: 'baseline',
  statements: [
    ...ORGANISATIONS,
    ...SOURCES,
    ...LOAD_ROWS,
    ...SPEND,
    ...TEAMS,
    // After teams and shared costs, whose picks one of its views has.
    ...METRICS,
    ...IMPORTS,
    ...MONTHS,
    ...EVENTS,
  ],
};
