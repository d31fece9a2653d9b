import { newestVersions } from './newest-versions.ts';

/** Teams, shared costs, and the bills that are sealed for them (docs/concepts.md#teams-and-owners). */
export const TEAMS = [
  // ownership is a list of picks.
  `CREATE TABLE team_versions (
    org_id VARCHAR, team_id VARCHAR, version_id UUID, name VARCHAR, ownership JSON, deleted BOOLEAN, changed_at TIMESTAMP,
    changed_by VARCHAR)`,
  newestVersions('teams', 'team_versions', 'team_id'),
  // spend is a list of picks. split says which teams pay it, and by what.
  `CREATE TABLE shared_cost_versions (
    org_id VARCHAR, shared_cost_id VARCHAR, version_id UUID, name VARCHAR, spend JSON, split JSON, deleted BOOLEAN,
    changed_at TIMESTAMP, changed_by VARCHAR)`,
  newestVersions('shared_costs', 'shared_cost_versions', 'shared_cost_id'),
  // The basis of a month's sealed bills (domain/teams/bill.ts): owned spend and shared costs of that moment. The inputs are the
  // month's computed spend, and the numbers of changes of teams, shared costs and split values. sealed_because is settled,
  // values_changed, backfill or resealed. Only resealed has sealed_by_id and sealed_by_name. closes is whether a later month had
  // settled in time (sealed-months.ts).
  `CREATE TABLE bill_bases (
    org_id VARCHAR, month DATE, version_id UUID, basis JSON, metric_ids VARCHAR[], computation_id UUID,
    definition_changes BIGINT, value_changes BIGINT, closes BOOLEAN, sealed_because VARCHAR, reason VARCHAR,
    sealed_by_id VARCHAR, sealed_by_name VARCHAR, sealed_at TIMESTAMP)`,
  `CREATE VIEW current_bill_bases AS
    SELECT * FROM bill_bases
    QUALIFY row_number() OVER (PARTITION BY org_id, month ORDER BY version_id DESC) = 1`,
  // by_source and shared_costs hold amounts as exact texts. The basis of a bill has the same version_id.
  `CREATE TABLE sealed_bills (
    org_id VARCHAR, team_id VARCHAR, month DATE, version_id UUID, direct DECIMAL(38,15), shared DECIMAL(38,15), by_source JSON,
    shared_costs JSON, sealed_at TIMESTAMP)`,
  `CREATE VIEW bill_versions AS
    SELECT sealed_bills.*, sealed_because, reason, sealed_by_id, sealed_by_name,
      row_number() OVER (PARTITION BY org_id, team_id, month ORDER BY version_id) AS version
    FROM sealed_bills LEFT JOIN (
      SELECT org_id, month, version_id, sealed_because, reason, sealed_by_id, sealed_by_name
      FROM bill_bases) USING (org_id, month, version_id)`,
];
