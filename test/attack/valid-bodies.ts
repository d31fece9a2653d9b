import { otlpRequest } from '../support/exports/otlp-metrics.ts';
/** The ids and the location that the bodies refer to. */
export interface Things {
  metric: string;
  labelled: string;
  team: string;
  source: string;
  shared: string;
  webhook: string;
  location: string;
}

/** Returns a valid body for every route that takes JSON, by method and path as in the service's own description. */
export function validBodies(things: Things): Readonly<Record<string, unknown>> {
  const metric = {
    name: 'Orders',
    unit: 'order',
    kind: 'count',
    aggregation: 'total',
    frequency: 'daily',
    scope: { type: 'spend', spend: [{ source: 'cloud', cloud: 'aws', account: '1111' }] },
    target: 1.5,
    label_key: 'shop',
  };
  const picks = [
    { source: 'cloud', cloud: 'aws', account: '1111', service: 'Amazon RDS' },
    { source: 'host', host: 'db-1', service: 'postgres' },
    { source: 'kubernetes', cluster: 'prod', namespace: 'shop' },
    { source: 'cloud', cloud: 'aws', tag: { key: 'team', value: 'search' } },
  ];
  const shared = { name: 'Support', spend: picks, split: { type: 'even', team_ids: [things.team] } };
  const webhook = { url: 'http://127.0.0.1:9/hook', events: ['unit_cost.changed'] };
  const source = {
    name: 'Bill',
    kind: 'focus',
    location: things.location,
    currency: 'USD',
    options: { cost_column: 'EffectiveCost' },
  };
  return {
    'POST /session': { key: `ca_${'0'.repeat(32)}_${'A'.repeat(43)}` },
    'PATCH /organisation': { name: 'Acme', settle_days: 5 },
    'POST /keys': { name: 'CI', permission: 'read', expires_at: '2026-12-31T00:00:00Z' },
    'POST /cost-sources': source,
    'POST /cost-sources/check': source,
    'PATCH /cost-sources/{id}': {
      name: 'Bill 2',
      currency: 'USD',
      schedule_paused: true,
      starts_on: '2025-01-01',
    },
    'PUT /cost-sources/{id}/credentials': {
      type: 's3',
      access_key_id: 'AKIAIOSFODNN7EXAMPLE',
      secret_access_key: 'secret-of-the-example',
      region: 'eu-central-1',
    },
    'POST /cost-sources/{id}/units/end': { unit: 'aws/1111', day: '2026-01-31' },
    'POST /cost-sources/{id}/units/confirm': { unit: 'aws/1111', stands: true },
    'POST /cost-sources/{id}/ingest': {
      start_month: '2026-01',
      end_month: '2026-01',
      accept_shrink: true,
      all: true,
    },
    'POST /otlp/v1/metrics': otlpRequest([{ at: '2026-02-06T12:00:00Z', value: 1 }]),
    'POST /spend/preview': { spend: picks, user: { type: 'team', id: things.team } },
    'POST /metrics': metric,
    'PATCH /metrics/{id}': { name: 'Orders 2', unit: 'order', target: 2 },
    'POST /metrics/{id}/values': {
      values: [
        { period: '2026-01-01', value: 10 },
        { period: '2026-01-02', value: 12.5 },
      ],
    },
    'PUT /metrics/{id}/values/{period}': { value: 12 },
    // The key opens nothing, so that nothing is sent anywhere.
    'PUT /metrics/{id}/import': { type: 'stripe', api_key: 'rk_test_4eC39HqLyjWDarjtT1zdp7dc' },
    'POST /metrics/{id}/import/check': {
      type: 'bigquery',
      project_id: 'shop-project',
      location: 'EU',
      query: 'SELECT day, value FROM shop.orders\nWHERE day BETWEEN @start AND @end',
      credentials: {
        type: 'service_account',
        project_id: 'shop-project',
        client_email: 'import@shop-project.iam.gserviceaccount.com',
        private_key: '-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n',
      },
    },
    'POST /metrics/{id}/import/run': { start_month: '2026-01' },
    'POST /metrics/{id}/months/{month}/lock': { accept_missing: true },
    'POST /teams': { name: 'Search', ownership: picks },
    'PATCH /teams/{id}': { name: 'Search 2' },
    'PUT /teams/{id}/ownership': { ownership: picks },
    'POST /teams/bills/{month}/reseal': { reason: 'The owners were wrong' },
    'POST /shared-costs': shared,
    'PATCH /shared-costs/{id}': shared,
    'POST /webhooks': webhook,
    'PATCH /webhooks/{id}': { ...webhook, enabled: false },
  };
}
