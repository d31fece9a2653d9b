import { randomBytes } from 'node:crypto';
import { beforeAll, expect, it } from 'vitest';
import { Sealer } from '../../../security/sealing.ts';
import { importRuns, openImportRun, sealUncounted } from '../../../warehouse/imports/import-runs.ts';
import { connectImport } from '../../../warehouse/imports/imports.ts';
import { RevenueVault } from '../../../warehouse/metrics/revenue-vault.ts';
import { settleMonths } from '../../../warehouse/months/settlement.ts';
import { as, type Api } from '../../support/service/api-client.ts';
import { expectData, expectError, expectPage } from '../../support/service/envelope.ts';
import { startLocalApi, type LocalApi } from '../../support/service/local-api.ts';
import { describeOnBothEngines } from '../../support/warehouse/engines.ts';
import { BY_ADMIN, newMetric, NOW } from '../../support/warehouse/tenant.ts';
import { withOpened } from '../../support/with-opened.ts';
import { newTeamStory } from '../../warehouse/teams/team-story.ts';

/**
 * Three nodes with one warehouse. A key that is lost has sealed a part, and the node `partly` does not have it. The node `wrong`
 * has a key that has sealed nothing. Today is 7 February 2026.
 */
describeOnBothEngines('what a lost master key has sealed', (open) => {
  const [key, lostKey] = [randomBytes(32), randomBytes(32)];
  const lost = new Sealer(lostKey, key);
  const shared = withOpened(open);
  const whole = withOpened(() => startLocalApi({ shared, sealer: lost }));
  const partly = withOpened(() => startLocalApi({ shared, sealer: new Sealer(key) }));
  const wrong = withOpened(() => startLocalApi({ shared, sealer: new Sealer(randomBytes(32)) }));
  let admin: Api;
  let onWrong: Api;
  let onWhole: Api;
  let sales: string;
  let payments: string;
  let hook: string;

  beforeAll(async () => {
    const story = await newTeamStory(shared);
    const { orgId } = story;
    for (const month of ['2025-12', '2026-01'])
      await story.spend(month, {
        cloud_spend: ['01', '31'].map((day) => ({
          day: `${month}-${day}`,
          cloud: 'aws',
          account: '1',
          cost: '10',
        })),
      });
    await settleMonths(shared.warehouse, orgId, NOW);
    const revenue = { kind: 'revenue', currency: 'USD', rise: null } as const;
    sales = (await newMetric(shared.warehouse, orgId, { name: 'Sales', ...revenue })).id;
    payments = (await newMetric(shared.warehouse, orgId, { name: 'Payments', ...revenue })).id;
    const secret = await whole.newKey(orgId);
    admin = as(partly, secret);
    onWrong = as(wrong, secret);
    onWhole = as(whole, secret);
    // The key that both have sealed a value of December. The lost one has sealed January, a webhook and a credential.
    const value = (period: string) => ({ values: [{ period, value: 100 }] });
    expectData(await admin.post(`/metrics/${sales}/values`, value('2025-12-31')));
    expectData(await onWhole.post(`/metrics/${sales}/values`, value('2026-01-31')));
    const url = { url: 'https://1.1.1.1/', events: ['unit_cost.changed'] };
    hook = expectData(await onWhole.post<{ id: string }>('/webhooks', url)).id;
    const definition = { type: 'stripe' } as const;
    const connection = await connectImport(
      ...([shared.warehouse, lost, orgId, payments] as const),
      ...([definition, 'rk_1', '2025-03', BY_ADMIN] as const),
    );
    const input = { orgId, metricId: payments, runId: 'run_1', workflowId: 'import', startMonth: null };
    await openImportRun(shared.warehouse, input, connection.credential_id, NOW);
    const run = await importRuns.find(shared.warehouse, orgId, 'run_1');
    if (run === null) throw new Error('the run was not recorded');
    const uncounted = {
      other_currencies: [{ month: '2026-01', currency: 'EUR', net_sales: '7' }],
      left_out: [],
    };
    await importRuns.record(shared.warehouse, orgId, {
      ...run,
      status: 'completed' as const,
      finished_at: NOW.toISOString(),
      sealed_totals: sealUncounted(new RevenueVault(lost, orgId), 'run_1', uncounted),
    });
  });

  const SENTENCE =
    'the value of 2026-01-31 cannot be opened: record these values again, or ask the operator for the MASTER_KEY that sealed it';

  it('leaves the lists and the other numbers as they are', async () => {
    const months = expectData(await admin.get<object[]>(`/metrics/${sales}/months`));
    expect(months.slice(1, 3)).toMatchObject([
      { month: '2026-01', status: 'open', cost: 20, value: null, reason: SENTENCE, can_lock: 'no' },
      { month: '2025-12', status: 'ready_to_lock', cost: 20, value: 100, cost_share_percent: 20 },
    ]);
    const metrics = expectPage(await admin.get<{ name: string; latest: object }[]>('/metrics')).items;
    expect(metrics.map(({ name }) => name).sort()).toEqual(['Payments', 'Sales']);
    expect(metrics.find(({ name }) => name === 'Sales')?.latest).toMatchObject({
      month: '2025-12',
      cost_share_percent: 20,
    });
    expect((await admin.get('/overview')).status).toBe(200);
    const waiting = expectData(await admin.get<object[]>('/waiting'));
    expect(waiting).toEqual(
      expect.arrayContaining([
        expect.objectContaining({
          kind: 'held_back',
          month: '2026-01',
          missing: expect.arrayContaining([
            expect.objectContaining({ code: 'values_unreadable', sentence: SENTENCE }),
          ]) as unknown,
        }),
        expect.objectContaining({ kind: 'ready_to_lock', months: ['2025-12'] }),
      ]),
    );
    const values = expectPage(await admin.get<object[]>(`/metrics/${sales}/values`)).items;
    expect(values).toMatchObject([
      { period: '2025-12-31', value: 100 },
      {
        period: '2026-01-31',
        value: null,
        reason: 'the master key of the service does not open it',
      },
    ]);
    expect(values[0]).not.toHaveProperty('reason');
    expect(expectPage(await admin.get<object[]>(`/metrics/${sales}/history`)).items).toMatchObject([
      { value: null, reason: 'the master key of the service does not open it' },
      { value: 100 },
    ]);
    expectError(await admin.post(`/metrics/${sales}/months/2026-01/lock`, { accept_missing: true }), 409);
  });

  it('is named with its way out, by the webhook and by the import', async () => {
    expect(expectPage(await admin.get<object[]>('/webhooks')).items).toMatchObject([
      { id: hook, problem: expect.stringMatching(/cannot be opened: rotate it/) as string },
    ]);
    const rotated = expectData(await admin.patch<object>(`/webhooks/${hook}`, { rotate_secret: true }));
    expect(rotated).toMatchObject({ problem: null, secret: expect.stringMatching(/^whsec_/) as string });
    expect(expectData(await admin.get(`/metrics/${payments}/import`))).toMatchObject({
      problem: expect.stringMatching(/credential cannot be opened: connect the metric again/) as string,
      other_currencies: null,
      left_out: null,
    });
    const [, january] = expectData(await admin.get<object[]>(`/metrics/${payments}/months`));
    expect(january).toMatchObject({
      notes: ['what the import did not count cannot be opened: run the import to count it again'],
    });
    expect(expectData(await onWhole.get(`/metrics/${payments}/import`))).toMatchObject({
      problem: null,
      other_currencies: [{ currency: 'EUR', net_sales: 7 }],
    });
  });

  it('shows in /readyz, which stays ready while a part opens', async () => {
    const state = async ({ url }: LocalApi): Promise<unknown> =>
      ((await (await fetch(`${url}/readyz`)).json()) as { master_key: unknown }).master_key;
    expect([await state(whole), await state(partly), await state(wrong)]).toEqual([
      'ok',
      'partly_unreadable',
      'unreadable',
    ]);
  });

  it('is replaced by values that are recorded again', async () => {
    const again = { values: [{ period: '2026-01-31', value: 50 }] };
    expect(expectData(await admin.post(`/metrics/${sales}/values`, again))).toMatchObject({ replaced: 1 });
    const months = expectData(await admin.get<object[]>(`/metrics/${sales}/months`));
    expect(months[1]).toMatchObject({ status: 'ready_to_lock', value: 50, cost_share_percent: 40 });
  });

  it('is not joined by anything that a node with a wrong key would seal', async () => {
    const refused = /this node can seal nothing, because its MASTER_KEY opens nothing that is stored/;
    const value = { values: [{ period: '2026-02-01', value: 1 }] };
    expect(expectError(await onWrong.post(`/metrics/${sales}/values`, value), 503)).toMatch(refused);
    const url = { url: 'https://1.1.1.1/', events: ['unit_cost.changed'] };
    expect(expectError(await onWrong.post('/webhooks', url), 503)).toMatch(refused);
    expect(expectError(await onWrong.post(`/metrics/${sales}/months/2025-12/lock`), 503)).toMatch(refused);
    // The other metrics of this node are whole.
    expect((await onWrong.get('/overview')).status).toBe(200);
  });
});
