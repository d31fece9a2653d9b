import type { Migration } from './migration.ts';

/** What the current loads of a source were read from, so that a run reads only what has changed. */
export const READINGS: Migration = {
  version: 37,
  name: 'what loads were read from, and what runs have read',
  statements: [
    // The newest row of a source is true of its current loads. record is a ReadingRecord. Sources without a row are read as a whole.
    `CREATE TABLE source_readings (org_id VARCHAR, source_id VARCHAR, load_id UUID, run_id VARCHAR, read_at TIMESTAMP, record JSON)`,
    // NULL in runs of earlier versions. bytes_read are those of the files that were read.
    `ALTER TABLE ingest_run_events ADD COLUMN files_read BIGINT`,
    `ALTER TABLE ingest_run_events ADD COLUMN files_unchanged BIGINT`,
    `ALTER TABLE ingest_run_events ADD COLUMN bytes_read BIGINT`,
    `CREATE OR REPLACE VIEW ingest_runs AS
      SELECT * FROM ingest_run_events
      QUALIFY row_number() OVER (
        PARTITION BY org_id, run_id ORDER BY (status <> 'running') DESC, event_id DESC) = 1`,
  ],
};
