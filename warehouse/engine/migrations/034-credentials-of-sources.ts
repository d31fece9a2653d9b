import type { Migration } from './migration.ts';

/** Which credentials a cost source has. They are sealed in the table credentials. */
export const CREDENTIALS_OF_SOURCES: Migration = {
  version: 34,
  name: 'credentials of cost sources',
  statements: [
    // credential is a JSON object with the id of the stored credentials and what may be shown; NULL and null mean none.
    'ALTER TABLE cost_source_versions ADD COLUMN credential JSON',
    `CREATE OR REPLACE VIEW cost_sources AS
      SELECT * EXCLUDE (deleted) FROM (
        SELECT * FROM cost_source_versions
        QUALIFY row_number() OVER (PARTITION BY org_id, source_id ORDER BY version_id DESC) = 1)
      WHERE NOT deleted`,
  ],
};
