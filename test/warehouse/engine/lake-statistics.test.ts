import { describe, expect, it } from 'vitest';
import { Warehouse } from '../../../warehouse/engine/warehouse.ts';
import { hasDuckLake, openDuckLake } from '../../support/warehouse/engines.ts';

const CATALOG = '__ducklake_metadata_warehouse';

const withoutStatistics = (warehouse: Warehouse) =>
  warehouse.query(
    `SELECT table_name FROM ${CATALOG}.ducklake_table
     WHERE end_snapshot IS NULL AND table_id NOT IN (SELECT table_id FROM ${CATALOG}.ducklake_table_stats)`,
  );

/** The rows of organisations, of which a new warehouse has none, and the versions of the schema. */
const emptyRows = (warehouse: Warehouse) =>
  warehouse.query(
    `SELECT 'loads' AS in_table FROM loads UNION ALL SELECT 'month_locks' FROM month_locks
     UNION ALL SELECT 'schema_migrations' FROM schema_migrations WHERE version IS NULL`,
  );

describe.skipIf(!hasDuckLake)('a new DuckLake', () => {
  it('has statistics of every table, and no row that they came from', async () => {
    const test = await openDuckLake();
    expect(await withoutStatistics(test.warehouse)).toEqual([]);
    expect(await emptyRows(test.warehouse)).toEqual([]);
    await test.close();
  });

  it('loses the rows of a start that was killed half way, and keeps all others', async () => {
    const test = await openDuckLake();
    await test.warehouse.run(`INSERT INTO api_calls BY NAME SELECT 'org_1' AS org_id, 7 AS calls`);
    for (const [table, key] of [
      ['loads', 'org_id'],
      ['api_calls', 'org_id'],
      ['schema_migrations', 'version'],
    ])
      await test.warehouse.run(`INSERT INTO ${table} BY NAME SELECT NULL AS ${key}`);
    test.warehouse.close();

    const again = await Warehouse.open(test.settings);
    expect(await emptyRows(again)).toEqual([]);
    expect(await again.query('SELECT org_id, calls FROM api_calls')).toEqual([
      { org_id: 'org_1', calls: '7' },
    ]);
    again.close();
    await test.close();
  });
});
