import { describe, expect, it } from 'vitest';
import { explainUpgrade, schemaVersion } from '../../warehouse/explain-upgrade.ts';
import { MIGRATIONS } from '../../warehouse/migrations.ts';
import { Warehouse } from '../../warehouse/warehouse.ts';
import { openDuckDb } from '../support/engines.ts';
import { NOW } from '../support/tenant.ts';

const AT = `TIMESTAMP '2026-02-07 06:00:00'`;

/** A month's computation of version 7 with what the metric's scope cost in it. */
const computed = (month: string, load: string, cost: number): string[] => [
  `INSERT INTO month_computations BY NAME SELECT 'org_1' AS org_id, DATE '${month}-01' AS month,
    '00000000-0000-7000-8000-00000000000a'::UUID AS computation_id, '${load}' AS made_of, ${AT} AS computed_at`,
  `INSERT INTO scope_costs BY NAME SELECT 'org_1' AS org_id, md5('{"type":"organisation"}') AS scope_id,
    DATE '${month}-01' AS month, '00000000-0000-7000-8000-00000000000a'::UUID AS computation_id, ${cost} AS cost`,
];

/** A load of a day of a month's bill, as version 7 published it. */
const loaded = (month: string, day: string, cost: number, load: string): string[] => [
  `INSERT INTO cloud_spend BY NAME SELECT 'org_1' AS org_id, 'src_1' AS source_id, '${load}'::UUID AS load_id,
    DATE '${month}-01' AS billing_period, DATE '${day}' AS day, 'aws' AS cloud, '1111' AS account, ${cost} AS cost`,
  `INSERT INTO loads BY NAME SELECT 'org_1' AS org_id, 'src_1' AS source_id, DATE '${month}-01' AS billing_period,
    '${load}'::UUID AS load_id, 'run_1' AS run_id, ${AT} AS published_at, 1 AS rows_read, ${cost} AS cost_total,
    DATE '${day}' AS first_day, DATE '${day}' AS last_day, DATE '${day}' AS delivered_through`,
];

/** Bills of November and January, and a hole that version 7 took for a December without spend. */
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

describe('an upgrade explained', () => {
  it('lists the numbers that move, and changes nothing', async () => {
    const test = await openDuckDb(MIGRATIONS.filter(({ version }) => version <= 7));
    for (const statement of ORGANISATION) await test.warehouse.run(statement);
    test.warehouse.close();
    const newest = MIGRATIONS.at(-1)?.version;

    // November is locked at 290 although 300 were spent; January stays; December was never delivered.
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
          after: {
            cost: null,
            status: 'open',
            reason:
              'cost source "Bill" has not delivered 2025-12-01 to 2025-12-31 ' +
              '(it has later days, but no load of 2025-12 with these); no spend has been ingested for 2025-12',
          },
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
      lockedMonths: 0,
    });
    await test.close();
  });
});
