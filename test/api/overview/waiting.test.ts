import { expect, it } from 'vitest';
import { addDays, type Day } from '../../../domain/shared/calendar.ts';
import { Sealer } from '../../../security/sealing.ts';
import { connectImport, findImport } from '../../../warehouse/imports/imports.ts';
import { importRuns, openImportRun } from '../../../warehouse/imports/import-runs.ts';
import { settleMonths } from '../../../warehouse/months/settlement.ts';
import type { Metric } from '../../../warehouse/metrics/metrics.ts';
import { updateOrganisation } from '../../../warehouse/organisations/organisations.ts';
import { ingestRuns, startedRun } from '../../../warehouse/sources/ingest-runs.ts';
import { as } from '../../support/service/api-client.ts';
import { expectData } from '../../support/service/envelope.ts';
import { startLocalApi } from '../../support/service/local-api.ts';
import { describeOnBothEngines } from '../../support/warehouse/engines.ts';
import { decideUnit } from '../../../warehouse/sources/units/unit-decisions.ts';
import { dayLine, focusCsv } from '../../support/exports/focus-export.ts';
import { BY_ADMIN, loadText, newMetric, newSource, NOW } from '../../support/warehouse/tenant.ts';
import { withOpened } from '../../support/with-opened.ts';
import { account, newTeamStory } from '../../warehouse/teams/team-story.ts';

