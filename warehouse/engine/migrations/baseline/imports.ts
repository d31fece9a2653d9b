import { newestVersions } from './newest-versions.ts';

/** Daily imports of values from BigQuery and Stripe. */
export const IMPORTS = [
  // The versions of a metric's connection; a metric has at most one. type is bigquery or stripe. The import owns the values from
  // first_day on.
  `CREATE TABLE import_versions (
    org_id VARCHAR, import_id VARCHAR, version_id UUID, metric_id VARCHAR, type VARCHAR, project_id VARCHAR, location VARCHAR,
    query VARCHAR, credential_id VARCHAR, first_day DATE, connected_at TIMESTAMP, deleted BOOLEAN, changed_at TIMESTAMP,
    changed_by VARCHAR)`,
  newestVersions('imports', 'import_versions', 'import_id'),
  // Replaced and disconnected credentials are deleted at once. Each deletion asks the maintenance for an erasure.
  `CREATE TABLE import_credentials (
    org_id VARCHAR, metric_id VARCHAR, credential_id VARCHAR, sealed_credential VARCHAR, stored_at TIMESTAMP)`,
  // sealed_totals are sales that the values do not count (import-runs.ts); NULL without such sales.
  `CREATE TABLE import_run_events (
    org_id VARCHAR, run_id VARCHAR, event_id UUID, metric_id VARCHAR, credential_id VARCHAR, workflow_id VARCHAR, status VARCHAR,
    started_at TIMESTAMP, finished_at TIMESTAMP, start_day DATE, end_day DATE, rows_read BIGINT, changed BIGINT, removed BIGINT,
    notes JSON, sealed_totals VARCHAR, error VARCHAR)`,
  // A run that has ended stays ended, whatever the order of its events.
  `CREATE VIEW import_runs AS
    SELECT * FROM import_run_events
    QUALIFY row_number() OVER (
      PARTITION BY org_id, run_id ORDER BY (status <> 'running') DESC, event_id DESC) = 1`,
];
