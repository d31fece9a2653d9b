/** A step of the schema. */
export interface Migration {
  version: number;
  name: string;
  statements: readonly string[];
}

/**
 * The schema, as numbered steps that each run once. Tables are append-only logs, views show their current
 * state: the newest row by a time-ordered id. Only what DuckDB and DuckLake both offer is used (design §2).
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
      // A run that has ended stays ended, in whatever order its events were written.
      `CREATE VIEW ingest_runs AS
        SELECT * FROM ingest_run_events
        QUALIFY row_number() OVER (
          PARTITION BY org_id, run_id ORDER BY (status <> 'running') DESC, event_id DESC) = 1`,
      // account is the sub account. split_value (a service or resource group, as split_kind says) and tag_value are
      // collected from the day on which the account has a split or the cloud a tag key (spend_choices);
      // resource_id is kept only where the resource can be part of a cluster or host (design §2).
      `CREATE TABLE cloud_spend (
        org_id VARCHAR, source_id VARCHAR, load_id UUID, billing_period DATE, day DATE, cloud VARCHAR,
        account VARCHAR, split_kind VARCHAR, split_value VARCHAR, tag_key VARCHAR, tag_value VARCHAR,
        resource_id VARCHAR, cost DECIMAL(38,15))`,
      `CREATE TABLE account_names (
        org_id VARCHAR, source_id VARCHAR, load_id UUID, billing_period DATE, cloud VARCHAR, account VARCHAR,
        name VARCHAR)`,
      // One row publishes a load as the current one of its source and billing period. Load ids are made when
      // an attempt starts reading: the newest reading wins, however late an older attempt comes to publish.
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
      // Of a workload its direct cost; of idle capacity (is_idle) no namespace and no workload.
      `CREATE TABLE kubernetes_spend (
        org_id VARCHAR, source_id VARCHAR, load_id UUID, billing_period DATE, day DATE, cluster VARCHAR,
        namespace VARCHAR, workload VARCHAR, is_idle BOOLEAN, cost DECIMAL(38,15))`,
      // kind: node, disk, load_balancer, management; project: the cloud project, where the feed knows it.
      `CREATE TABLE cluster_assets (
        org_id VARCHAR, source_id VARCHAR, load_id UUID, billing_period DATE, day DATE, cluster VARCHAR,
        kind VARCHAR, provider_id VARCHAR, project VARCHAR, cost DECIMAL(38,15))`,
      // service is null for the host's idle share; machine_id is the id under which a bill knows the host.
      `CREATE TABLE host_spend (
        org_id VARCHAR, source_id VARCHAR, load_id UUID, billing_period DATE, day DATE, host VARCHAR,
        service VARCHAR, machine_id VARCHAR, cost DECIMAL(38,15))`,
      `CREATE TABLE ai_tool_spend (
        org_id VARCHAR, source_id VARCHAR, load_id UUID, billing_period DATE, day DATE, tool VARCHAR,
        kind VARCHAR, cost DECIMAL(38,15))`,
      // repository is null for usage that belongs to none.
      `CREATE TABLE ai_usage (
        org_id VARCHAR, source_id VARCHAR, load_id UUID, billing_period DATE, day DATE, tool VARCHAR,
        repository VARCHAR, usage DECIMAL(38,6))`,
      // What a month's spend was last computed from, and under which id the tables below hold it.
      `CREATE TABLE month_computations (
        org_id VARCHAR, month DATE, computation_id UUID, made_of VARCHAR, computed_at TIMESTAMP)`,
      `CREATE VIEW current_computations AS
        SELECT * FROM month_computations
        QUALIFY row_number() OVER (PARTITION BY org_id, month ORDER BY computation_id DESC) = 1`,
      // The loads it read: reads that go back to the bill lines read the same ones.
      `CREATE TABLE computed_loads (
        org_id VARCHAR, month DATE, computation_id UUID, load_id UUID, billing_period DATE)`,
      // The bill lines that are cluster or host spend: of this resource, on this day.
      `CREATE TABLE covered_resources (
        org_id VARCHAR, month DATE, computation_id UUID, day DATE, cloud VARCHAR, account VARCHAR,
        resource_id VARCHAR, cluster VARCHAR, host VARCHAR)`,
      // Everything that counts and is no bill line; with the lines it adds up to the total, every dollar once.
      `CREATE TABLE distributed_spend (
        org_id VARCHAR, month DATE, computation_id UUID, day DATE, source VARCHAR, cluster VARCHAR,
        namespace VARCHAR, workload VARCHAR, host VARCHAR, host_service VARCHAR, tool VARCHAR,
        repository VARCHAR, cost DECIMAL(38,15))`,
      // The total by day, source and the account whose bill it stands on, if any.
      `CREATE TABLE daily_totals (
        org_id VARCHAR, month DATE, computation_id UUID, day DATE, source VARCHAR, cloud VARCHAR,
        account VARCHAR, cost DECIMAL(38,15))`,
      // The month's days so far by everything that can be picked, each row with its keys (pick-key.ts).
      `CREATE TABLE month_spend (
        org_id VARCHAR, month DATE, computation_id UUID, keys VARCHAR[], cost DECIMAL(38,15))`,
      // What a scope costs in a month as computed: of this text of a scope, whichever metrics have it.
      `CREATE TABLE scope_costs (
        org_id VARCHAR, scope_id VARCHAR, month DATE, computation_id UUID, cost DECIMAL(38,15))`,
      // One tag key per cloud (account '') and one split per account; choice null records a release.
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
      // What a month's bills were last sealed from (domain/bill.ts): owned spend and shared costs of that moment; the
      // newest change of a value it was split by; the newest change of a team or shared cost it knew.
      `CREATE TABLE bill_bases (
        org_id VARCHAR, month DATE, version_id UUID, basis JSON, metric_ids VARCHAR[], values_id UUID,
        definitions_id UUID, sealed_at TIMESTAMP)`,
      `CREATE VIEW current_bill_bases AS
        SELECT * FROM bill_bases
        QUALIFY row_number() OVER (PARTITION BY org_id, month ORDER BY version_id DESC) = 1`,
      // by_source and shared_costs hold amounts as exact texts; what it was made of is the basis of the same version.
      `CREATE TABLE sealed_bills (
        org_id VARCHAR, team_id VARCHAR, month DATE, version_id UUID, direct DECIMAL(38,15), shared DECIMAL(38,15),
        by_source JSON, shared_costs JSON, sealed_at TIMESTAMP)`,
      `CREATE VIEW bill_versions AS
        SELECT *, row_number() OVER (PARTITION BY org_id, team_id, month ORDER BY version_id) AS version
        FROM sealed_bills`,
      // The picks of metrics, teams and shared costs, one row each; what a pick does not name is null.
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
      // What counts as a rise; NULL is the default, JSON null is never.
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
      // Sealed (security/sealing.ts). The newest one signs, those before it for a while longer.
      `CREATE TABLE webhook_secrets (
        org_id VARCHAR, webhook_id VARCHAR, secret_id UUID, sealed_secret VARCHAR, created_at TIMESTAMP)`,
      // One fact has one event id, whoever raises it and however often.
      `CREATE TABLE event_log (
        org_id VARCHAR, event_id VARCHAR, type VARCHAR, subject VARCHAR, fact VARCHAR, payload VARCHAR,
        raised_at TIMESTAMP)`,
      `CREATE VIEW events AS
        SELECT * FROM event_log
        QUALIFY row_number() OVER (PARTITION BY org_id, event_id ORDER BY raised_at, payload) = 1`,
      `CREATE TABLE webhook_delivery_states (
        org_id VARCHAR, webhook_id VARCHAR, event_id VARCHAR, state_id UUID, status VARCHAR, reason VARCHAR,
        changed_at TIMESTAMP)`,
      // A delivery that has ended stays ended, in whatever order its states were written. Its id is that of its first.
      `CREATE VIEW webhook_deliveries AS
        SELECT *, min(state_id) OVER whole AS delivery_id, min(changed_at) OVER whole AS created_at
        FROM webhook_delivery_states
        WINDOW whole AS (PARTITION BY org_id, webhook_id, event_id)
        QUALIFY row_number() OVER (
          PARTITION BY org_id, webhook_id, event_id ORDER BY (status <> 'pending') DESC, state_id DESC) = 1`,
      // That its workflow has been started; until then it is started again and again.
      `CREATE TABLE webhook_delivery_starts (
        org_id VARCHAR, webhook_id VARCHAR, event_id VARCHAR, started_at TIMESTAMP)`,
      // answer: the first 1,000 bytes of what the endpoint said.
      `CREATE TABLE webhook_attempts (
        org_id VARCHAR, webhook_id VARCHAR, event_id VARCHAR, attempt_id UUID, attempted_at TIMESTAMP,
        status_code INTEGER, error VARCHAR, answer VARCHAR)`,
      // Whether a month was above its metric's target when last looked at, and how often it has gone there.
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
      // Whether there had been any team when the month settled; NULL in months settled before this was recorded.
      `ALTER TABLE settled_months ADD COLUMN with_teams BOOLEAN`,
      // A cost divided by a value has digits before and after the point that no DECIMAL holds: its text instead.
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
      // Before this day the source had no spend; NULL: not known.
      `ALTER TABLE cost_source_versions ADD COLUMN starts_on DATE`,
      `CREATE OR REPLACE VIEW cost_sources AS
        SELECT * EXCLUDE (deleted) FROM (
          SELECT * FROM cost_source_versions
          QUALIFY row_number() OVER (PARTITION BY org_id, source_id ORDER BY version_id DESC) = 1)
        WHERE NOT deleted`,
      // Sorts after every version of a source that the settlement knew; NULL in months settled before it was recorded.
      `ALTER TABLE settled_months ADD COLUMN settled_id UUID`,
      // What the version was locked without, as a list of sentences; NULL where nothing was missing.
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
      // Whether the month's spend was complete only long after its end; from now on with_teams counts existing teams
      // only. NULL in months settled before this was recorded (sealed-months.ts).
      `ALTER TABLE settled_months ADD COLUMN backfilled BOOLEAN`,
      // What the bills were sealed from: the month's computed spend, and how many changes of teams, shared costs and
      // split values there had been. They take the place of values_id and definitions_id, because ids of different things have no
      // order. NULL in rows of an earlier version.
      `ALTER TABLE bill_bases ADD COLUMN computation_id UUID`,
      `ALTER TABLE bill_bases ADD COLUMN definition_changes BIGINT`,
      `ALTER TABLE bill_bases ADD COLUMN value_changes BIGINT`,
      // settled, values_changed, backfill or resealed; for the last, who sealed by hand.
      `ALTER TABLE bill_bases ADD COLUMN sealed_because VARCHAR`,
      `ALTER TABLE bill_bases ADD COLUMN reason VARCHAR`,
      `ALTER TABLE bill_bases ADD COLUMN sealed_by_id VARCHAR`,
      `ALTER TABLE bill_bases ADD COLUMN sealed_by_name VARCHAR`,
      `CREATE OR REPLACE VIEW current_bill_bases AS
        SELECT * FROM bill_bases
        QUALIFY row_number() OVER (PARTITION BY org_id, month ORDER BY version_id DESC) = 1`,
      // An earlier version recorded no cause: other definitions than the version before mean that the month followed them.
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
      // What a load of a bill has of each day; inside_day: any of its charges lies inside the day, none is spread
      // over it from a longer period. Loads before this version have no rows.
      `CREATE TABLE bill_days (
        org_id VARCHAR, source_id VARCHAR, load_id UUID, billing_period DATE, day DATE, inside_day BOOLEAN,
        cost DECIMAL(38,15))`,
    ],
  },
  {
    version: 11,
    name: 'what was decided about assets, the files that loads read',
    statements: [
      // reason: followed (assets without a line of their own went with their cluster), borrowed (the nearest known assets
      // decided, those of asset_day; null where none are known; assets says what they were), ambiguous (a machine's name
      // that several places have).
      `CREATE TABLE asset_decisions (
        org_id VARCHAR, month DATE, computation_id UUID, reason VARCHAR, day DATE, cluster VARCHAR, host VARCHAR,
        is_on_bill BOOLEAN, asset_day DATE, assets VARCHAR, name VARCHAR, places VARCHAR, cost DECIMAL(38,15))`,
      // What a published load read, by path or URL: two sources that read the same file count it twice.
      `CREATE TABLE load_files (org_id VARCHAR, source_id VARCHAR, load_id UUID, file VARCHAR)`,
    ],
  },
  {
    version: 12,
    name: 'idle capacity as a pick, tag keys and splits that are not used for a while',
    statements: [
      // The picks of metrics, teams and shared costs; idle is whether a pick is the idle capacity of a cluster or host.
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
      // A choice that nothing uses any more since a day keeps its values for a while (spend-choices.ts). Rows from
      // before have NULL: they were in use, or had been released for good by a choice of NULL.
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
      // What a scope costs on a day of a month as computed; each month that is known has a row of cost 0 on its first day.
      `CREATE TABLE scope_day_costs (
        org_id VARCHAR, scope_id VARCHAR, month DATE, computation_id UUID, day DATE, cost DECIMAL(38,15))`,
      // What teams and shared costs own on a day, by what all of them pick (definitions_id); likewise, of 'nobody'.
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
      // NULL of bills and AI tools, and in loads from before this was recorded (coverage.ts).
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
      // Days on which a cluster is on a bill by nodes or disks of its own.
      `CREATE TABLE billed_clusters (org_id VARCHAR, month DATE, computation_id UUID, day DATE, cluster VARCHAR)`,
      // Whether the cluster was on a bill on asset_day; NULL in decisions of other reasons.
      `ALTER TABLE asset_decisions ADD COLUMN lender_is_on_bill BOOLEAN`,
    ],
  },
  {
    version: 16,
    name: 'rows that a run leaves out, loads that nothing can be computed from',
    statements: [
      // Rows of other months, shared cost, usage without spend. NULL in runs from before this was recorded.
      `ALTER TABLE ingest_run_events ADD COLUMN rows_left_out BIGINT`,
      `CREATE OR REPLACE VIEW ingest_runs AS
        SELECT * FROM ingest_run_events
        QUALIFY row_number() OVER (
          PARTITION BY org_id, run_id ORDER BY (status <> 'running') DESC, event_id DESC) = 1`,
      // Rows beyond these days were not rejected yet (readable-limits.ts), and every computation failed on them.
      `DELETE FROM loads
        WHERE NOT (billing_period BETWEEN DATE '1970-01-01' AND CAST(published_at AS DATE) + INTERVAL 10 YEARS
          AND first_day >= DATE '1970-01-01' AND last_day <= CAST(published_at AS DATE) + INTERVAL 10 YEARS)`,
    ],
  },
  {
    version: 17,
    name: 'how long the records of the audit log are',
    statements: [
      // Of the text of detail, so that a page can be bounded without reading it. NULL in records from before.
      `ALTER TABLE audit_log ADD COLUMN detail_bytes BIGINT`,
    ],
  },
];
