import { BASELINE } from './032-baseline.ts';
import { DEFINITIONS_OF_IMPORTS } from './033-definitions-of-imports.ts';
import { CREDENTIALS_OF_SOURCES } from './034-credentials-of-sources.ts';
import { USAGE_POINTS } from './035-usage-points.ts';
import { UPLOADED_FILES } from './036-uploaded-files.ts';
import { READINGS } from './037-readings.ts';
import { CLUSTERS_OF_BILL_LINES } from './038-clusters-of-bill-lines.ts';
import type { Migration } from './migration.ts';

/**
 * The schema, as steps in order: the baseline, and what later releases have changed, one file for each step. A step that a release
 * has never changes. All statements run on both DuckDB and DuckLake (docs/design.md#one-sql-for-two-engines).
 */
export const MIGRATIONS: readonly Migration[] = [
  BASELINE,
  DEFINITIONS_OF_IMPORTS,
  CREDENTIALS_OF_SOURCES,
  USAGE_POINTS,
  UPLOADED_FILES,
  READINGS,
  CLUSTERS_OF_BILL_LINES,
];

/** The version of the tables that this version of the product makes. */
export const NEWEST_VERSION = MIGRATIONS.at(-1)?.version ?? 0;
