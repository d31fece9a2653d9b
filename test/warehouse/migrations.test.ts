import { expect, it } from 'vitest';
import { listCostSources } from '../../warehouse/cost-sources.ts';
import { MIGRATIONS } from '../../warehouse/migrations.ts';
import { listMonthVersions } from '../../warehouse/month-locks.ts';
import { Warehouse } from '../../warehouse/warehouse.ts';
import { describeOnBothEngines } from '../support/engines.ts';

describeOnBothEngines('a warehouse of an earlier version', (open) => {
  it('is brought up to date with all that it holds', async () => {
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
    // Opened again, there is nothing left to do.
    const again = await Warehouse.open(old.settings);
    expect(
      await again.query('SELECT version, count(*) AS times FROM schema_migrations GROUP BY ALL ORDER BY ALL'),
    ).toEqual(MIGRATIONS.map(({ version }) => ({ version, times: '1' })));
    again.close();
    await old.close();
  });
});
