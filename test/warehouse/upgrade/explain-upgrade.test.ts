import { access, copyFile, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { toWire, type DecimalText } from '../../../domain/shared/decimals.ts';
import {
  explainUpgrade,
  schemaVersion,
  type ExplainedUpgrade,
} from '../../../warehouse/upgrade/explain-upgrade.ts';
import { MIGRATIONS } from '../../../warehouse/engine/migrations/migrations.ts';
import { Warehouse } from '../../../warehouse/engine/warehouse.ts';
import { THOROUGH } from '../../support/effort.ts';
import { openDuckDb } from '../../support/warehouse/engines.ts';
import { newMetric, newOrganisation, NOW } from '../../support/warehouse/tenant.ts';
import { newMonthStory } from '../months/month-story.ts';
import { account, namespace, newTeamStory } from '../teams/team-story.ts';

const AT = `TIMESTAMP '2026-02-07 06:00:00'`;

/** Returns statements for a month's computation by version 7: the organisation's total, and the cost of the metric's scope. */
const computed = (month: string, load: string, cost: number): string[] => [
  `INSERT INTO month_computations BY NAME SELECT 'org_1' AS org_id, DATE '${month}-01' AS month,
    '00000000-0000-7000-8000-00000000000a'::UUID AS computation_id, '${load}' AS made_of, ${AT} AS computed_at`,
  `INSERT INTO scope_costs BY NAME SELECT 'org_1' AS org_id, md5('{"type":"organisation"}') AS scope_id,
    DATE '${month}-01' AS month, '00000000-0000-7000-8000-00000000000a'::UUID AS computation_id, ${cost} AS cost`,
  `INSERT INTO daily_totals BY NAME SELECT 'org_1' AS org_id, DATE '${month}-01' AS month,
    '00000000-0000-7000-8000-00000000000a'::UUID AS computation_id, DATE '${month}-15' AS day, 'cloud' AS source,
    ${cost} AS cost`,
];

/** Returns statements for a load of one day of a month's bill, in the form of version 7. */
const loaded = (month: string, day: string, cost: number, load: string): string[] => [
  `INSERT INTO cloud_spend BY NAME SELECT 'org_1' AS org_id, 'src_1' AS source_id, '${load}'::UUID AS load_id,
    DATE '${month}-01' AS billing_period, DATE '${day}' AS day, 'aws' AS cloud, '1111' AS account, ${cost} AS cost`,
  `INSERT INTO loads BY NAME SELECT 'org_1' AS org_id, 'src_1' AS source_id, DATE '${month}-01' AS billing_period,
    '${load}'::UUID AS load_id, 'run_1' AS run_id, ${AT} AS published_at, 1 AS rows_read, ${cost} AS cost_total,
    DATE '${day}' AS first_day, DATE '${day}' AS last_day, DATE '${day}' AS delivered_through`,
];

/** Bills of November and January, and a gap that version 7 took for a December without spend. */
const ORGANISATION = [
  `INSERT INTO organisation_versions BY NAME SELECT 'org_1' AS org_id, uuidv7() AS version_id, 'Acme' AS name,
    'business' AS tier, 'USD' AS currency, 5 AS settle_days, ${AT} AS changed_at`,
  `INSERT INTO cost_source_versions BY NAME SELECT 'org_1' AS org_id, 'src_1' AS source_id, uuidv7() AS version_id,
    'Bill' AS name, 'focus' AS kind, '/exports' AS location, '{}' AS options, false AS schedule_paused,
    false AS deleted, ${AT} AS changed_at`,
  `INSERT INTO metric_versions BY NAME SELECT 'org_1' AS org_id, 'met_1' AS metric_id, uuidv7() AS version_id,
    'Orders' AS name, 'order' AS unit, 'count' AS kind, 'total' AS aggregation, 'daily' AS frequency,
    '{"type":"organisation"}' AS scope, ${AT} AS created_at, false AS deleted, ${AT} AS changed_at`,
  ...loaded('2025-11', '2025-11-30', 300, '00000000-0000-7000-8000-000000000001'),
  ...loaded('2026-01', '2026-01-31', 310, '00000000-0000-7000-8000-000000000002'),
  ...computed('2025-11', 'one', 300),
  ...computed('2026-01', 'two', 310),
  `INSERT INTO metric_value_changes BY NAME SELECT 'org_1' AS org_id, 'met_1' AS metric_id, uuidv7() AS change_id,
    unnest([DATE '2025-11-10', DATE '2025-12-10', DATE '2026-01-10']) AS period, '' AS label, 10 AS value, 'hand' AS source,
    ${AT} AS changed_at`,
  `INSERT INTO settled_months BY NAME SELECT 'org_1' AS org_id,
    unnest([DATE '2025-11-01', DATE '2025-12-01', DATE '2026-01-01']) AS month, ${AT} AS settled_at`,
  `INSERT INTO month_locks BY NAME SELECT 'org_1' AS org_id, 'met_1' AS metric_id, DATE '2025-11-01' AS month,
    uuidv7() AS lock_id, 290 AS cost, 10 AS value, '29' AS unit_cost_text, 1 AS value_changes, ${AT} AS locked_at`,
];

/** A team that owns all spend, and a metric of it. Version 7 had sealed its bill of November at 0. */
const TEAM = [
  `INSERT INTO team_versions BY NAME SELECT 'org_1' AS org_id, 'team_1' AS team_id, uuidv7() AS version_id, 'Shop' AS name,
    '[{"source":"cloud","cloud":"aws","account":"1111"}]' AS ownership, false AS deleted, ${AT} AS changed_at`,
  `INSERT INTO metric_versions BY NAME SELECT 'org_1' AS org_id, 'met_2' AS metric_id, uuidv7() AS version_id,
    'Visits' AS name, 'visit' AS unit, 'count' AS kind, 'total' AS aggregation, 'daily' AS frequency,
    '{"type":"team","team_id":"team_1"}' AS scope, ${AT} AS created_at, false AS deleted, ${AT} AS changed_at`,
  `INSERT INTO metric_value_changes BY NAME SELECT 'org_1' AS org_id, 'met_2' AS metric_id, uuidv7() AS change_id,
    DATE '2025-11-10' AS period, '' AS label, 10 AS value, 'hand' AS source, ${AT} AS changed_at`,
  `INSERT INTO bill_bases BY NAME SELECT 'org_1' AS org_id, DATE '2025-11-01' AS month,
    '00000000-0000-7000-8000-00000000000b'::UUID AS version_id, '{"teams":[],"shared_costs":[]}' AS basis,
    CAST([] AS VARCHAR[]) AS metric_ids, ${AT} AS sealed_at`,
  `INSERT INTO sealed_bills BY NAME SELECT 'org_1' AS org_id, 'team_1' AS team_id, DATE '2025-11-01' AS month,
    '00000000-0000-7000-8000-00000000000b'::UUID AS version_id, 0 AS direct, 0 AS shared, '{}' AS by_source,
    '[]' AS shared_costs, ${AT} AS sealed_at`,
];

/** Returns each change as a line. */
const lines = (explained: ExplainedUpgrade | null): string[] =>
  (explained?.changes ?? []).map(({ of, name, month, before, after }) =>
    [of, name, month, wired(before.cost), wired(after.cost), before.status, after.status].join(' '),
  );

const wired = (cost: DecimalText | null): string => (cost === null ? 'null' : toWire(cost).toString());

describe('the explanation of an upgrade', () => {
  it('lists the numbers that change, and writes nothing', async () => {
    const test = await openDuckDb(MIGRATIONS.filter(({ version }) => version <= 7));
    for (const statement of ORGANISATION) await test.warehouse.run(statement);
    test.warehouse.close();
    const newest = MIGRATIONS.at(-1)?.version;

    // November is locked at 290, although it cost 300. January stays. December was never delivered.
    expect(await explainUpgrade(test.settings, NOW)).toEqual({
      version: 7,
      newest,
      lockedMonths: 1,
      changes: [
        {
          organisation: 'Acme',
          of: 'metric',
          name: 'Orders',
          month: '2025-12',
          before: { cost: '0.000000000000000', status: 'ready_to_lock' },
          after: { cost: null, status: 'open' },
          reason:
            'cost source "Bill" has not delivered 2025-12-01 to 2025-12-31 ' +
            '(it has later days, but no load of 2025-12 with these); no spend has been ingested for 2025-12',
        },
      ],
    });
    expect(await schemaVersion(test.settings)).toEqual({ version: 7, newest });

    const upgraded = await Warehouse.open(test.settings);
    upgraded.close();
    expect(await explainUpgrade(test.settings, NOW)).toEqual({
      version: newest,
      newest,
      changes: [],
      lockedMonths: 1,
    });
    await test.close();
  });

  it('lists totals, bills and metrics of teams of version 7', async () => {
    const test = await openDuckDb(MIGRATIONS.filter(({ version }) => version <= 7));
    for (const statement of [...ORGANISATION, ...TEAM]) await test.warehouse.run(statement);
    // Version 7 counted a load balancer of 93 beside the bill, and no spend had an owner.
    await test.warehouse.run(`UPDATE daily_totals SET cost = 403 WHERE month = DATE '2026-01-01'`);
    test.warehouse.close();
    const explained = await explainUpgrade(test.settings, NOW);
    expect(lines(explained)).toEqual([
      'organisation Acme 2026-01 403 310  ',
      'metric Orders 2025-12 0 null ready_to_lock open',
      'metric Visits 2026-01 0 310 open open',
      'metric Visits 2025-11 0 300 ready_to_lock ready_to_lock',
      'team Shop 2025-11 0 300 sealed sealed',
      'team Shop 2026-01 0 310 estimate sealed',
    ]);
    expect(explained?.changes[0]?.reason).toMatch(
      /^the counting rules changed from those of version 7 to \d+ \(version \d+\)$/,
    );
    await test.close();
  });

  it('lists every number that the counting rules of another version changed', async () => {
    const test = await openDuckDb();
    const { warehouse } = test;
    const story = await newTeamStory(test);
    const [shop] = [
      await story.team('Shop', [namespace('shop')]),
      await story.team('Ads', [account('1111')]),
    ];
    await newMetric(warehouse, story.orgId, { name: 'Orders' });
    await newMetric(warehouse, story.orgId, { name: 'Visits', scope: { type: 'team', team_id: shop } });
    await newMetric(warehouse, story.orgId, {
      name: 'Account',
      scope: { type: 'spend', spend: [account('1111')] },
    });
    // A node of 24 with 20 used, and a fee of 3 that the cluster reports without an id. Together they are the bill of 27.
    const day = '2026-01-31';
    await story.spend('2026-01', {
      cloud_spend: [
        { day, cloud: 'aws', account: '1111', resource_id: 'i-1', cost: '24' },
        { day, cloud: 'aws', account: '1111', cost: '3' },
      ],
      kubernetes_spend: [
        { day, cluster: 'prod', namespace: 'shop', workload: 'deployment/api', is_idle: false, cost: '20' },
      ],
      cluster_assets: [
        { day, cluster: 'prod', kind: 'node', provider_id: 'i-1', cost: '24' },
        { day, cluster: 'prod', kind: 'management', provider_id: null, cost: '3' },
      ],
    });
    const now = new Date('2026-02-03T06:00:00Z'); // January has not settled: its bills are estimates
    await story.settle(now);
    const [computed] = await warehouse.query<{ rules: string }>(
      `SELECT split_part(made_of, '/', 1) AS rules FROM current_computations`,
    );
    // Earlier rules counted the fee beside the bill, for the namespace: 30 in all, and 23 for Shop.
    for (const statement of [
      `UPDATE month_computations SET made_of = '0' || substr(made_of, instr(made_of, '/'))`,
      `UPDATE daily_totals SET cost = 27 WHERE cost = 24`,
      `UPDATE month_spend SET cost = 23 WHERE cost = 20`,
      `UPDATE scope_costs SET cost = 30 WHERE cost = 27`,
      `DELETE FROM asset_decisions`,
    ])
      await warehouse.run(statement);
    warehouse.close();
    const explained = await explainUpgrade(test.settings, now);
    expect(lines(explained)).toEqual([
      'organisation Acme 2026-01 30 27  ',
      'metric Orders 2026-01 30 27 open open',
      'metric Visits 2026-01 23 20 open open',
      'team Shop 2026-01 23 20 estimate estimate',
    ]);
    const version = MIGRATIONS.at(-1)?.version;
    const why =
      `the counting rules changed from 0 (version ${version}) to ${computed?.rules} (version ${version}); ` +
      'cluster "prod": assets without a bill line of their own follow the cluster, which is on a bill ' +
      'on 1 day, 2026-01-31: their cost of 3 is not counted again';
    const [total, orders, , bill] = (explained?.changes ?? []).map(({ reason }) => reason);
    expect([total, bill]).toEqual([why, why]);
    expect(orders).toMatch(/^cloud billing settles on 2026-02-06, 5 full days after the month; .*/);
    expect(orders?.endsWith(`; ${why}`)).toBe(true);
    await test.close();
  });

  it('gives the reason that a month has settled, if it has become due meanwhile', async () => {
    const test = await openDuckDb();
    const story = await newMonthStory(test);
    await story.spend({ '2026-01-10': '100', '2026-01-31': '0' });
    await story.values({ '2026-01-10': 50 });
    await story.months(1, '2026-01', new Date('2026-02-03T06:00:00Z'));
    test.warehouse.close();
    const explained = await explainUpgrade(test.settings, NOW);
    expect(lines(explained)).toEqual(['metric Orders 2026-01 100 100 open ready_to_lock']);
    expect(explained?.changes[0]?.reason).toBe('the month has settled');
    await test.close();
  });

  it.runIf(THOROUGH)(
    'creates no warehouse file, and does not change the log of a killed service',
    async () => {
      const test = await openDuckDb();
      test.warehouse.close();
      const newest = MIGRATIONS.at(-1)?.version;
      const nowhere = join(test.directory, 'empty', 'warehouse.duckdb');
      const settings = { ...test.settings, location: nowhere, spillDirectory: join(test.directory, 'none') };
      expect(await explainUpgrade(settings, NOW)).toEqual({
        version: 0,
        newest,
        changes: [],
        lockedMonths: 0,
      });
      await expect(access(dirname(nowhere))).rejects.toThrow('ENOENT');
      await expect(access(settings.spillDirectory)).rejects.toThrow('ENOENT');

      // A copy of both files, taken while the service runs, is the state after a SIGKILL.
      const running = await openDuckDb();
      await newOrganisation(running.warehouse);
      for (const end of ['', '.wal'])
        await copyFile(`${running.settings.location}${end}`, `${test.settings.location}${end}`);
      const files = async () =>
        Promise.all(['', '.wal'].map((end) => readFile(`${test.settings.location}${end}`)));
      const before = await files();
      expect(before[1]?.length).toBeGreaterThan(0);
      expect(await explainUpgrade(test.settings, NOW)).toMatchObject({ version: newest, changes: [] });
      expect(await files()).toEqual(before);
      await running.close();
      await test.close();
    },
  );
});
