/** Returns the statement that creates a view of the newest version of each thing that is not deleted. */
export const newestVersions = (view: string, versions: string, id: string): string => `CREATE VIEW ${view} AS
    SELECT * EXCLUDE (deleted) FROM (
      SELECT * FROM ${versions}
      QUALIFY row_number() OVER (PARTITION BY org_id, ${id} ORDER BY version_id DESC) = 1)
    WHERE NOT deleted`;
