import { rm } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Warehouse } from '../../../warehouse/engine/warehouse.ts';
import { UNOBSERVED } from '../../../telemetry/statement-observer.ts';
import { WAIT_MS } from '../../support/patience.ts';
import { as } from '../../support/service/api-client.ts';
import { create, ORDERS, SALES } from '../../support/service/create.ts';
import { expectData } from '../../support/service/envelope.ts';
import { startLocalApi, type LocalApi } from '../../support/service/local-api.ts';
import { openDuckDb, type TestWarehouse } from '../../support/warehouse/engines.ts';
import { NOW } from '../../support/warehouse/tenant.ts';

const OPENED_FIRST = ['/overview', '/waiting', '/teams/bills'];

/**
 * A service starts again, a day after its last callers or earlier. What they open first is in memory before they ask: a test counts
 * the statements of an answer, and one that nobody expected needs some.
 */
describe('answers before anybody asks', () => {
  let first: TestWarehouse;
  let warehouse: Warehouse;
  let api: LocalApi;
  const secrets = { admin: '', reader: '', revenue: '', silent: '' };
  let revenueOrg = '';

  beforeAll(async () => {
    first = await openDuckDb();
    const before = await startLocalApi({ shared: first });
    const orders = await before.newTenant('enterprise');
    const revenue = await before.newTenant('enterprise');
    revenueOrg = revenue.orgId;
    secrets.admin = orders.secret;
    secrets.reader = await before.newKey(orders.orgId, { permission: 'read' });
    secrets.revenue = revenue.secret;
    secrets.silent = (await before.newTenant('enterprise')).secret;
    await create(as(before, secrets.admin), '/metrics', ORDERS);
    await create(as(before, secrets.revenue), '/metrics', SALES);
    expect((await as(before, secrets.reader).get('/auth/info')).status).toBe(200);
    // It stores the calls, as a service does that stops.
    await before.close();
    first.warehouse.close();
    warehouse = await Warehouse.open(first.settings);
    api = await startLocalApi({ shared: { ...first, warehouse } });
    await api.app.answerAhead(WAIT_MS);
  });
  afterAll(async () => {
    await api.close();
    warehouse.close();
    await rm(first.directory, { recursive: true });
  });

  /** Returns how many statements read rows during `work`. */
  const readsDuring = async (work: () => Promise<void>): Promise<number> => {
    let reads = 0;
    warehouse.observer = {
      ...UNOBSERVED,
      began: (kind) => {
        if (kind === 'read') reads += 1;
        return () => undefined;
      },
    };
    try {
      await work();
    } finally {
      warehouse.observer = UNOBSERVED;
    }
    return reads;
  };

  const readsOf = (secret: string, path: string): Promise<number> =>
    readsDuring(async () => {
      expect((await as(api, secret).get(path)).status).toBe(200);
    });

  /** Lets the API look up a key and what is left of its quota. It looks twice before it remembers a key. */
  const makeKnown = async (secret: string): Promise<void> => {
    for (let time = 1; time <= 2; time += 1) await as(api, secret).get('/auth/info');
  };

  it('are in memory for each permission that has called', async () => {
    for (const secret of [secrets.admin, secrets.reader]) {
      await makeKnown(secret);
      for (const path of OPENED_FIRST) expect([path, await readsOf(secret, path)]).toEqual([path, 0]);
    }
    await makeKnown(secrets.silent);
    expect(await readsOf(secrets.silent, '/overview')).toBeGreaterThan(0);
  });

  it('view no revenue, and count as no call', async () => {
    const viewed = await warehouse.query<{ action: string }>(
      `SELECT action FROM audit_log WHERE org_id = $org AND action = 'viewed'`,
      { org: revenueOrg },
    );
    expect(viewed).toEqual([]);
    const calls = await warehouse.query<{ calls: string }>(
      'SELECT sum(calls)::BIGINT AS calls FROM api_calls WHERE org_id = $org AND day = $day::DATE',
      { org: revenueOrg, day: NOW.toISOString().slice(0, 10) },
    );
    expect(calls).toEqual([{ calls: '1' }]);
    await makeKnown(secrets.revenue);
    expect(await readsOf(secrets.revenue, '/overview')).toBeGreaterThan(0);
  });

  it('are made again after a change', async () => {
    const admin = as(api, secrets.admin);
    await create(admin, '/metrics', { ...ORDERS, name: 'Refunds' });
    const shown = expectData(await admin.get<{ metric: { name: string } }[]>('/overview'));
    expect(shown.map(({ metric }) => metric.name)).toEqual(['Orders', 'Refunds']);
  });

  it('end with the service', async () => {
    const other = await startLocalApi({ shared: { ...first, warehouse } });
    const answering = other.app.answerAhead();
    await other.close();
    expect(await readsDuring(() => answering)).toBe(0);
  });
});
