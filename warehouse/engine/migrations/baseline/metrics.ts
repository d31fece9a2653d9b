import { newestVersions } from './newest-versions.ts';

/** Metrics, their values, and the picks of metrics, teams and shared costs. */
export const METRICS = [
  // rise are the limits of a rise; JSON null means never. currency is that of revenue; NULL on count metrics.
  `CREATE TABLE metric_versions (
    org_id VARCHAR, metric_id VARCHAR, version_id UUID, name VARCHAR, unit VARCHAR, kind VARCHAR, aggregation VARCHAR,
    frequency VARCHAR, scope JSON, target DECIMAL(38,10), rise JSON, label_key VARCHAR, currency VARCHAR,
    assistant_access BOOLEAN, created_at TIMESTAMP, deleted BOOLEAN, changed_at TIMESTAMP, changed_by VARCHAR)`,
  newestVersions('metrics', 'metric_versions', 'metric_id'),
  // A period is its first day; a metric without labels has label ''. value NULL records a removal. Of revenue, value is always NULL,
  // and sealed_value holds it (revenue-vault.ts). Both are NULL in a removal.
  `CREATE TABLE metric_value_changes (
    org_id VARCHAR, metric_id VARCHAR, change_id UUID, period DATE, label VARCHAR, value DECIMAL(38,10), sealed_value VARCHAR,
    source VARCHAR, changed_by_type VARCHAR, changed_by_id VARCHAR, changed_by_name VARCHAR, changed_at TIMESTAMP)`,
  `CREATE VIEW metric_values AS
    SELECT * FROM (
      SELECT * FROM metric_value_changes
      QUALIFY row_number() OVER (
        PARTITION BY org_id, metric_id, period, label ORDER BY change_id DESC) = 1)
    WHERE value IS NOT NULL OR sealed_value IS NOT NULL`,
  // The picks of metrics, teams and shared costs, one row each. Parts that a pick does not name are NULL. idle is true for picks of
  // the idle capacity of a cluster or host.
  `CREATE VIEW spend_picks AS
    SELECT org_id, user_type, user_id, user_name, scope_id, pick.source, pick.cloud,
      pick.account, CASE WHEN pick.resource_group IS NOT NULL THEN 'resource_group'
        WHEN pick.source = 'cloud' AND pick.service IS NOT NULL THEN 'service' END AS split_kind,
      CASE WHEN pick.source = 'cloud' THEN COALESCE(pick.resource_group, pick.service) END AS split_value,
      pick.tag.key AS tag_key, pick.tag.value AS tag_value, pick.cluster, pick.namespace, pick.workload,
      pick.host, CASE WHEN pick.source = 'host' THEN pick.service END AS host_service, pick.repository,
      COALESCE(pick.idle, false) AS idle
    FROM (
      SELECT org_id, user_type, user_id, user_name, scope_id, unnest(from_json(picks, '[{"source":"VARCHAR",
        "cloud":"VARCHAR","account":"VARCHAR","service":"VARCHAR","resource_group":"VARCHAR",
        "tag":{"key":"VARCHAR","value":"VARCHAR"},"cluster":"VARCHAR","namespace":"VARCHAR",
        "workload":"VARCHAR","host":"VARCHAR","repository":"VARCHAR","idle":"BOOLEAN"}]')) AS pick
      FROM (
        SELECT org_id, 'metric' AS user_type, metric_id AS user_id, name AS user_name, md5(scope) AS scope_id,
          scope->'$.spend' AS picks
        FROM metrics WHERE scope->>'$.type' = 'spend'
        UNION ALL SELECT org_id, 'team', team_id, name, md5(ownership), ownership FROM teams
        UNION ALL SELECT org_id, 'shared cost', shared_cost_id, name, md5(spend), spend FROM shared_costs))`,
];
