import { newestVersions } from './newest-versions.ts';

/** Cost sources, their ingest runs, the loads that runs publish, and what admins decide about accounts, clusters, hosts and tools. */
export const SOURCES = [
  // The versions of a cost source. Before starts_on it had no spend; NULL means not known.
  `CREATE TABLE cost_source_versions (
    org_id VARCHAR, source_id VARCHAR, version_id UUID, name VARCHAR, kind VARCHAR, location VARCHAR, currency VARCHAR,
    options JSON, schedule_paused BOOLEAN, starts_on DATE, deleted BOOLEAN, changed_at TIMESTAMP, changed_by VARCHAR)`,
  newestVersions('cost_sources', 'cost_source_versions', 'source_id'),
  // rows_left_out are rows of other months, shared cost, and usage without spend.
  `CREATE TABLE ingest_run_events (
    org_id VARCHAR, run_id VARCHAR, event_id UUID, source_id VARCHAR, workflow_id VARCHAR, status VARCHAR, started_at TIMESTAMP,
    finished_at TIMESTAMP, months JSON, rows_read BIGINT, rows_rejected BIGINT, rows_left_out BIGINT, rejected_samples JSON,
    cost_total DECIMAL(38,15), notes JSON, error VARCHAR)`,
  // A run that has ended stays ended, whatever the order of its events.
  `CREATE VIEW ingest_runs AS
    SELECT * FROM ingest_run_events
    QUALIFY row_number() OVER (
      PARTITION BY org_id, run_id ORDER BY (status <> 'running') DESC, event_id DESC) = 1`,
  // One row publishes a load as the current one of its source and billing period. A load gets its id when its attempt starts to
  // read. So the newest reading wins, even if an older attempt publishes later. covered_days are the days that a load of clusters
  // or hosts covers; NULL for bills and AI tools. written_through is the last day before the first that a file of the load was
  // written in; NULL if each day had ended before.
  `CREATE TABLE loads (
    org_id VARCHAR, source_id VARCHAR, billing_period DATE, load_id UUID, run_id VARCHAR, published_at TIMESTAMP,
    cost_column VARCHAR, rows_read BIGINT, cost_total DECIMAL(38,15), first_day DATE, last_day DATE, delivered_through DATE,
    covered_days DATE[], written_through DATE)`,
  `CREATE VIEW current_loads AS
    SELECT loads.*, cost_sources.kind FROM loads JOIN cost_sources USING (org_id, source_id)
    QUALIFY row_number() OVER (
      PARTITION BY loads.org_id, loads.source_id, loads.billing_period ORDER BY loads.load_id DESC) = 1`,
  // Billing periods of which a run could read no row. It publishes no load of them, but what it found counts beside the period's
  // earlier load.
  `CREATE TABLE unread_periods (
    org_id VARCHAR, source_id VARCHAR, load_id UUID, billing_period DATE, published_at TIMESTAMP)`,
  // The files that a load read, by path or URL, because two sources that read the same file count it twice.
  `CREATE TABLE load_files (org_id VARCHAR, source_id VARCHAR, load_id UUID, file VARCHAR)`,
  // Decisions about an account, cluster, host or tool. ended_on is the last day that counts; NULL if the unit has not ended.
  // stands: its charges are right beside those of another source or file.
  `CREATE TABLE unit_decisions (
    org_id VARCHAR, source_id VARCHAR, unit VARCHAR, decision_id UUID, ended_on DATE, stands BOOLEAN, decided_at TIMESTAMP,
    decided_by_id VARCHAR, decided_by_name VARCHAR)`,
  `CREATE VIEW decided_units AS
    SELECT * FROM unit_decisions
    QUALIFY row_number() OVER (PARTITION BY org_id, source_id, unit ORDER BY decision_id DESC) = 1`,
  // The units whose missing days of a month somebody has accepted with a lock. Each month and unit has one row.
  `CREATE TABLE accepted_units (org_id VARCHAR, source_id VARCHAR, unit VARCHAR, month DATE, accepted_at TIMESTAMP)`,
];
