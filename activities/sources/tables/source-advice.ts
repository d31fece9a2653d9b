import type { Advice } from '../../shared/bigquery/failures.ts';

/** What to do about failures of the queries of a source's table. */
export const SOURCE_ADVICE = {
  bytesBilledLimitExceeded: 'options.max_bytes: raise it, because BigQuery read more than it had estimated',
  dataViewer:
    'location: grant the service account the role BigQuery Data Viewer on the data set of the table, or correct the id of the table',
  drive:
    'location: it is a table over Google Sheets or another file in Google Drive, which a source cannot read: copy its rows into a table of BigQuery, and read that table',
  invalidQuery:
    'location: the table cannot be read as a bill, perhaps because its columns changed just now: start the ingest again',
  jobUser:
    'credentials: grant the service account the role BigQuery Job User on its own project, which runs the queries',
  notFound:
    'location: check the ids of the project, the data set and the table, and that the billing export has begun to write it',
  partitionFilter:
    'location: the table demands a filter over its partitions: read the table that Google writes, or a view without this demand',
  resourcesExceeded: 'start the ingest with start_month and end_month, so that each run reads less',
  stopped: 'start the ingest again if someone cancelled the query; it may run for at most 30 minutes',
  timeout: 'start the ingest again; a query may run for at most 30 minutes',
} satisfies Advice;