/** Today is 7 February 2026, so that December and January have settled. */
describeOnBothEngines('what waits for someone', (open) => {
  const api = withOpened(() => startLocalApi({ open }));

  const AT = NOW.toISOString();

  const days = (from: Day, count: number): Day[] =>
    Array.from({ length: count }, (_, day) => addDays(from, day));

  /** Records a run of a source that has ended. */
  const run = async (orgId: string, sourceId: string, id: string, error: string | null): Promise<void> => {
    const begun = startedRun({ run_id: id, source_id: sourceId, workflow_id: 'ingest' }, NOW);
    const status = error === null ? 'completed' : 'failed';
    await ingestRuns.record(api.warehouse, orgId, { ...begun, status, finished_at: AT, error });
  };

  /** Connects a metric, and records an import that has failed. */
  const failImport = async (orgId: string, { id: metricId }: Metric): Promise<void> => {
    const { warehouse } = api;
    const sealer = new Sealer(Buffer.alloc(32));
    const month = '2025-03';
    await connectImport(warehouse, sealer, orgId, metricId, { type: 'stripe' }, 'rk_1', month, BY_ADMIN);
    const credential = (await findImport(warehouse, orgId, metricId))?.credential_id ?? '';
    const input = { orgId, metricId, runId: `run_${metricId}`, workflowId: 'import', startMonth: null };
    await openImportRun(warehouse, input, credential, NOW);
    await importRuns.fail(warehouse, { org_id: orgId, run_id: input.runId }, 'no such table', NOW);
  };

  const newStory = async () => {
    const story = await newTeamStory(api);
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
    await settleMonths(api.warehouse, orgId, NOW);
    return {
      ...story,
      admin: as(api, await api.newKey(orgId)),
      reader: as(api, await api.newKey(orgId, { permission: 'read' })),
    };
  };

  it('is nothing at first', async () => {
    const { reader } = await newStory();
    expect(expectData(await reader.get('/waiting'))).toEqual([]);
  });

  it('has a month that is held back once, with its doubts and the metrics and bills that wait', async () => {
    const story = await newStory();
    const { orgId, reader } = story;
    await story.team('Shop', [account('1')]);
    expect(expectData(await reader.get('/waiting'))).toEqual([]);
    const late = await newSource(api.warehouse, orgId, { name: 'Late' });
    // Its account costs 20 a day, and stops on 12 January: 19 days of 20 are missing.
    await loadText(
      api,
      { orgId, sourceId: late.id },
      focusCsv([
        ...days('2026-01-01', 31).map((day) => dayLine(day, '4')),
        ...days('2026-01-01', 12).map((day) => dayLine(day, '20', { SubAccountId: '2222' })),
      ]),
    );
    const doubt = {
      code: 'unit_missing',
      sentence: expect.stringContaining('account 2222 (aws) of cost source "Late" has no spend') as string,
      amount: 380,
      ways_out: [
        expect.objectContaining({ action: 'end_unit', source_id: late.id, unit: 'aws/2222' }) as object,
        expect.objectContaining({ action: 'run_source', source_id: late.id }) as object,
        expect.objectContaining({ action: 'accept' }) as object,
      ],
    };
    const held = { kind: 'held_back', message: '2026-01 is held back by a doubt', month: '2026-01' };
    expect(expectData(await reader.get('/waiting'))).toEqual([{ ...held, metrics: [], missing: [doubt] }]);
    const metrics = [];
    for (const name of ['Orders', 'Users']) {
      const { id } = await newMetric(api.warehouse, orgId, { name });
      metrics.push({ id, name });
    }
    expect(expectData(await reader.get('/waiting'))).toEqual([{ ...held, metrics, missing: [doubt] }]);
    await decideUnit(
      api.warehouse,
      orgId,
      { sourceId: late.id, unit: 'aws/2222' },
      { endedOn: '2026-01-12' },
      BY_ADMIN,
    );
    expect(expectData(await reader.get('/waiting'))).toEqual([]);
  });

  it('is listed by kind and name, for readers without revenue, and on Starter only what it has', async () => {
    const { warehouse } = api;
    const story = await newStory();
    const { orgId, admin, reader } = story;

    const zones = await newSource(warehouse, orgId, { name: 'Zones' });
    const azure = await newSource(warehouse, orgId, { name: 'Azure' });
    await run(orgId, zones.id, 'run_zones', 'no files');
    await run(orgId, azure.id, 'run_azure_1', 'no files');
    await run(orgId, azure.id, 'run_azure_2', null);

    const orders = await newMetric(warehouse, orgId, { name: 'Orders', frequency: 'monthly' });
    const sales = await newMetric(warehouse, orgId, {
      name: 'Sales',
      unit: 'USD',
      kind: 'revenue',
      currency: 'USD',
      frequency: 'daily',
      rise: null,
    });
    for (const [metric, days] of [
      [orders, ['2025-12', '2026-01']],
      [sales, ['2025-12-31', '2026-01-31']],
    ] as const)
      expectData(
        await admin.post(`/metrics/${metric.id}/values`, {
          values: days.map((period) => ({ period, value: 4 })),
        }),
      );
    const ready = { id: orders.id, name: 'Orders' };
    expect(expectData(await reader.get<object[]>('/waiting')).slice(1)).toEqual([
      {
        kind: 'ready_to_lock',
        message: 'metric "Orders" is ready to lock for 2026-01, 2025-12',
        metric: ready,
        months: ['2026-01', '2025-12'],
      },
    ]);
    expectData(await admin.post(`/metrics/${orders.id}/months/2025-12/lock`));
    expectData(
      await admin.post(`/metrics/${orders.id}/values`, { values: [{ period: '2025-12', value: 5 }] }),
    );

    expect(expectData(await admin.get('/waiting'))).toContainEqual({
      kind: 'ready_to_lock',
      message: 'metric "Sales" is ready to lock for 2026-01, 2025-12',
      metric: { id: sales.id, name: 'Sales' },
      months: ['2026-01', '2025-12'],
    });

    const failing = await newMetric(warehouse, orgId, { name: 'Failing' });
    await failImport(orgId, failing);
    await failImport(orgId, sales);

    const shop = await story.team('Shop', [account('1')]);
    const requests = await story.metric();
    await story.values(requests, '2025-12', { shop: 1 });
    await story.sharedCost('Platform', [account('2')], {
      type: 'metric',
      metric_id: requests.id,
      labels: { shop },
    });

    await newMetric(warehouse, orgId, {
      name: 'Tagged',
      scope: {
        type: 'spend',
        spend: [{ source: 'cloud', cloud: 'aws', tag: { key: 'team', value: 'search' } }],
      },
    });

    const runFailed = {
      kind: 'run_failed',
      message: 'the last run of cost source "Zones" failed',
      source: { id: zones.id, name: 'Zones' },
      run_id: 'run_zones',
      at: AT,
      error: 'no files',
    };
    const importFailed = ({ id, name }: Metric) => ({
      kind: 'import_failed',
      message: `the import of metric "${name}" failed`,
      metric: { id, name },
      at: AT,
    });
    const heldBack = (...metrics: Metric[]) =>
      ['2026-01', '2025-12'].map((month) => ({
        kind: 'held_back',
        message: `${month} is held back by ${metrics.length === 1 ? 'a doubt' : '2 doubts'}`,
        month,
        metrics: metrics.map(({ id, name }) => ({ id, name })),
        missing: metrics.map(({ id }) => ({
          code: 'import_behind',
          sentence: expect.stringContaining('failed: no such table') as string,
          amount: null,
          ways_out: [
            expect.objectContaining({ action: 'connect_import', metric_id: id }) as object,
            expect.objectContaining({ action: 'run_import', metric_id: id }) as object,
            expect.objectContaining({ action: 'accept' }) as object,
          ],
        })),
      }));
    const changed = {
      kind: 'changed_since_lock',
      message: 'values of metric "Orders" changed after the lock of 2025-12',
      metric: ready,
      months: ['2025-12'],
    };
    const january = {
      kind: 'ready_to_lock',
      message: 'metric "Orders" is ready to lock for 2026-01',
      metric: ready,
      months: ['2026-01'],
    };
    const bill = {
      kind: 'bill_waiting',
      message: 'the bill of team "Shop" cannot seal for 2026-01',
      team: { id: shop, name: 'Shop' },
      months: ['2026-01'],
      waiting_for: ['metric "Requests", by which a shared cost is split, has no value for 2026-01'],
    };
    const begun = {
      kind: 'collection_begun',
      message:
        'tag key "team" of aws is collected from 2026-02-07 on; earlier months are partial and cannot be locked',
      words: 'tag key "team" of aws is collected from 2026-02-07 on',
      day: '2026-02-07',
    };
    const requestsReady = {
      kind: 'ready_to_lock',
      message: 'metric "Requests" is ready to lock for 2025-12',
      metric: { id: requests.id, name: 'Requests' },
      months: ['2025-12'],
    };
    expect(expectData(await reader.get('/waiting'))).toEqual([
      ...[
        runFailed,
        importFailed(failing),
        ...heldBack(failing),
        changed,
        january,
        requestsReady,
        bill,
        begun,
      ],
    ]);
    // No run has read the months of Sales.
    expect(expectData(await admin.get('/waiting'))).toEqual([
      ...[
        runFailed,
        importFailed(failing),
        importFailed(sales),
        ...heldBack(failing, sales),
        changed,
        january,
        requestsReady,
        bill,
        begun,
      ],
    ]);
    const { body: log } = await admin.get<{ target: string; detail: object }[]>('/audit-log?limit=1');
    expect(log.data).toMatchObject([{ target: sales.id, detail: { viewed: 'waiting' } }]);

    const setTier = (tier: 'starter' | 'professional') =>
      updateOrganisation(warehouse, orgId, { tier }, BY_ADMIN);
    await setTier('professional');
    // Nobody can lock revenue on Professional, and its import pauses.
    const paused = {
      kind: 'import_paused',
      message:
        'the import of metric "Sales" is paused: Creating and changing revenue metrics needs the Business plan or above; ' +
        'this organisation is on Professional',
      metric: { id: sales.id, name: 'Sales' },
    };
    expect(expectData(await admin.get('/waiting'))).toEqual([
      ...[
        runFailed,
        importFailed(failing),
        paused,
        ...heldBack(failing),
        changed,
        january,
        requestsReady,
        bill,
        begun,
      ],
    ]);
    await setTier('starter');
    expect(expectData(await admin.get('/waiting'))).toEqual([runFailed, begun]);
  });
});
