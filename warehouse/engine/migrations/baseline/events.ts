import { newestVersions } from './newest-versions.ts';

/** Webhooks, the events that are raised, and their deliveries (docs/concepts.md#events-and-webhooks). */
export const EVENTS = [
  // disabled_reason is why the service has disabled the webhook; NULL if it has not, or if a person did.
  `CREATE TABLE webhook_versions (
    org_id VARCHAR, webhook_id VARCHAR, version_id UUID, url VARCHAR, events VARCHAR[], enabled BOOLEAN, disabled_reason VARCHAR,
    created_at TIMESTAMP, deleted BOOLEAN, changed_at TIMESTAMP, changed_by VARCHAR)`,
  newestVersions('webhooks', 'webhook_versions', 'webhook_id'),
  // Secrets are sealed (security/sealing.ts). The newest one signs, and older ones for a while longer.
  `CREATE TABLE webhook_secrets (
    org_id VARCHAR, webhook_id VARCHAR, secret_id UUID, sealed_secret VARCHAR, created_at TIMESTAMP)`,
  // One fact has one event id, even if it is raised several times.
  `CREATE TABLE event_log (
    org_id VARCHAR, event_id VARCHAR, type VARCHAR, subject VARCHAR, fact VARCHAR, payload VARCHAR, raised_at TIMESTAMP)`,
  `CREATE VIEW events AS
    SELECT * FROM event_log
    QUALIFY row_number() OVER (PARTITION BY org_id, event_id ORDER BY raised_at, payload) = 1`,
  `CREATE TABLE webhook_delivery_states (
    org_id VARCHAR, webhook_id VARCHAR, event_id VARCHAR, state_id UUID, status VARCHAR, reason VARCHAR, changed_at TIMESTAMP)`,
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
  // answer is the first 1,000 bytes of the endpoint's response. retry_after are the seconds that the endpoint asked to wait, within
  // the limits (domain/events/retry-after.ts); NULL if it did not ask.
  `CREATE TABLE webhook_attempts (
    org_id VARCHAR, webhook_id VARCHAR, event_id VARCHAR, attempt_id UUID, attempted_at TIMESTAMP, status_code INTEGER,
    error VARCHAR, answer VARCHAR, retry_after INTEGER)`,
  // Whether a month was above its metric's target at the last comparison, and how often it has gone above it.
  `CREATE TABLE target_states (
    org_id VARCHAR, metric_id VARCHAR, month DATE, state_id UUID, above BOOLEAN, crossings INTEGER, changed_at TIMESTAMP)`,
  `CREATE VIEW current_target_states AS
    SELECT * FROM target_states
    QUALIFY row_number() OVER (PARTITION BY org_id, metric_id, month ORDER BY state_id DESC) = 1`,
  // The target that a metric's months were last compared with.
  `CREATE TABLE judged_targets (
    org_id VARCHAR, metric_id VARCHAR, state_id UUID, target DECIMAL(38,10), changed_at TIMESTAMP)`,
  `CREATE VIEW current_judged_targets AS
    SELECT * FROM judged_targets
    QUALIFY row_number() OVER (PARTITION BY org_id, metric_id ORDER BY state_id DESC) = 1`,
];
