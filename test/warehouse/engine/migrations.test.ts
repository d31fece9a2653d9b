import { expect, it } from 'vitest';
import { sealBills } from '../../../warehouse/teams/bills/bill-sealing.ts';
import { listBillVersions, monthBills } from '../../../warehouse/teams/bills/bills.ts';
import { listCostSources } from '../../../warehouse/sources/cost-sources.ts';
import { costSummary } from '../../../warehouse/spend/costs.ts';
import { MIGRATIONS } from '../../../warehouse/engine/migrations/migrations.ts';
import { computeSpend } from '../../../warehouse/spend/compute-spend.ts';
import { listMonthVersions } from '../../../warehouse/months/month-locks.ts';
import { Warehouse } from '../../../warehouse/engine/warehouse.ts';
import { describeOnBothEngines } from '../../support/warehouse/engines.ts';
import { money, newOrganisation, newSource, NOW } from '../../support/warehouse/tenant.ts';

describeOnBothEngines('a warehouse of an earlier version', (open) => {
  it('is migrated with all its data', async () => {
    const before = MIGRATIONS.filter(({ version }) => version <= 6);
    const old = await open(before);
    const at = `TIMESTAMP '2026-02-07 06:00:00'`;
    for (const statement of [
      `INSERT INTO cost_source_versions BY NAME SELECT 'org_1' AS org_id, 'src_1' AS source_id, uuidv7() AS version_id,
        'Bill' AS name, 'focus' AS kind, '/exports' AS location, '{}' AS options, false AS schedule_paused,
        false AS deleted, ${at} AS changed_at`,
      `INSERT INTO settled_months VALUES ('org_1', DATE '2026-01-01', ${at})`,
      `INSERT INTO month_locks BY NAME SELECT 'org_1' AS org_id, 'met_1' AS metric_id, DATE '2026-01-01' AS month,
        uuidv7() AS lock_id, 10 AS cost, 4 AS value, 2.5 AS unit_cost, 1 AS value_changes, ${at} AS locked_at,
        'key_1' AS locked_by_id, 'Finance' AS locked_by_name`,
    ])
      await old.warehouse.run(statement);
    old.warehouse.close();

    const warehouse = await Warehouse.open(old.settings);
    expect(await listCostSources(warehouse, 'org_1')).toEqual([
      {
        id: 'src_1',
        name: 'Bill',
        kind: 'focus',
        location: '/exports',
        currency: null,
        options: { cost_column: 'EffectiveCost' },
        schedule_paused: false,
        starts_on: null,
      },
    ]);
    expect(await listMonthVersions(warehouse, 'org_1', 'met_1', '2026-01')).toMatchObject([
      { version: 1, cost: '10.000000000000000', unit_cost: '2.50000000000000000000' },
    ]);
    expect(await warehouse.query('SELECT with_teams FROM settled_months')).toEqual([{ with_teams: null }]);
    warehouse.close();
    // Opened again, it needs no migration.
    const again = await Warehouse.open(old.settings);
    expect(
      await again.query('SELECT version, count(*) AS times FROM schema_migrations GROUP BY ALL ORDER BY ALL'),
    ).toEqual(MIGRATIONS.map(({ version }) => ({ version, times: '1' })));
    again.close();
    await old.close();
  });

  it('is refused by a version that knows fewer migrations, and stays as it is', async () => {
    const newer = await open();
    newer.warehouse.close();
    const known = MIGRATIONS.slice(0, -1);
    const [newest, newestKnown] = [MIGRATIONS, known].map((all) => all.at(-1)?.version);
    await expect(Warehouse.open(newer.settings, known)).rejects.toThrow(
      `migrated the warehouse to version ${newest}, and this one knows ${newestKnown}: start the newer one`,
    );
    const again = await Warehouse.open(newer.settings);
    again.close();
    await newer.close();
  });

  it('of version 7 derives which months follow today, and finds the change that a bill missed', async () => {
    const old = await open(MIGRATIONS.filter(({ version }) => version <= 7));
    const at = (instant: string) => `TIMESTAMP '${instant}'`;
    const teams = (id: string, changedAt: string, deleted: boolean) =>
      `INSERT INTO team_versions BY NAME SELECT 'org_1' AS org_id, '${id}' AS team_id, uuidv7() AS version_id,
        '${id}' AS name, '[]' AS ownership, ${deleted} AS deleted, ${at(changedAt)} AS changed_at`;
    const basis = JSON.stringify({
      teams: [{ id: 'team_shop', by_source: { cloud: '100' } }],
      shared_costs: [
        {
          id: 'shc_1',
          name: 'Platform',
          amount: '30',
          split: { type: 'metric', metric_id: 'met_1', labels: { web: 'team_shop' } },
        },
      ],
      uncollected: {},
    });
    const change = (id: string, label: string, value: number) =>
      `INSERT INTO metric_value_changes BY NAME SELECT 'org_1' AS org_id, 'met_1' AS metric_id, '${id}'::UUID AS change_id,
        DATE '2026-03-01' AS period, '${label}' AS label, ${value} AS value, 'api' AS source`;
    const newest = '01a00000-0000-7000-8000-000000000002';
    for (const statement of [
      `INSERT INTO organisation_versions BY NAME SELECT 'org_1' AS org_id, uuidv7() AS version_id, 'Acme' AS name,
        'enterprise' AS tier, 'USD' AS currency, 5 AS settle_days, ${at('2025-01-01 00:00:00')} AS changed_at`,
      teams('team_trial', '2026-01-10 00:00:00', false),
      teams('team_trial', '2026-02-20 00:00:00', true),
      teams('team_shop', '2026-03-15 00:00:00', false),
      // January settles late, with a team. February (after the deletion of the trial) and March (with a team) settle in time.
      ...[
        ['2026-01-01', '2026-02-10 00:00:00'],
        ['2026-02-01', '2026-03-07 00:00:00'],
        ['2026-03-01', '2026-04-07 00:00:00'],
      ].map(
        ([month = '', settled = '']) =>
          `INSERT INTO settled_months VALUES ('org_1', DATE '${month}', ${at(settled)}, true)`,
      ),
      change(newest, 'web', 1),
      `INSERT INTO bill_bases BY NAME SELECT 'org_1' AS org_id, DATE '2026-03-01' AS month, uuidv7() AS version_id,
        '${basis}' AS basis, ['met_1'] AS metric_ids, '${newest}'::UUID AS values_id, ${at('2026-04-07 00:00:00')} AS sealed_at`,
      `INSERT INTO sealed_bills BY NAME SELECT 'org_1' AS org_id, 'team_shop' AS team_id, month, version_id, 100 AS direct,
        30 AS shared, '{"cloud":"100","kubernetes":"0","hosts":"0","ai_tools":"0"}' AS by_source,
        '[{"id":"shc_1","name":"Platform","amount":"30.000000000000000"}]' AS shared_costs, sealed_at FROM bill_bases`,
      // Written by a machine whose clock is behind, so the bill missed it.
      change('01a00000-0000-7000-8000-000000000001', 'nobody', 2),
    ])
      await old.warehouse.run(statement);
    old.warehouse.close();

    const warehouse = await Warehouse.open(old.settings);
    const now = new Date('2026-04-20T00:00:00Z');
    expect(await sealBills(warehouse, 'org_1', now)).toMatchObject({ months: ['2026-03'] });
    const { months: sealedAgain, on } = await sealBills(warehouse, 'org_1', now);
    expect(sealedAgain).toEqual([]);
    const months = await warehouse.session((session) =>
      monthBills(on(session), 'org_1', { newest: '2026-03', count: 3 }),
    );
    expect(months.slice(1)).toMatchObject([
      { month: '2026-01', backfilled: true, settledBeforeTeams: false, followsToday: true },
      { month: '2026-02', backfilled: false, settledBeforeTeams: true, followsToday: true },
      { month: '2026-03', backfilled: false, settledBeforeTeams: false, followsToday: false },
    ]);
    const versions = await warehouse.session((session) =>
      listBillVersions(session, 'org_1', 'team_shop', '2026-03'),
    );
    expect(versions).toMatchObject([
      { version: 2, shared: money('10'), sealed_because: 'values_changed', reason: null },
      { version: 1, shared: money('30'), sealed_because: 'settled', reason: null },
    ]);
    warehouse.close();
    await old.close();
  });

  it('of version 15 counts spend again despite rows with impossible days', async () => {
    const old = await open(MIGRATIONS.filter(({ version }) => version <= 15));
    // Today's code makes the organisation, and needs a column of the audit log that version 15 lacks.
    await old.warehouse.run('ALTER TABLE audit_log ADD COLUMN detail_bytes BIGINT');
    const { id: orgId } = await newOrganisation(old.warehouse);
    const { id: sourceId } = await newSource(old.warehouse, orgId);
    await old.warehouse.run('ALTER TABLE audit_log DROP COLUMN detail_bytes');
    const load = (period: string, lastDay: string, cost: number) => `
      INSERT INTO loads BY NAME SELECT '${orgId}' AS org_id, '${sourceId}' AS source_id, uuidv7() AS load_id,
        TIMESTAMP '2026-02-07' AS published_at, DATE '${period}' AS billing_period, DATE '${period}' AS first_day,
        DATE '${lastDay}' AS last_day, DATE '2026-02-07' AS delivered_through, 1 AS rows_read, ${cost} AS cost_total`;
    const poisoned = [
      ['infinity', 'infinity'],
      ['1969-12-01', '1969-12-31'],
      ['2026-02-01', '99999-01-01'],
      ['2026-03-01', 'infinity'],
    ] as const;
    for (const [period, lastDay] of poisoned) await old.warehouse.run(load(period, lastDay, 7));
    await old.warehouse.run(load('2026-01-01', '2026-01-31', 5));
    await old.warehouse.run(
      `INSERT INTO cloud_spend BY NAME SELECT org_id, source_id, load_id, billing_period, billing_period AS day, 'aws' AS cloud,
         '1111' AS account, cost_total AS cost FROM loads WHERE org_id = $org`,
      { org: orgId },
    );
    old.warehouse.close();

    const warehouse = await Warehouse.open(old.settings);
    expect(await computeSpend(warehouse, orgId, NOW)).toMatchObject({ months: ['2026-01'] });
    const range = { start: '2026-01-01', end: '2026-01-31', previousStart: '2025-12-01' };
    expect((await costSummary(warehouse, orgId, range, NOW)).total).toBe(money('5'));
    warehouse.close();
    await old.close();
  });
});
