import { invalid } from '../shared/errors.ts';
import { kindsThat, readsTables, type Kind } from './kinds.ts';

/** A table or view of BigQuery that a source reads. */
export interface BillTableName {
  project: string;
  dataset: string;
  table: string;
}

const EXPECTED = 'bigquery://project.dataset.table';

/** Old projects begin with a domain. None of the characters needs an escape between backticks. */
const TABLE = /^bigquery:\/\/((?:[a-z0-9.-]+:)?[a-z][a-z0-9-]{4,})\.(\w{1,1024})\.([\w-]{1,1024})$/i;

/** Returns whether a location means a table of BigQuery. */
export const isTableLocation = (location: string): boolean => /^bigquery:/i.test(location);

/**
 * Returns the table that a location names.
 *
 * @param field the field of the source that holds the location.
 */
export function tableOfLocation(location: string, field = 'location'): BillTableName {
  const [, project, dataset, table] = TABLE.exec(location) ?? [];
  if (project === undefined || dataset === undefined || table === undefined)
    throw invalid(
      `${field}: expected ${EXPECTED}, as BigQuery's console shows the id of the table, got ${JSON.stringify(location)}`,
    );
  return { project, dataset, table };
}

/** Throws `invalid` for a table of BigQuery where a source of a kind cannot read one. */
export function refuseTable(kind: Kind, { field, location }: { field: string; location: string }): void {
  if (!isTableLocation(location) || (field === 'location' && readsTables(kind))) return;
  const kinds = kindsThat(({ readsTables: reads = false }) => reads).join(' and ');
  throw invalid(
    `${field}: expected no table of BigQuery: only the location of sources of the kinds ${kinds} can be one`,
  );
}
