/** Organisations, their keys and sessions, who did what, and what belongs to the operator (org_id is then 'operator'). */
export const ORGANISATIONS = [
  // The versions of an organisation. settle_days are the full days after a month until cloud billing settles.
  `CREATE TABLE organisation_versions (
    org_id VARCHAR, version_id UUID, name VARCHAR, tier VARCHAR, currency VARCHAR, settle_days INTEGER, changed_at TIMESTAMP)`,
  // Organisations that the operator deletes. A deletion has a row when it begins, and another one when nothing of the organisation
  // is left. The rows outlive the organisation, of which created_at is the beginning.
  `CREATE TABLE organisation_deletions (
    org_id VARCHAR, deletion_id UUID, deleted_org VARCHAR, created_at TIMESTAMP, actor_type VARCHAR, actor_id VARCHAR,
    actor_name VARCHAR, recorded_at TIMESTAMP, is_complete BOOLEAN)`,
  `CREATE VIEW organisations AS
    SELECT * FROM organisation_versions
    WHERE NOT EXISTS (
      FROM organisation_deletions AS deletion WHERE deletion.deleted_org = organisation_versions.org_id)
    QUALIFY row_number() OVER (PARTITION BY org_id ORDER BY version_id DESC) = 1`,
  // Keys of the API. The secret itself is not stored.
  `CREATE TABLE api_keys (
    org_id VARCHAR, key_id VARCHAR, name VARCHAR, permission VARCHAR, secret_hash VARCHAR, expires_at TIMESTAMP,
    created_at TIMESTAMP)`,
  `CREATE TABLE api_key_revocations (org_id VARCHAR, key_id VARCHAR, revoked_at TIMESTAMP)`,
  // Counted calls of a key on a day, in several rows. calls count against the quota, session_calls are free ones of browser sessions.
  `CREATE TABLE api_calls (
    org_id VARCHAR, day DATE, key_id VARCHAR, calls BIGINT, session_calls BIGINT, last_call_at TIMESTAMP)`,
  // Browser sessions that were signed out. A session itself is in its cookie (session-cookie.ts). expires_at is when it would have
  // expired.
  `CREATE TABLE session_ends (org_id VARCHAR, session_id VARCHAR, ended_at TIMESTAMP, expires_at TIMESTAMP)`,
  // Who did what. detail_bytes is the length of detail, so that a page can be limited without reading it.
  `CREATE TABLE audit_log (
    org_id VARCHAR, id UUID, recorded_at TIMESTAMP, actor_type VARCHAR, actor_id VARCHAR, actor_name VARCHAR, action VARCHAR,
    target VARCHAR, detail JSON, detail_bytes BIGINT)`,
  // Requests to the maintenance to overwrite what was deleted. Each deletion of something secret makes one.
  `CREATE TABLE erasures (org_id VARCHAR, requested_at TIMESTAMP)`,
  // How backups have ended. The copy holds the state of taken_at.
  `CREATE TABLE backup_results (
    org_id VARCHAR, result_id UUID, taken_at TIMESTAMP, ended_at TIMESTAMP, is_complete BOOLEAN)`,
];
