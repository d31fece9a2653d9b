/** A step of the schema. */
export interface Migration {
  version: number;
  name: string;
  statements: readonly string[];
}

/**
 * The schema, as numbered steps that each run once. Tables are append-only logs. Views show their current state: the newest row
 * by a time-ordered id. All statements run on both DuckDB and DuckLake (docs/design.md#one-sql-for-two-engines).
 */
export const MIGRATIONS: readonly Migration[] = [
  {
    version: 1,
    name: 'organisations, keys, calls, audit',
    statements: [
      `CREATE TABLE organisation_versions (
        org_id VARCHAR, version_id UUID, name VARCHAR, tier VARCHAR, currency VARCHAR, settle_days INTEGER,
        changed_at TIMESTAMP)`,
      `CREATE VIEW organisations AS
        SELECT * FROM organisation_versions
        QUALIFY row_number() OVER (PARTITION BY org_id ORDER BY version_id DESC) = 1`,
      `CREATE TABLE api_keys (
        org_id VARCHAR, key_id VARCHAR, name VARCHAR, permission VARCHAR, secret_hash VARCHAR,
        expires_at TIMESTAMP, created_at TIMESTAMP)`,
      `CREATE TABLE api_key_revocations (org_id VARCHAR, key_id VARCHAR, revoked_at TIMESTAMP)`,
      `CREATE TABLE api_calls (
        org_id VARCHAR, day DATE, key_id VARCHAR, calls BIGINT, last_call_at TIMESTAMP)`,
      `CREATE TABLE audit_log (
        org_id VARCHAR, id UUID, recorded_at TIMESTAMP, actor_type VARCHAR, actor_id VARCHAR, actor_name VARCHAR,
        action VARCHAR, target VARCHAR, detail JSON)`,
    ],
  },
  {
    version: 2,
    name: 'cost sources, runs, loads, cloud spend',
    statements: [
      `CREATE TABLE cost_source_versions (
        org_id VARCHAR, source_id VARCHAR, version_id UUID, name VARCHAR, kind VARCHAR, location VARCHAR,
        currency VARCHAR, options JSON, schedule_paused BOOLEAN, deleted BOOLEAN, changed_at TIMESTAMP)`,
      `CREATE VIEW cost_sources AS
        SELECT * EXCLUDE (deleted) FROM (
          SELECT * FROM cost_source_versions
          QUALIFY row_number() OVER (PARTITION BY org_id, source_id ORDER BY version_id DESC) = 1)
        WHERE NOT deleted`,
      `CREATE TABLE ingest_run_events (
        org_id VARCHAR, run_id VARCHAR, event_id UUID, source_id VARCHAR, workflow_id VARCHAR, status VARCHAR,
        started_at TIMESTAMP, finished_at TIMESTAMP, months JSON, rows_read BIGINT, rows_rejected BIGINT,
        rejected_samples JSON, cost_total DECIMAL(38,15), notes JSON, error VARCHAR)`,
      // A run that has ended stays ended, whatever the order of its events.
      `CREATE VIEW ingest_runs AS
        SELECT * FROM ingest_run_events
        QUALIFY row_number() OVER (
          PARTITION BY org_id, run_id ORDER BY (status <> 'running') DESC, event_id DESC) = 1`,
      // account is the sub account. split_value is a service or resource group, as split_kind says. split_value and tag_value
      // are collected from the day on which the account has a split or the cloud a tag key (spend_choices). resource_id is kept
      // only if the resource can be part of a cluster or host (docs/design.md#one-sql-for-two-engines).
      `CREATE TABLE cloud_spend (
        org_id VARCHAR, source_id VARCHAR, load_id UUID, billing_period DATE, day DATE, cloud VARCHAR,
        account VARCHAR, split_kind VARCHAR, split_value VARCHAR, tag_key VARCHAR, tag_value VARCHAR,
        resource_id VARCHAR, cost DECIMAL(38,15))`,
      `CREATE TABLE account_names (
        org_id VARCHAR, source_id VARCHAR, load_id UUID, billing_period DATE, cloud VARCHAR, account VARCHAR,
        name VARCHAR)`,
      // One row publishes a load as the current one of its source and billing period. A load gets its id when its attempt
      // starts to read. So the newest reading wins, even if an older attempt publishes later.
      `CREATE TABLE loads (
        org_id VARCHAR, source_id VARCHAR, billing_period DATE, load_id UUID, run_id VARCHAR,
        published_at TIMESTAMP, cost_column VARCHAR, rows_read BIGINT, cost_total DECIMAL(38,15),
        first_day DATE, last_day DATE, delivered_through DATE)`,
      `CREATE VIEW current_loads AS
        SELECT loads.*, cost_sources.kind FROM loads JOIN cost_sources USING (org_id, source_id)
        QUALIFY row_number() OVER (
          PARTITION BY loads.org_id, loads.source_id, loads.billing_period ORDER BY loads.load_id DESC) = 1`,
    ],
  },
  {
    version: 3,
    name: 'metrics, values, settled and locked months',
    statements: [
      `CREATE TABLE metric_versions (
        org_id VARCHAR, metric_id VARCHAR, version_id UUID, name VARCHAR, unit VARCHAR, kind VARCHAR,
        aggregation VARCHAR, frequency VARCHAR, scope JSON, target DECIMAL(38,10), label_key VARCHAR,
        created_at TIMESTAMP, deleted BOOLEAN, changed_at TIMESTAMP, changed_by VARCHAR)`,
      `CREATE VIEW metrics AS
        SELECT * EXCLUDE (deleted) FROM (
          SELECT * FROM metric_versions
          QUALIFY row_number() OVER (PARTITION BY org_id, metric_id ORDER BY version_id DESC) = 1)
        WHERE NOT deleted`,
      // value NULL records a removal. A period is its first day; a metric without labels has label ''.
      `CREATE TABLE metric_value_changes (
        org_id VARCHAR, metric_id VARCHAR, change_id UUID, period DATE, label VARCHAR, value DECIMAL(38,10),
        source VARCHAR, changed_by_type VARCHAR, changed_by_id VARCHAR, changed_by_name VARCHAR,
        changed_at TIMESTAMP)`,
      `CREATE VIEW metric_values AS
        SELECT * FROM (
          SELECT * FROM metric_value_changes
          QUALIFY row_number() OVER (
            PARTITION BY org_id, metric_id, period, label ORDER BY change_id DESC) = 1)
        WHERE value IS NOT NULL`,
      `CREATE TABLE settled_months (org_id VARCHAR, month DATE, settled_at TIMESTAMP)`,
      `CREATE TABLE month_locks (
        org_id VARCHAR, metric_id VARCHAR, month DATE, lock_id UUID, cost DECIMAL(38,15), value DECIMAL(38,10),
        unit_cost DECIMAL(38,20), label_values JSON, value_changes BIGINT, locked_at TIMESTAMP, locked_by_id VARCHAR,
        locked_by_name VARCHAR)`,
      `CREATE VIEW month_versions AS
        SELECT *, row_number() OVER (PARTITION BY org_id, metric_id, month ORDER BY lock_id) AS version
        FROM month_locks`,
    ],
  },
  {
    version: 4,
    name: 'clusters, hosts, AI tools, counted spend, picks',
    statements: [
      // A workload's row has its direct cost. A row of idle capacity (is_idle) has no namespace and no workload.
      `CREATE TABLE kubernetes_spend (
        org_id VARCHAR, source_id VARCHAR, load_id UUID, billing_period DATE, day DATE, cluster VARCHAR,
        namespace VARCHAR, workload VARCHAR, is_idle BOOLEAN, cost DECIMAL(38,15))`,
      // kind is node, disk, load_balancer or management. project is the cloud project, if the feed knows it.
      `CREATE TABLE cluster_assets (
        org_id VARCHAR, source_id VARCHAR, load_id UUID, billing_period DATE, day DATE, cluster VARCHAR,
        kind VARCHAR, provider_id VARCHAR, project VARCHAR, cost DECIMAL(38,15))`,
      // service is null for the host's idle share. machine_id is the id of the host on a bill.
      `CREATE TABLE host_spend (
        org_id VARCHAR, source_id VARCHAR, load_id UUID, billing_period DATE, day DATE, host VARCHAR,
        service VARCHAR, machine_id VARCHAR, cost DECIMAL(38,15))`,
      `CREATE TABLE ai_tool_spend (
        org_id VARCHAR, source_id VARCHAR, load_id UUID, billing_period DATE, day DATE, tool VARCHAR,
        kind VARCHAR, cost DECIMAL(38,15))`,
      // repository is null for usage without a repository.
      `CREATE TABLE ai_usage (
        org_id VARCHAR, source_id VARCHAR, load_id UUID, billing_period DATE, day DATE, tool VARCHAR,
        repository VARCHAR, usage DECIMAL(38,6))`,
      // The inputs of a month's computed spend, and its id in the tables below.
      `CREATE TABLE month_computations (
        org_id VARCHAR, month DATE, computation_id UUID, made_of VARCHAR, computed_at TIMESTAMP)`,
      `CREATE VIEW current_computations AS
        SELECT * FROM month_computations
        QUALIFY row_number() OVER (PARTITION BY org_id, month ORDER BY computation_id DESC) = 1`,
      // The loads that a computation read. Later reads of the bill lines use the same loads.
      `CREATE TABLE computed_loads (
        org_id VARCHAR, month DATE, computation_id UUID, load_id UUID, billing_period DATE)`,
      // Bill lines of this resource on this day are spend of the cluster or host.
      `CREATE TABLE covered_resources (
        org_id VARCHAR, month DATE, computation_id UUID, day DATE, cloud VARCHAR, account VARCHAR,
        resource_id VARCHAR, cluster VARCHAR, host VARCHAR)`,
      // All counted spend that is no bill line. Together with the lines it adds up to the total, every dollar once.
      `CREATE TABLE distributed_spend (
        org_id VARCHAR, month DATE, computation_id UUID, day DATE, source VARCHAR, cluster VARCHAR,
        namespace VARCHAR, workload VARCHAR, host VARCHAR, host_service VARCHAR, tool VARCHAR,
        repository VARCHAR, cost DECIMAL(38,15))`,
      // The total by day, source and the account of the bill, if any.
      `CREATE TABLE daily_totals (
        org_id VARCHAR, month DATE, computation_id UUID, day DATE, source VARCHAR, cloud VARCHAR,
        account VARCHAR, cost DECIMAL(38,15))`,
      // The spend of the month so far, by everything that can be picked. Each row has its keys (pick-key.ts).
      `CREATE TABLE month_spend (
        org_id VARCHAR, month DATE, computation_id UUID, keys VARCHAR[], cost DECIMAL(38,15))`,
      // The cost of a scope in a computed month. scope_id identifies the scope's text, which several metrics may share.
      `CREATE TABLE scope_costs (
        org_id VARCHAR, scope_id VARCHAR, month DATE, computation_id UUID, cost DECIMAL(38,15))`,
      // One tag key per cloud (account '') and one split per account. A choice of NULL records a release.
      `CREATE TABLE spend_choice_versions (
        org_id VARCHAR, kind VARCHAR, cloud VARCHAR, account VARCHAR, version_id UUID, choice VARCHAR,
        first_day DATE, changed_at TIMESTAMP)`,
      `CREATE VIEW spend_choices AS
        SELECT * FROM (
          SELECT * FROM spend_choice_versions
          QUALIFY row_number() OVER (PARTITION BY org_id, kind, cloud, account ORDER BY version_id DESC) = 1)
        WHERE choice IS NOT NULL`,
    ],
  },
  {
    version: 5,
    name: 'teams, shared costs, bills',
    statements: [
      `CREATE TABLE team_versions (
        org_id VARCHAR, team_id VARCHAR, version_id UUID, name VARCHAR, ownership JSON, deleted BOOLEAN,
        changed_at TIMESTAMP, changed_by VARCHAR)`,
      `CREATE VIEW teams AS
        SELECT * EXCLUDE (deleted) FROM (
          SELECT * FROM team_versions
          QUALIFY row_number() OVER (PARTITION BY org_id, team_id ORDER BY version_id DESC) = 1)
        WHERE NOT deleted`,
      `CREATE TABLE shared_cost_versions (
        org_id VARCHAR, shared_cost_id VARCHAR, version_id UUID, name VARCHAR, spend JSON, split JSON,
        deleted BOOLEAN, changed_at TIMESTAMP, changed_by VARCHAR)`,
      `CREATE VIEW shared_costs AS
        SELECT * EXCLUDE (deleted) FROM (
          SELECT * FROM shared_cost_versions
          QUALIFY row_number() OVER (PARTITION BY org_id, shared_cost_id ORDER BY version_id DESC) = 1)
        WHERE NOT deleted`,
      // The basis of a month's sealed bills (domain/teams/bill.ts): owned spend and shared costs of that moment, the newest
      // change of a value that they are split by, and the newest change of a team or shared cost.
      `CREATE TABLE bill_bases (
        org_id VARCHAR, month DATE, version_id UUID, basis JSON, metric_ids VARCHAR[], values_id UUID,
        definitions_id UUID, sealed_at TIMESTAMP)`,
      `CREATE VIEW current_bill_bases AS
        SELECT * FROM bill_bases
        QUALIFY row_number() OVER (PARTITION BY org_id, month ORDER BY version_id DESC) = 1`,
      // by_source and shared_costs hold amounts as exact texts. The basis of a bill has the same version_id.
      `CREATE TABLE sealed_bills (
        org_id VARCHAR, team_id VARCHAR, month DATE, version_id UUID, direct DECIMAL(38,15), shared DECIMAL(38,15),
        by_source JSON, shared_costs JSON, sealed_at TIMESTAMP)`,
      `CREATE VIEW bill_versions AS
        SELECT *, row_number() OVER (PARTITION BY org_id, team_id, month ORDER BY version_id) AS version
        FROM sealed_bills`,
      // The picks of metrics, teams and shared costs, one row each. Parts that a pick does not name are null.
      `CREATE VIEW spend_picks AS
        SELECT org_id, user_type, user_id, user_name, scope_id, pick.source, pick.cloud,
          pick.account, CASE WHEN pick.resource_group IS NOT NULL THEN 'resource_group'
            WHEN pick.source = 'cloud' AND pick.service IS NOT NULL THEN 'service' END AS split_kind,
          CASE WHEN pick.source = 'cloud' THEN COALESCE(pick.resource_group, pick.service) END AS split_value,
          pick.tag.key AS tag_key, pick.tag.value AS tag_value, pick.cluster, pick.namespace, pick.workload,
          pick.host, CASE WHEN pick.source = 'host' THEN pick.service END AS host_service, pick.repository
        FROM (
          SELECT org_id, user_type, user_id, user_name, scope_id, unnest(from_json(picks, '[{"source":"VARCHAR",
            "cloud":"VARCHAR","account":"VARCHAR","service":"VARCHAR","resource_group":"VARCHAR",
            "tag":{"key":"VARCHAR","value":"VARCHAR"},"cluster":"VARCHAR","namespace":"VARCHAR",
            "workload":"VARCHAR","host":"VARCHAR","repository":"VARCHAR"}]')) AS pick
          FROM (
            SELECT org_id, 'metric' AS user_type, metric_id AS user_id, name AS user_name, md5(scope) AS scope_id,
              scope->'$.spend' AS picks
            FROM metrics WHERE scope->>'$.type' = 'spend'
            UNION ALL SELECT org_id, 'team', team_id, name, md5(ownership), ownership FROM teams
            UNION ALL SELECT org_id, 'shared cost', shared_cost_id, name, md5(spend), spend FROM shared_costs))`,
    ],
  },
  {
    version: 6,
    name: 'webhooks, events, deliveries',
    statements: [
      // The limits of a rise. NULL means the default, JSON null means never.
      `ALTER TABLE metric_versions ADD COLUMN rise JSON`,
      `CREATE OR REPLACE VIEW metrics AS
        SELECT * EXCLUDE (deleted) FROM (
          SELECT * FROM metric_versions
          QUALIFY row_number() OVER (PARTITION BY org_id, metric_id ORDER BY version_id DESC) = 1)
        WHERE NOT deleted`,
      `CREATE TABLE webhook_versions (
        org_id VARCHAR, webhook_id VARCHAR, version_id UUID, url VARCHAR, events VARCHAR[], enabled BOOLEAN,
        created_at TIMESTAMP, deleted BOOLEAN, changed_at TIMESTAMP, changed_by VARCHAR)`,
      `CREATE VIEW webhooks AS
        SELECT * EXCLUDE (deleted) FROM (
          SELECT * FROM webhook_versions
          QUALIFY row_number() OVER (PARTITION BY org_id, webhook_id ORDER BY version_id DESC) = 1)
        WHERE NOT deleted`,
      // Secrets are sealed (security/sealing.ts). The newest one signs, and older ones for a while longer.
      `CREATE TABLE webhook_secrets (
        org_id VARCHAR, webhook_id VARCHAR, secret_id UUID, sealed_secret VARCHAR, created_at TIMESTAMP)`,
      // One fact has one event id, even if it is raised several times.
      `CREATE TABLE event_log (
        org_id VARCHAR, event_id VARCHAR, type VARCHAR, subject VARCHAR, fact VARCHAR, payload VARCHAR,
        raised_at TIMESTAMP)`,
      `CREATE VIEW events AS
        SELECT * FROM event_log
        QUALIFY row_number() OVER (PARTITION BY org_id, event_id ORDER BY raised_at, payload) = 1`,
      `CREATE TABLE webhook_delivery_states (
        org_id VARCHAR, webhook_id VARCHAR, event_id VARCHAR, state_id UUID, status VARCHAR, reason VARCHAR,
        changed_at TIMESTAMP)`,
      // A delivery that has ended stays ended, whatever the order of its states. The id of its first state is its id.
      `CREATE VIEW webhook_deliveries AS
        SELECT *, min(state_id) OVER whole AS delivery_id, min(changed_at) OVER whole AS created_at
        FROM webhook_delivery_states
        WINDOW whole AS (PARTITION BY org_id, webhook_id, event_id)
        QUALIFY row_number() OVER (
          PARTITION BY org_id, webhook_id, event_id ORDER BY (status <> 'pending') DESC, state_id DESC) = 1`,
      // Records that a delivery's workflow has been started. Until then the service tries again to start it.
      `CREATE TABLE webhook_delivery_starts (
        org_id VARCHAR, webhook_id VARCHAR, event_id VARCHAR, started_at TIMESTAMP)`,
      // answer is the first 1,000 bytes of the endpoint's response.
      `CREATE TABLE webhook_attempts (
        org_id VARCHAR, webhook_id VARCHAR, event_id VARCHAR, attempt_id UUID, attempted_at TIMESTAMP,
        status_code INTEGER, error VARCHAR, answer VARCHAR)`,
      // Whether a month was above its metric's target at the last comparison, and how often it has gone above it.
      `CREATE TABLE target_states (
        org_id VARCHAR, metric_id VARCHAR, month DATE, state_id UUID, above BOOLEAN, crossings INTEGER,
        changed_at TIMESTAMP)`,
      `CREATE VIEW current_target_states AS
        SELECT * FROM target_states
        QUALIFY row_number() OVER (PARTITION BY org_id, metric_id, month ORDER BY state_id DESC) = 1`,
    ],
  },
  {
    version: 7,
    name: 'who changed a cost source, months settled with teams, unit costs of any size',
    statements: [
      `ALTER TABLE cost_source_versions ADD COLUMN changed_by VARCHAR`,
      `CREATE OR REPLACE VIEW cost_sources AS
        SELECT * EXCLUDE (deleted) FROM (
          SELECT * FROM cost_source_versions
          QUALIFY row_number() OVER (PARTITION BY org_id, source_id ORDER BY version_id DESC) = 1)
        WHERE NOT deleted`,
      // Whether there had been any team when the month settled. NULL in months that settled in earlier versions.
      `ALTER TABLE settled_months ADD COLUMN with_teams BOOLEAN`,
      // Text, because a cost divided by a value can have more digits than a DECIMAL holds.
      `ALTER TABLE month_locks ADD COLUMN unit_cost_text VARCHAR`,
      `CREATE OR REPLACE VIEW month_versions AS
        SELECT * REPLACE (COALESCE(unit_cost_text, CAST(unit_cost AS VARCHAR)) AS unit_cost),
          row_number() OVER (PARTITION BY org_id, metric_id, month ORDER BY lock_id) AS version
        FROM month_locks`,
    ],
  },
  {
    version: 8,
    name: 'coverage: where a source begins, what settled before it, what locked months missed',
    statements: [
      // Before this day the source had no spend. NULL means not known.
      `ALTER TABLE cost_source_versions ADD COLUMN starts_on DATE`,
      `CREATE OR REPLACE VIEW cost_sources AS
        SELECT * EXCLUDE (deleted) FROM (
          SELECT * FROM cost_source_versions
          QUALIFY row_number() OVER (PARTITION BY org_id, source_id ORDER BY version_id DESC) = 1)
        WHERE NOT deleted`,
      // Sorts after every version of a source that the settlement knew. NULL in months that settled in earlier versions.
      `ALTER TABLE settled_months ADD COLUMN settled_id UUID`,
      // Data that was missing at the lock, as a list of sentences. NULL if nothing was missing.
      `ALTER TABLE month_locks ADD COLUMN missing JSON`,
      `CREATE OR REPLACE VIEW month_versions AS
        SELECT * REPLACE (COALESCE(unit_cost_text, CAST(unit_cost AS VARCHAR)) AS unit_cost),
          row_number() OVER (PARTITION BY org_id, metric_id, month ORDER BY lock_id) AS version
        FROM month_locks`,
    ],
  },
  {
    version: 9,
    name: 'months settled late, why bills were sealed',
    statements: [
      // Whether the month's spend was complete only long after its end. From this version on, with_teams counts existing
      // teams only. NULL in months that settled in earlier versions (sealed-months.ts).
      `ALTER TABLE settled_months ADD COLUMN backfilled BOOLEAN`,
      // The inputs of the bills: the month's computed spend, and the numbers of changes of teams, shared costs and split values.
      // They replace values_id and definitions_id, because ids of different things have no order. NULL in rows of earlier
      // versions.
      `ALTER TABLE bill_bases ADD COLUMN computation_id UUID`,
      `ALTER TABLE bill_bases ADD COLUMN definition_changes BIGINT`,
      `ALTER TABLE bill_bases ADD COLUMN value_changes BIGINT`,
      // sealed_because is settled, values_changed, backfill or resealed. Only resealed has sealed_by_id and sealed_by_name.
      `ALTER TABLE bill_bases ADD COLUMN sealed_because VARCHAR`,
      `ALTER TABLE bill_bases ADD COLUMN reason VARCHAR`,
      `ALTER TABLE bill_bases ADD COLUMN sealed_by_id VARCHAR`,
      `ALTER TABLE bill_bases ADD COLUMN sealed_by_name VARCHAR`,
      `CREATE OR REPLACE VIEW current_bill_bases AS
        SELECT * FROM bill_bases
        QUALIFY row_number() OVER (PARTITION BY org_id, month ORDER BY version_id DESC) = 1`,
      // Earlier versions recorded no cause. If the definitions changed between two versions, the month followed them.
      `CREATE OR REPLACE VIEW bill_versions AS
        SELECT * REPLACE (COALESCE(sealed_because, CASE WHEN version = 1 THEN 'settled'
            WHEN definitions_id IS DISTINCT FROM lag(definitions_id) OVER (PARTITION BY org_id, team_id, month ORDER BY version)
              THEN 'backfill' ELSE 'values_changed' END) AS sealed_because)
        FROM (
          SELECT sealed_bills.*, sealed_because, reason, sealed_by_id, sealed_by_name, definitions_id,
            row_number() OVER (PARTITION BY org_id, team_id, month ORDER BY version_id) AS version
          FROM sealed_bills LEFT JOIN (
            SELECT org_id, month, version_id, sealed_because, reason, sealed_by_id, sealed_by_name, definitions_id
            FROM bill_bases) USING (org_id, month, version_id))`,
    ],
  },
  {
    version: 10,
    name: 'the days of bills',
    statements: [
      // The days of a bill's load. inside_day: at least one charge lies inside the day, instead of being spread over it from a
      // longer period. Loads of earlier versions have no rows.
      `CREATE TABLE bill_days (
        org_id VARCHAR, source_id VARCHAR, load_id UUID, billing_period DATE, day DATE, inside_day BOOLEAN,
        cost DECIMAL(38,15))`,
    ],
  },
  {
    version: 11,
    name: 'what was decided about assets, the files that loads read',
    statements: [
      // reason is followed (assets without a line of their own followed their cluster), borrowed (the cluster's nearest known
      // assets decided: those of asset_day, null if none are known; assets identifies them) or ambiguous (machines in several
      // places have the same name).
      `CREATE TABLE asset_decisions (
        org_id VARCHAR, month DATE, computation_id UUID, reason VARCHAR, day DATE, cluster VARCHAR, host VARCHAR,
        is_on_bill BOOLEAN, asset_day DATE, assets VARCHAR, name VARCHAR, places VARCHAR, cost DECIMAL(38,15))`,
      // The files that a load read, by path or URL, because two sources that read the same file count it twice.
      `CREATE TABLE load_files (org_id VARCHAR, source_id VARCHAR, load_id UUID, file VARCHAR)`,
    ],
  },
  {
    version: 12,
    name: 'idle capacity as a pick, tag keys and splits that are not used for a while',
    statements: [
      // The picks of metrics, teams and shared costs. idle is true for picks of the idle capacity of a cluster or host.
      `CREATE OR REPLACE VIEW spend_picks AS
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
      // The day since which nothing uses a choice, whose values stay for a while (spend-choices.ts). It is NULL in rows of
      // earlier versions, whose choices were in use, or released for good by a choice of NULL.
      `ALTER TABLE spend_choice_versions ADD COLUMN unused_since DATE`,
      `CREATE OR REPLACE VIEW spend_choices AS
        SELECT * FROM (
          SELECT * FROM spend_choice_versions
          QUALIFY row_number() OVER (PARTITION BY org_id, kind, cloud, account ORDER BY version_id DESC) = 1)
        WHERE choice IS NOT NULL`,
    ],
  },
  {
    version: 13,
    name: 'days of the running month and the month before',
    statements: [
      // The cost of a scope on a day of a computed month. Each known month has a row of cost 0 on its first day.
      `CREATE TABLE scope_day_costs (
        org_id VARCHAR, scope_id VARCHAR, month DATE, computation_id UUID, day DATE, cost DECIMAL(38,15))`,
      // Spend that teams and shared costs own on a day, by all their picks (definitions_id). Known months have a 0 of 'nobody'.
      `CREATE TABLE owner_day_costs (
        org_id VARCHAR, month DATE, computation_id UUID, definitions_id VARCHAR, day DATE, user_type VARCHAR,
        user_id VARCHAR, owned_source VARCHAR, cost DECIMAL(38,15))`,
      // The target that a metric's months were last compared with.
      `CREATE TABLE judged_targets (
        org_id VARCHAR, metric_id VARCHAR, state_id UUID, target DECIMAL(38,10), changed_at TIMESTAMP)`,
      `CREATE VIEW current_judged_targets AS
        SELECT * FROM judged_targets
        QUALIFY row_number() OVER (PARTITION BY org_id, metric_id ORDER BY state_id DESC) = 1`,
    ],
  },
  {
    version: 14,
    name: 'the days that a load of clusters or hosts covers',
    statements: [
      // NULL for bills and AI tools, and in loads of earlier versions (coverage.ts).
      `ALTER TABLE loads ADD COLUMN covered_days DATE[]`,
      `CREATE OR REPLACE VIEW current_loads AS
        SELECT loads.*, cost_sources.kind FROM loads JOIN cost_sources USING (org_id, source_id)
        QUALIFY row_number() OVER (
          PARTITION BY loads.org_id, loads.source_id, loads.billing_period ORDER BY loads.load_id DESC) = 1`,
    ],
  },
  {
    version: 15,
    name: 'whether the clusters that lend assets are on a bill',
    statements: [
      // Days on which a bill has nodes or disks that the cluster reported on the same day.
      `CREATE TABLE billed_clusters (org_id VARCHAR, month DATE, computation_id UUID, day DATE, cluster VARCHAR)`,
      // Whether the cluster was on a bill on asset_day. NULL in decisions with other reasons.
      `ALTER TABLE asset_decisions ADD COLUMN lender_is_on_bill BOOLEAN`,
    ],
  },
  {
    version: 16,
    name: 'rows that a run leaves out, loads that nothing can be computed from',
    statements: [
      // Rows of other months, shared cost, usage without spend. NULL in runs of earlier versions.
      `ALTER TABLE ingest_run_events ADD COLUMN rows_left_out BIGINT`,
      `CREATE OR REPLACE VIEW ingest_runs AS
        SELECT * FROM ingest_run_events
        QUALIFY row_number() OVER (
          PARTITION BY org_id, run_id ORDER BY (status <> 'running') DESC, event_id DESC) = 1`,
      // Earlier versions did not reject rows beyond these days (readable-limits.ts), on which every computation failed.
      `DELETE FROM loads
        WHERE NOT (billing_period BETWEEN DATE '1970-01-01' AND CAST(published_at AS DATE) + INTERVAL 10 YEARS
          AND first_day >= DATE '1970-01-01' AND last_day <= CAST(published_at AS DATE) + INTERVAL 10 YEARS)`,
    ],
  },
  {
    version: 17,
    name: 'how long the records of the audit log are',
    statements: [
      // The length of detail, so that a page can be limited without reading it. NULL in records of earlier versions.
      `ALTER TABLE audit_log ADD COLUMN detail_bytes BIGINT`,
    ],
  },
  {
    version: 18,
    name: 'revenue, sealed',
    statements: [
      // NULL on count metrics, as in all rows of earlier versions.
      `ALTER TABLE metric_versions ADD COLUMN currency VARCHAR`,
      `ALTER TABLE metric_versions ADD COLUMN assistant_access BOOLEAN`,
      `CREATE OR REPLACE VIEW metrics AS
        SELECT * EXCLUDE (deleted) FROM (
          SELECT * FROM metric_versions
          QUALIFY row_number() OVER (PARTITION BY org_id, metric_id ORDER BY version_id DESC) = 1)
        WHERE NOT deleted`,
      // Of revenue, value is always NULL, and sealed_value holds it (revenue-vault.ts). Both are NULL in a removal.
      `ALTER TABLE metric_value_changes ADD COLUMN sealed_value VARCHAR`,
      `CREATE OR REPLACE VIEW metric_values AS
        SELECT * FROM (
          SELECT * FROM metric_value_changes
          QUALIFY row_number() OVER (
            PARTITION BY org_id, metric_id, period, label ORDER BY change_id DESC) = 1)
        WHERE value IS NOT NULL OR sealed_value IS NOT NULL`,
      // Of revenue, cost, value and unit_cost_text are NULL, and sealed_numbers holds them.
      `ALTER TABLE month_locks ADD COLUMN sealed_numbers VARCHAR`,
      `CREATE OR REPLACE VIEW month_versions AS
        SELECT * REPLACE (COALESCE(unit_cost_text, CAST(unit_cost AS VARCHAR)) AS unit_cost),
          row_number() OVER (PARTITION BY org_id, metric_id, month ORDER BY lock_id) AS version
        FROM month_locks`,
    ],
  },
  {
    version: 19,
    name: 'daily imports of values',
    statements: [
      // A metric has at most one connection. type is bigquery or stripe. The import owns the values from first_day on.
      `CREATE TABLE import_versions (
        org_id VARCHAR, import_id VARCHAR, version_id UUID, metric_id VARCHAR, type VARCHAR, project_id VARCHAR, location VARCHAR,
        query VARCHAR, credential_id VARCHAR, first_day DATE, connected_at TIMESTAMP, deleted BOOLEAN, changed_at TIMESTAMP,
        changed_by VARCHAR)`,
      `CREATE VIEW imports AS
        SELECT * EXCLUDE (deleted) FROM (
          SELECT * FROM import_versions
          QUALIFY row_number() OVER (PARTITION BY org_id, import_id ORDER BY version_id DESC) = 1)
        WHERE NOT deleted`,
      // Replaced and disconnected credentials are deleted at once. Each deletion asks the maintenance for an erasure.
      `CREATE TABLE import_credentials (
        org_id VARCHAR, metric_id VARCHAR, credential_id VARCHAR, sealed_credential VARCHAR, stored_at TIMESTAMP)`,
      `CREATE TABLE erasures (org_id VARCHAR, requested_at TIMESTAMP)`,
      // sealed_totals are net sales in other currencies; NULL without such sales.
      `CREATE TABLE import_run_events (
        org_id VARCHAR, run_id VARCHAR, event_id UUID, metric_id VARCHAR, credential_id VARCHAR, workflow_id VARCHAR,
        status VARCHAR, started_at TIMESTAMP, finished_at TIMESTAMP, start_day DATE, end_day DATE, rows_read BIGINT,
        changed BIGINT, removed BIGINT, notes JSON, sealed_totals VARCHAR, error VARCHAR)`,
      // A run that has ended stays ended, whatever the order of its events.
      `CREATE VIEW import_runs AS
        SELECT * FROM import_run_events
        QUALIFY row_number() OVER (
          PARTITION BY org_id, run_id ORDER BY (status <> 'running') DESC, event_id DESC) = 1`,
    ],
  },
  {
    version: 20,
    name: 'browser sessions that were signed out',
    statements: [
      // A session itself is in its cookie (session-cookie.ts). expires_at is when it would have expired.
      `CREATE TABLE session_ends (org_id VARCHAR, session_id VARCHAR, ended_at TIMESTAMP, expires_at TIMESTAMP)`,
    ],
  },
  {
    version: 21,
    name: 'what bills could be divided by',
    statements: [
      // Services and resource groups of accounts, and tag values of clouds, with the bill's cost: the dearest of each load,
      // whether they are collected or not (bill-values.ts). Tag values have no account. Loads of earlier versions have no rows.
      `CREATE TABLE bill_values (
        org_id VARCHAR, source_id VARCHAR, load_id UUID, billing_period DATE, cloud VARCHAR, account VARCHAR,
        split_kind VARCHAR, split_value VARCHAR, tag_key VARCHAR, tag_value VARCHAR, cost DECIMAL(38,15))`,
    ],
  },
  {
    version: 22,
    name: 'doubts about the months of sources, decisions about their accounts, clusters, hosts and tools',
    statements: [
      // What a load, or a month's computation, found to be doubtful about a month (doubts.ts). phrase continues the sentence
      // that names the source. unit is the account, cluster, host or tool; null for the whole source.
      `CREATE TABLE load_doubts (
        org_id VARCHAR, source_id VARCHAR, load_id UUID, billing_period DATE, month DATE, code VARCHAR, unit VARCHAR,
        phrase VARCHAR, amount DECIMAL(38,15))`,
      `CREATE TABLE month_doubts (
        org_id VARCHAR, month DATE, computation_id UUID, source_id VARCHAR, code VARCHAR, unit VARCHAR, phrase VARCHAR,
        amount DECIMAL(38,15))`,
      // ended_on is the last day that counts; NULL if the unit has not ended. stands: its charges are right beside those of
      // another source or file.
      `CREATE TABLE unit_decisions (
        org_id VARCHAR, source_id VARCHAR, unit VARCHAR, decision_id UUID, ended_on DATE, stands BOOLEAN,
        decided_at TIMESTAMP, decided_by_id VARCHAR, decided_by_name VARCHAR)`,
      `CREATE VIEW decided_units AS
        SELECT * FROM unit_decisions
        QUALIFY row_number() OVER (PARTITION BY org_id, source_id, unit ORDER BY decision_id DESC) = 1`,
    ],
  },
  {
    version: 23,
    name: 'the names and zones of resources on bills',
    statements: [
      // resource_name is the bill's own name of the resource, and zone its zone or region. They are NULL in loads of earlier
      // versions, and where the bill names nothing.
      `ALTER TABLE cloud_spend ADD COLUMN resource_name VARCHAR`,
      `ALTER TABLE cloud_spend ADD COLUMN zone VARCHAR`,
    ],
  },
  {
    version: 24,
    name: 'webhooks whose endpoints have gone',
    statements: [
      // Why the service has disabled a webhook. NULL if it has not, or if a person did.
      `ALTER TABLE webhook_versions ADD COLUMN disabled_reason VARCHAR`,
      `CREATE OR REPLACE VIEW webhooks AS
        SELECT * EXCLUDE (deleted) FROM (
          SELECT * FROM webhook_versions
          QUALIFY row_number() OVER (PARTITION BY org_id, webhook_id ORDER BY version_id DESC) = 1)
        WHERE NOT deleted`,
      // The seconds that the endpoint asked to wait, within the limits (domain/events/retry-after.ts). NULL if it did not ask.
      `ALTER TABLE webhook_attempts ADD COLUMN retry_after INTEGER`,
    ],
  },
  {
    version: 25,
    name: 'the days of accounts, clusters, hosts and tools, and how far their files were written',
    statements: [
      // Bit n of days is set if the unit has rows of day n + 1 of the billing period's month. Bit n of spend_days is set if these
      // rows cost something (unit-days.ts). cost is that of the days. Loads of earlier versions have no rows.
      `CREATE TABLE load_units (
        org_id VARCHAR, source_id VARCHAR, load_id UUID, billing_period DATE, kind VARCHAR, unit VARCHAR, days BIGINT,
        spend_days BIGINT, cost DECIMAL(38,15))`,
      // The units whose missing days of a month somebody has accepted with a lock. Each month and unit has one row.
      `CREATE TABLE accepted_units (
        org_id VARCHAR, source_id VARCHAR, unit VARCHAR, month DATE, accepted_at TIMESTAMP)`,
      // The last day before the first that a file of the load was written in. NULL if each day had ended before.
      `ALTER TABLE loads ADD COLUMN written_through DATE`,
      `CREATE OR REPLACE VIEW current_loads AS
        SELECT loads.*, cost_sources.kind FROM loads JOIN cost_sources USING (org_id, source_id)
        QUALIFY row_number() OVER (
          PARTITION BY loads.org_id, loads.source_id, loads.billing_period ORDER BY loads.load_id DESC) = 1`,
    ],
  },
  {
    version: 26,
    name: 'rows that could not be read, by day',
    statements: [
      // What load_doubts says of rejected rows, by day, so that a day that a later load keeps also keeps its rejected rows. day is
      // NULL if it could not be read, and in bills, which keep no days. is_dated is false if the month could not be read either.
      // amount is NULL unless all costs could be read.
      `CREATE TABLE rejected_days (
        org_id VARCHAR, source_id VARCHAR, load_id UUID, billing_period DATE, month DATE, day DATE, feed VARCHAR,
        is_dated BOOLEAN, row_count BIGINT, sample VARCHAR, amount DECIMAL(38,15))`,
      // Billing periods of which a run could read no row. It publishes no load of them, but what it found counts beside the
      // period's earlier load.
      `CREATE TABLE unread_periods (
        org_id VARCHAR, source_id VARCHAR, load_id UUID, billing_period DATE, published_at TIMESTAMP)`,
    ],
  },
  {
    version: 27,
    name: 'when months that began late stop to follow today, and charges that stand twice',
    statements: [
      // Whether a later month had settled in time (sealed-months.ts). NULL in seals of earlier versions, which were the last ones.
      `ALTER TABLE bill_bases ADD COLUMN closes BOOLEAN`,
      `CREATE OR REPLACE VIEW current_bill_bases AS
        SELECT * FROM bill_bases
        QUALIFY row_number() OVER (PARTITION BY org_id, month ORDER BY version_id DESC) = 1`,
      // The days on which rows of a unit do not count, because it has ended and another source has spend of it.
      `CREATE TABLE left_out_days (
        org_id VARCHAR, month DATE, computation_id UUID, source_id VARCHAR, unit VARCHAR, day DATE)`,
      // Of charges_twice: the other source with the same charges; NULL if they stand in two files of one source.
      `ALTER TABLE month_doubts ADD COLUMN other_source_id VARCHAR`,
    ],
  },
  {
    version: 28,
    name: 'bills outside the months of a run, and commitments',
    statements: [
      // What a bill that no run has loaded costs in a month that the load has. billing_period is of the load.
      `CREATE TABLE left_out_bills (
        org_id VARCHAR, source_id VARCHAR, load_id UUID, billing_period DATE, left_out_period DATE, month DATE,
        row_count BIGINT, amount DECIMAL(38,15))`,
      // What purchases of a commitment cost in a month, or the commitment of amortised usage: then month, account and purchased
      // are NULL.
      `CREATE TABLE load_commitments (
        org_id VARCHAR, source_id VARCHAR, load_id UUID, billing_period DATE, month DATE, cloud VARCHAR, account VARCHAR,
        commitment VARCHAR, purchased DECIMAL(38,15))`,
    ],
  },
  {
    version: 29,
    name: 'rows that were read before their day had ended',
    statements: [
      // Whether the day had ended when the row was read, and before its file was written. NULL in rows of earlier versions: it had.
      `ALTER TABLE kubernetes_spend ADD COLUMN is_whole BOOLEAN`,
      `ALTER TABLE cluster_assets ADD COLUMN is_whole BOOLEAN`,
      `ALTER TABLE host_spend ADD COLUMN is_whole BOOLEAN`,
      `ALTER TABLE ai_tool_spend ADD COLUMN is_whole BOOLEAN`,
    ],
  },
  {
    version: 30,
    name: 'free calls of browser sessions',
    statements: [
      // Calls of sessions that do not count against the quota. NULL in rows of earlier versions, which did not count them.
      `ALTER TABLE api_calls ADD COLUMN session_calls BIGINT`,
    ],
  },
  {
    version: 31,
    name: 'how backups have ended',
    statements: [
      // They belong to the operator, so that org_id is 'operator'. taken_at is the instant of which the copy is.
      `CREATE TABLE backup_results (
        org_id VARCHAR, result_id UUID, taken_at TIMESTAMP, ended_at TIMESTAMP, is_complete BOOLEAN)`,
    ],
  },
  {
    version: 32,
    name: 'organisations that the operator deletes',
    statements: [
      // They belong to the operator, so that org_id is 'operator', and they outlive the rows of the deleted organisation. A deletion
      // has a row when it begins, and another one when nothing of the organisation is left. created_at is the organisation's.
      `CREATE TABLE organisation_deletions (
        org_id VARCHAR, deletion_id UUID, deleted_org VARCHAR, created_at TIMESTAMP, actor_type VARCHAR, actor_id VARCHAR,
        actor_name VARCHAR, recorded_at TIMESTAMP, is_complete BOOLEAN)`,
      `CREATE OR REPLACE VIEW organisations AS
        SELECT * FROM organisation_versions
        WHERE NOT EXISTS (
          FROM organisation_deletions AS deletion WHERE deletion.deleted_org = organisation_versions.org_id)
        QUALIFY row_number() OVER (PARTITION BY org_id ORDER BY version_id DESC) = 1`,
    ],
  },
];

/** The version of the tables that this version of the product makes. */
export const NEWEST_VERSION = MIGRATIONS.at(-1)?.version ?? 0;
