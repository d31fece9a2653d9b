import { expect, it } from 'vitest';
import { createSharedCost } from '../../../warehouse/teams/shared-costs.ts';
import { createTeam } from '../../../warehouse/teams/teams.ts';
import { as, type Api } from '../../support/service/api-client.ts';
import { expectData, expectError, expectPage } from '../../support/service/envelope.ts';
import { startLocalApi } from '../../support/service/local-api.ts';
import { describeOnBothEngines } from '../../support/warehouse/engines.ts';
import { BY_ADMIN, newMetric, newSource } from '../../support/warehouse/tenant.ts';
import { withOpened } from '../../support/with-opened.ts';

describeOnBothEngines('a name', (open) => {
  const api = withOpened(() => startLocalApi({ open }));

  const named = async (caller: Api, path: string, name: string): Promise<unknown[]> =>
    expectPage(await caller.get<unknown[]>(`${path}?name=${encodeURIComponent(name)}`)).items;

  it('finds the one metric, team, source or shared cost that has it, in any encoding', async () => {
    const { warehouse } = api;
    const { orgId, secret } = await api.newTenant();
    const admin = as(api, secret);
    // Stored with one character for "é", looked up with two, and with blanks around them.
    const name = 'Caf\u00e9';
    await newMetric(warehouse, orgId, { name });
    await newMetric(warehouse, orgId, { name: 'Caf\u00e9s' });
    await newSource(warehouse, orgId, { name });
    await newSource(warehouse, orgId, { name: 'Another' });
    const team = await createTeam(warehouse, orgId, { name, ownership: [] }, BY_ADMIN);
    await createTeam(warehouse, orgId, { name: 'caf\u00e9', ownership: [] }, BY_ADMIN);
    const spend = [{ source: 'cloud' as const, cloud: 'aws' as const, account: '1' }];
    await createSharedCost(
      warehouse,
      orgId,
      { name, spend, split: { type: 'even', team_ids: [team.id] } },
      BY_ADMIN,
    );
    for (const path of ['/metrics', '/teams', '/cost-sources', '/shared-costs']) {
      expect(await named(admin, path, ' Cafe\u0301 ')).toMatchObject([{ name }]);
      expect(await named(admin, path, 'Caf')).toEqual([]);
      expectError(await admin.get(`${path}?name=`), 400, /^name: expected a text of 1 to 200 characters/);
    }
    const stranger = as(api, (await api.newTenant()).secret);
    expect(await named(stranger, '/teams', name)).toEqual([]);
  });

  it('shows a key that only sends values the id and name of a metric, also of revenue, and nothing else', async () => {
    const { orgId, secret } = await api.newTenant();
    const orders = await newMetric(api.warehouse, orgId, { name: 'Orders' });
    const sales = await newMetric(api.warehouse, orgId, { name: 'Sales', kind: 'revenue', currency: 'USD' });
    const job = as(api, await api.newKey(orgId, { permission: 'metrics:ingest' }));
    expect(await named(job, '/metrics', 'Orders')).toEqual([{ id: orders.id, name: 'Orders' }]);
    expect(await named(job, '/metrics', 'Sales')).toEqual([{ id: sales.id, name: 'Sales' }]);
    // A read key still sees what it saw, although the same page was asked for.
    const reader = as(api, await api.newKey(orgId, { permission: 'read' }));
    expect(await named(reader, '/metrics', 'Orders')).toMatchObject([{ id: orders.id, kind: 'count' }]);
    expect(await named(as(api, secret), '/metrics', 'Sales')).toMatchObject([{ id: sales.id, latest: null }]);
    for (const path of ['/metrics', '/metrics?limit=0'])
      expectError(await job.get(path), 403, /^name: expected the name of one metric.*has metrics:ingest$/);
    for (const path of [`/metrics/${orders.id}`, '/teams?name=Shop', '/cost-sources?name=Bill'])
      expectError(await job.get(path), 403, /has metrics:ingest$/);
  });

  it('lets such a key send CSV', async () => {
    const { orgId, secret } = await api.newTenant();
    const { id } = await newMetric(api.warehouse, orgId, { name: 'Orders' });
    const file = { headers: { 'content-type': 'text/csv' }, body: '2026-01-05,7\n' };
    const send = async (key: string) => as(api, key).send('POST', `/metrics/${id}/values/csv`, file);
    const job = await api.newKey(orgId, { permission: 'metrics:ingest' });
    expect(expectData(await send(job))).toMatchObject({ created: 1, months: ['2026-01'] });
    for (const permission of ['read', 'write'] as const)
      expectError(await send(await api.newKey(orgId, { permission })), 403, /admin, metrics:ingest/);
    const values = await as(api, secret).get<object[]>(`/metrics/${id}/values`);
    expect(expectPage(values).items).toMatchObject([{ period: '2026-01-05', value: 7 }]);
  });
});
