import { READ_LESS } from '../../../domain/imports/bigquery/query-rules.ts';
import type { Advice } from '../../shared/bigquery/failures.ts';

/** What to do about failures of a query that a person has written. */
export const IMPORT_ADVICE: Advice = {
  bytesBilledLimitExceeded: `query: ${READ_LESS}; a run may process at most 10 GB`,
  drive:
    'query: it reads a table over Google Sheets or another file in Google Drive, which an import cannot read: copy the rows into a table of BigQuery, for example each day with a scheduled query, and read that table',
  invalidQuery: 'query: correct it, and try it in the BigQuery console',
  notFound: 'check the names in the query, project_id and location',
  resourcesExceeded: 'query: make it simpler, or read less',
  responseTooLarge: 'query: return one row per day',
  stopped:
    'query: make it faster if it ran into the time limit of 30 minutes; otherwise someone cancelled it',
  timeout: 'query: make it faster; a run may take at most 30 minutes',
};
