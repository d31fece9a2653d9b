import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Month } from '../../../domain/shared/calendar.ts';
import { Sealer } from '../../../security/sealing.ts';
import {
  compact,
  removeDeadSpend,
  removeOldDeliveries,
  removeOldSignOuts,
} from '../../../warehouse/engine/maintenance/maintenance.ts';
import { resealSome } from '../../../warehouse/engine/records/reseal.ts';
import { Warehouse } from '../../../warehouse/engine/warehouse.ts';
import { connectImport, disconnectImport } from '../../../warehouse/imports/imports.ts';
import { removeValues, writeValues } from '../../../warehouse/metrics/write-values.ts';
import { createMetric, updateMetric } from '../../../warehouse/metrics/metrics.ts';
import { lockMonth } from '../../../warehouse/months/month-locks.ts';
import { settleMonths } from '../../../warehouse/months/settlement.ts';
import { revokeKey } from '../../../warehouse/organisations/api-keys.ts';
import { closeOrganisation, removeRows } from '../../../warehouse/organisations/deleted-organisations.ts';
import { updateOrganisation } from '../../../warehouse/organisations/organisations.ts';
import { updateCostSource } from '../../../warehouse/sources/cost-sources.ts';
import { ingestRuns, startedRun } from '../../../warehouse/sources/ingest-runs.ts';
import { resealBills } from '../../../warehouse/teams/bills/bill-resealing.ts';
import { sealBills } from '../../../warehouse/teams/bills/bill-sealing.ts';
import { createSharedCost, SHARED_COSTS } from '../../../warehouse/teams/shared-costs.ts';
import { createTeam, TEAMS } from '../../../warehouse/teams/teams.ts';
import { as } from '../../support/service/api-client.ts';
import { SEED } from '../../support/effort.ts';
import { startLocalApi, type LocalApi } from '../../support/service/local-api.ts';
import { describeOnBothEngines } from '../../support/warehouse/engines.ts';
import { publishSpend } from '../../support/warehouse/published-spend.ts';
import {
  ADMIN,
  BY_ADMIN,
  newMetric,
  newOrganisation,
  newSource,
  NOW,
} from '../../support/warehouse/tenant.ts';
import { withOpened } from '../../support/with-opened.ts';

/**
 * Changes, one at a time, whatever an answer can depend on, by each kind of writer. After each change the API answers as a node
 * that remembers nothing.
 */
