import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { describe, expect, it, vi } from 'vitest';
import { valuesLock } from '../../../warehouse/metrics/value-changes.ts';
import { listValueChanges } from '../../../warehouse/metrics/value-history.ts';
import { WAIT_MS } from '../../support/patience.ts';
import { as } from '../../support/service/api-client.ts';
import { startLocalApi } from '../../support/service/local-api.ts';
import { held } from '../../support/warehouse/held-lock.ts';
import { newMetric } from '../../support/warehouse/tenant.ts';
import { withOpened } from '../../support/with-opened.ts';

describe('places of requests', () => {
  const api = withOpened(startLocalApi);

  it('stay taken after their callers have gone, until the work has ended', async () => {
    const { orgId, secret } = await api.newTenant();
    const headers = { 'x-api-key': secret };
    const leave = new AbortController();
    const started: string[] = [];
    api.app.server.on('request', ({ url }: { url?: string }) => started.push(url ?? ''));
    let finish = (): void => undefined;
    // Two requests wait for this computation of their organisation's spend.
    const computation = api.warehouse.withLock(
      [`spend ${orgId}`],
      () =>
        new Promise<void>((resolve) => {
          finish = resolve;
        }),
    );
    await api.warehouse.run(
      `INSERT INTO loads BY NAME SELECT $org AS org_id, 'src_1' AS source_id, uuidv7() AS load_id,
         DATE '2026-01-01' AS billing_period, DATE '2026-01-01' AS first_day, DATE '2026-01-31' AS last_day`,
      { org: orgId },
    );
    await api.warehouse.run(
      `INSERT INTO cost_source_versions BY NAME SELECT $org AS org_id, 'src_1' AS source_id, uuidv7() AS version_id,
         'Bill' AS name, 'focus' AS kind, false AS deleted`,
      { org: orgId },
    );
    const breakdown = `${api.url}/api/v1/costs/breakdown?start_date=2026-01-01&end_date=2026-01-31&group_by=`;
    const gone = ['account', 'day'].map((by) => fetch(breakdown + by, { headers, signal: leave.signal }));
    const isServed = async (): Promise<void> => {
      expect((await as(api, secret).get('/auth/info')).status).toBe(200);
    };
    while (started.filter((url) => url.includes('/breakdown')).length < gone.length) await isServed();
    for (let count = 0; count < 5; count += 1) await isServed();
    leave.abort();
    await Promise.allSettled(gone);
    let status: number | null = null;
    const csv = { headers: { ...headers, accept: 'text/csv' } };
    const next = fetch(`${api.url}/api/v1/organisation`, csv).then((answer) => {
      status = answer.status;
    });
    // 20 wait, and the others are rejected.
    const statuses: number[] = [];
    const more = Array.from({ length: 25 }, async () => {
      const answer = await fetch(`${api.url}/api/v1/organisation`, csv);
      statuses.push(answer.status);
      if (answer.status !== 503) return;
      expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
      expect(await answer.json()).toEqual({ success: false, error: 'busy; try again' });
    });
    await vi.waitFor(() => {
      expect(statuses).toEqual([503, 503, 503, 503, 503, 503]);
    }, WAIT_MS);
    // Light requests are served meanwhile.
    for (let count = 0; count < 20; count += 1) await isServed();
    expect(status).toBeNull();
    finish();
    await computation;
    await Promise.all([next, ...more]);
    expect(status).toBe(200);
    expect(statuses.filter((each) => each === 200)).toHaveLength(19);
  });

  it('are free for others while small writes wait for a commit', async () => {
    const { orgId, secret } = await api.newTenant();
    const { id: metricId } = await newMetric(api.warehouse, orgId);
    const taken = () => api.metrics.registry.getSingleMetricAsString('cost_analytics_places_taken');
    const importing = held();
    const imported = api.warehouse.withLock([valuesLock(metricId)], importing.work);
    await importing.hasBegun;
    const answered: number[] = [];
    // More than the eight places of light requests.
    const writes = Array.from({ length: 64 }, async (_, value) => {
      const body = { values: [{ period: '2026-01-05', value }] };
      answered.push((await as(api, secret).post(`/metrics/${metricId}/values`, body)).status);
    });
    while (!(await taken()).includes('work="commits"} 64'))
      expect((await as(api, secret).get('/auth/info')).status).toBe(200);
    expect(answered).toEqual([]);
    importing.end();
    await Promise.all([imported, ...writes]);
    expect(answered).toEqual(writes.map(() => 200));
    expect(await listValueChanges(api.warehouse, orgId, metricId, { limit: 100, cursor: null })).toHaveLength(
      64,
    );
  });

  it('are taken one in a turn of the event loop, so that a flood of small requests leaves room for others', async () => {
    const { secret } = await api.newTenant();
    const ask = () => as(api, secret).get('/auth/info');
    let turn = 0;
    let timer = setImmediate(function next() {
      turn += 1;
      timer = setImmediate(next);
    });
    const turns: number[] = [];
    const note = (): void => {
      turns.push(turn);
    };
    await ask();
    subscribe('tracing:fastify.request.handler:start', note);
    await Promise.all(Array.from({ length: 40 }, ask));
    unsubscribe('tracing:fastify.request.handler:start', note);
    clearImmediate(timer);
    expect(turns).toHaveLength(40);
    expect(new Set(turns).size).toBe(40);
  });
});
