import type { Migration } from './migration.ts';

/** What imports read, in one column for all platforms, and credentials that can also belong to cost sources. */
export const DEFINITIONS_OF_IMPORTS: Migration = {
  version: 33,
  name: 'what imports read, by platform, and whose credentials are stored',
  statements: [
    // definition is a JSON object, whose type is the platform (domain/imports/connection-rules.ts).
    `CREATE OR REPLACE TABLE import_versions AS
      SELECT org_id, import_id, version_id, metric_id,
        CAST(CASE type WHEN 'stripe' THEN json_object('type', type)
          ELSE json_object('type', type, 'project_id', project_id, 'location', location, 'query', query) END AS JSON) AS definition,
        credential_id, first_day, connected_at, deleted, changed_at, changed_by
      FROM import_versions`,
    `CREATE OR REPLACE VIEW imports AS
      SELECT * EXCLUDE (deleted) FROM (
        SELECT * FROM import_versions
        QUALIFY row_number() OVER (PARTITION BY org_id, import_id ORDER BY version_id DESC) = 1)
      WHERE NOT deleted`,
    // owner_kind is metric or cost_source. Replaced credentials are deleted at once, and the maintenance erases their bytes.
    `CREATE TABLE credentials AS
      SELECT org_id, 'metric' AS owner_kind, metric_id AS owner_id, credential_id, sealed_credential, stored_at
      FROM import_credentials`,
    `DROP TABLE import_credentials`,
  ],
};