describeOnBothEngines('no answer is older than its request', (open) => {
  const test = withOpened(open);
  const api = withOpened(() => startLocalApi({ shared: test }));
  /** Another node, if the engine allows one, and one that remembers nothing. */
  let node: Warehouse;
  let forgetful: { warehouse: Warehouse; api: LocalApi } | null = null;
  beforeAll(async () => {
    if (!test.warehouse.isDuckLake) {
      node = test.warehouse;
      return;
    }
    node = await Warehouse.open(test.settings);
    const { settings, directory, close } = test;
    const warehouse = await Warehouse.open({ ...settings, cacheBytes: 0 });
    forgetful = {
      warehouse,
      api: await startLocalApi({ shared: { warehouse, settings, directory, close } }),
    };
  });
  afterAll(async () => {
    await forgetful?.api.close();
    forgetful?.warehouse.close();
    if (node !== test.warehouse) node.close();
  });

  const account = (id: string) => ({ source: 'cloud' as const, cloud: 'aws', account: id });

  const newStory = async () => {
    const organisation = await newOrganisation(test.warehouse);
    const orgId = organisation.id;
    const { id: source } = await newSource(test.warehouse, orgId);
    const lines = (cost: number) =>
      ['1111', '2222'].map((of) => ({ cloud: 'aws', account: of, cost: `${cost}`, resource_id: of }));
    const spend = (month: Month, days: Record<number, number>, now = NOW) =>
      publishSpend(
        node,
        { orgId, sourceId: source },
        month,
        {
          cloud_spend: Object.entries(days).flatMap(([day, cost]) =>
            lines(cost).map((line) => ({ day: `${month}-${day.padStart(2, '0')}`, ...line })),
          ),
        },
        now,
      );
    const whole = (cost: number) =>
      Object.fromEntries(Array.from({ length: 31 }, (_, index) => [index + 1, cost]));
    await spend('2025-12', whole(1));
    await spend('2026-01', whole(2));
    const { id: shop } = await createTeam(
      test.warehouse,
      orgId,
      { name: 'Shop', ownership: [account('1111')] },
      BY_ADMIN,
    );
    const { id: shared } = await createSharedCost(
      test.warehouse,
      orgId,
      { name: 'Network', spend: [account('2222')], split: { type: 'even', team_ids: [shop] } },
      BY_ADMIN,
    );
    const orders = await newMetric(test.warehouse, orgId, { name: 'Orders' });
    const picked = await newMetric(test.warehouse, orgId, {
      name: 'Picked',
      scope: { type: 'spend', spend: [account('1111')] },
    });
    const billed = await newMetric(test.warehouse, orgId, {
      name: 'Billed',
      frequency: 'monthly',
      scope: { type: 'team', team_id: shop },
    });
    const requests = await newMetric(test.warehouse, orgId, {
      name: 'Requests',
      frequency: 'monthly',
      label_key: 'team',
    });
    const change = {
      source: 'api',
      by: { type: 'key', id: 'key_1', name: 'Finance' },
      now: NOW,
    } as const;
    const write = (metric: string, values: Record<string, string>, label = '') =>
      writeValues(
        node,
        { orgId, metricId: metric },
        Object.entries(values).map(([period, value]) => ({ period, label, value })),
        change,
      );
    await write(orders.id, { '2025-12-31': '10', '2026-01-31': '20' });
    await write(picked.id, { '2026-01-31': '5' });
    await write(billed.id, { '2026-01-01': '7' });
    for (const label of ['shop', 'others'])
      await write(requests.id, { '2025-12-01': '1', '2026-01-01': '1', '2026-02-01': '1' }, label);
    const keys = { admin: await api.newKey(orgId), reader: await api.newKey(orgId, { permission: 'read' }) };
    return {
      organisation,
      orgId,
      source,
      shop,
      shared,
      orders,
      picked,
      billed,
      requests,
      change,
      keys,
      spend,
      whole,
      write,
    };
  };
  type Story = Awaited<ReturnType<typeof newStory>>;

  /** A DuckLake takes ten times as long, so that it answers only what the others are made of. */
  const PATHS = ({ source, orders, picked, billed, shop }: Story): string[] => [
    ...['/organisation', '/metrics', '/waiting', '/teams/bills', '/cost-sources', '/shared-costs'],
    ...[
      `/cost-sources/${source}/runs`,
      `/teams/${shop}/bills`,
      '/costs?start_date=2026-01-01&end_date=2026-01-31',
    ],
    ...(test.warehouse.isDuckLake
      ? []
      : [
          ...['/overview', '/teams', '/teams/bills/2026-01'],
          ...[orders, picked, billed].flatMap(({ id }) => [`/metrics/${id}`, `/metrics/${id}/months`]),
          '/spend/options?source=cloud',
          ...['account', 'team', 'tag'].map(
            (by) => `/costs/breakdown?start_date=2026-01-01&end_date=2026-02-06&group_by=${by}`,
          ),
        ]),
  ];

  const answers = async (story: Story, from = api): Promise<Record<string, unknown>> => {
    const caller = as(from, story.keys.reader);
    return Object.fromEntries(
      await Promise.all(PATHS(story).map(async (path) => [path, (await caller.get(path)).body] as const)),
    );
  };

  /** Returns the answers of a node that remembers nothing. */
  const newAnswers = async (story: Story): Promise<Record<string, unknown>> => {
    if (forgetful !== null) return answers(story, forgetful.api);
    // A write that names no organisation can concern each, so that everything is forgotten.
    const tables = await test.warehouse.query<{ name: string }>(
      `SELECT DISTINCT table_name AS name FROM duckdb_columns()
       WHERE database_name = 'warehouse' AND column_name = 'org_id'
         AND table_name IN (SELECT table_name FROM duckdb_tables() WHERE database_name = 'warehouse')`,
    );
    await test.warehouse.transaction(async (session) => {
      for (const { name } of tables) await session.run(`DELETE FROM ${name} WHERE false`);
    });
    return answers(story);
  };

  const by = BY_ADMIN;
  const later = new Date('2026-02-07T06:00:01Z');

  /** Each change, and the paths of some answers that it must change; none if it changes no number. */
  const CHANGES: [name: string, change: (story: Story) => Promise<unknown>, seen: RegExp | null][] = [
    ['a value', ({ write, orders }) => write(orders.id, { '2026-01-30': '3' }), /metrics/],
    [
      'the removal of a value',
      ({ orgId, orders, change }) =>
        removeValues(
          node,
          { orgId, metricId: orders.id },
          { start: '2026-01-30', end: '2026-01-30', label: null },
          change,
        ),
      /metrics/,
    ],
    [
      'the name of a metric',
      ({ orgId, picked }) => updateMetric(node, orgId, picked.id, { name: 'Chosen' }, by),
      /metrics/,
    ],
    [
      'the target of a metric',
      ({ orgId, orders }) => updateMetric(node, orgId, orders.id, { target: '0.5' }, by),
      /metrics/,
    ],
    [
      'the picks of a metric',
      ({ orgId, picked }) =>
        updateMetric(
          node,
          orgId,
          picked.id,
          { scope: { type: 'spend', spend: [account('1111'), account('2222')] } },
          by,
        ),
      /metrics/,
    ],
    [
      'a pick of a tag key, which is collected from then on',
      ({ orgId, picked }) =>
        updateMetric(
          node,
          orgId,
          picked.id,
          {
            scope: {
              type: 'spend',
              spend: [{ source: 'cloud', cloud: 'aws', tag: { key: 'a', value: 'b' } }],
            },
          },
          by,
        ),
      /metrics/,
    ],
    [
      'a new metric',
      ({ orgId, orders: { id: _, created_at: __, ...like } }) =>
        createMetric(node, orgId, { ...like, name: 'Visits' }, by),
      /metrics/,
    ],
    ['a load', ({ spend, whole }) => spend('2026-01', whole(3), later), /costs|metrics|bills/],
    ['spend of the running month', ({ spend }) => spend('2026-02', { 1: 4, 6: 5 }, later), /costs|metrics/],
    [
      'the ownership of a team',
      ({ orgId, shop }) => TEAMS.change(node, orgId, shop, { ownership: [account('2222')] }, by),
      /bills/,
    ],
    [
      'a new team',
      ({ orgId }) => createTeam(node, orgId, { name: 'Ads', ownership: [account('1111')] }, by),
      /teams/,
    ],
    [
      'a shared cost',
      ({ orgId, shared }) => SHARED_COSTS.change(node, orgId, shared, { name: 'Wires' }, by),
      /shared-costs/,
    ],
    [
      'a shared cost that is split by a metric',
      ({ orgId, shared, shop, requests }) => {
        const split = { type: 'metric', metric_id: requests.id, labels: { shop } } as const;
        return SHARED_COSTS.change(node, orgId, shared, { split }, by);
      },
      /bills/,
    ],
    [
      'a value that splits the costs of the running month',
      ({ write, requests }) => write(requests.id, { '2026-02-01': '3' }, 'others'),
      /bills/,
    ],
    ['the settlement of months', ({ orgId }) => settleMonths(node, orgId, NOW), /metrics/],
    ['the seal of bills', ({ orgId }) => sealBills(node, orgId, NOW), null],
    [
      'a lock',
      ({ organisation, orders }) =>
        lockMonth(node, organisation, orders, '2026-01', { actor: ADMIN, now: NOW, acceptMissing: true }),
      /metrics/,
    ],
    [
      'a value that splits the costs of a sealed month',
      ({ write, requests }) => write(requests.id, { '2026-01-01': '3' }, 'others'),
      /bills/,
    ],
    ['a value after the lock', ({ write, orders }) => write(orders.id, { '2026-01-29': '1' }), /metrics/],
    [
      'bills that are sealed again',
      ({ orgId }) =>
        resealBills(node, { id: orgId, settle_days: 5 }, '2026-01', { reason: 'looked at again', by }),
      /bills/,
    ],
    [
      'a source that is paused and renamed',
      ({ orgId, source }) =>
        updateCostSource(node, orgId, source, { name: 'Bill', schedule_paused: true }, by),
      /cost-sources/,
    ],
    [
      'a run that fails',
      async ({ orgId, source }) => {
        const run = startedRun({ run_id: 'run_1', source_id: source, workflow_id: 'ingest' }, NOW);
        await ingestRuns.record(node, orgId, run);
        await ingestRuns.fail(node, { org_id: orgId, run_id: 'run_1' }, 'the file is gone', later);
      },
      /waiting/,
    ],
    [
      'an import',
      ({ orgId, orders }) =>
        connectImport(
          node,
          new Sealer(Buffer.alloc(32)),
          orgId,
          orders.id,
          { type: 'bigquery', project_id: 'p', location: null, query: 'SELECT 1' },
          '{}',
          '2026-01',
          by,
        ),
      /metrics/,
    ],
    ['the end of an import', ({ orgId, orders }) => disconnectImport(node, orgId, orders.id, by), /metrics/],
    [
      'how long bills take to settle',
      ({ orgId }) => updateOrganisation(node, orgId, { settle_days: 20 }, by),
      /organisation/,
    ],
    ['a new master key', () => resealSome(node, new Sealer(Buffer.alloc(32, 1), Buffer.alloc(32))), null],
    [
      'the nightly maintenance',
      async () => {
        const tomorrow = new Date('2026-03-07T06:00:00Z');
        await removeDeadSpend(node, tomorrow);
        await removeOldDeliveries(node, tomorrow);
        await removeOldSignOuts(node, tomorrow);
        await compact(node);
      },
      null,
    ],
    [
      'a source that is deleted',
      ({ orgId, source }) => updateCostSource(node, orgId, source, 'delete', by),
      /costs|bills/,
    ],
    [
      'a metric that is deleted',
      ({ orgId, picked }) => updateMetric(node, orgId, picked.id, 'delete', by),
      /metrics/,
    ],
  ];

  it('whatever was changed, by whom', async () => {
    const story = await newStory();
    let before = await answers(story);
    let isNext = true;
    for (const [index, [name, change, seen]] of CHANGES.entries()) {
      await change(story);
      // Each second change is compared at once, on a DuckLake each eighth. An old answer would stay old until then.
      if ((index + SEED) % (test.warehouse.isDuckLake ? 8 : 2) !== 0 && index < CHANGES.length - 1) {
        isNext = false;
        continue;
      }
      const now = await answers(story);
      expect(now, name).toEqual(await newAnswers(story));
      const changed = PATHS(story).filter(
        (path) => JSON.stringify(now[path]) !== JSON.stringify(before[path]),
      );
      if (isNext && seen === null) expect(changed, name).toEqual([]);
      else if (isNext && seen !== null)
        expect(
          changed.filter((path) => seen.test(path)),
          name,
        ).not.toEqual([]);
      before = now;
      isNext = true;
    }
  });

  it('nor is a key that was revoked, or an organisation’s plan', async () => {
    const story = await newStory();
    const caller = as(api, story.keys.reader);
    expect((await caller.get('/overview')).status).toBe(200);
    await updateOrganisation(node, story.orgId, { tier: 'starter' }, by);
    expect((await caller.get('/overview')).status).toBe(403);
    await updateOrganisation(node, story.orgId, { tier: 'business' }, by);
    expect((await caller.get('/overview')).status).toBe(200);
    const [key] = await node.query<{ key_id: string }>(
      `SELECT key_id FROM api_keys WHERE org_id = $org AND permission = 'read'`,
      { org: story.orgId },
    );
    await revokeKey(node, story.orgId, key?.key_id ?? '', NOW, () => Promise.resolve());
    expect((await caller.get('/overview')).status).toBe(401);
  });

  it('nor is anything of an organisation that was deleted', async () => {
    const [gone, stays] = [await newStory(), await newStory()];
    for (const { keys } of [gone, stays])
      expect((await as(api, keys.reader).get('/overview')).status).toBe(200);
    await closeOrganisation(node, gone.orgId, by);
    expect((await as(api, gone.keys.reader).get('/overview')).status).toBe(401);
    await removeRows(node, [gone.orgId], NOW);
    expect((await as(api, gone.keys.reader).get('/overview')).status).toBe(401);
    expect((await as(api, stays.keys.reader).get('/overview')).status).toBe(200);
  });
});
