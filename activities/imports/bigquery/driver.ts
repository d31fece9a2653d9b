import type { ConnectionToCheck } from '../../../domain/imports/checked-connection.ts';
import type { Driver, PlatformAccess } from '../driver.ts';
import { checkQuery, runQuery, type QueryImport } from './query-import.ts';

/** Reads the result of a query that BigQuery runs in the organisation's project. */
export const bigQuery: Driver<'bigquery'> = {
  check: (connection, access) => checkQuery({ ...queryOf(connection, access), ...connection.days }),
  values: async (reading, access) => ({
    parts: runQuery({
      ...queryOf(reading, access),
      ...reading.days,
      jobId: `cost-analytics-${reading.runId}`,
      onProgress: reading.report,
    }),
    uncounted: null,
  }),
};

const queryOf = (
  { definition: { project_id, location, query }, credential, labelled }: ConnectionToCheck<'bigquery'>,
  { address, signal }: PlatformAccess,
): QueryImport => ({
  apiEndpoint: address,
  projectId: project_id,
  ...(location === null ? {} : { location }),
  query,
  credentials: JSON.parse(credential) as unknown,
  labelled,
  signal,
});
