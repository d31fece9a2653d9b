import { describe, expect, it } from 'vitest';
import { Warehouse } from '../../../warehouse/engine/warehouse.ts';
import { openDuckLake } from '../../support/warehouse/engines.ts';
import { LAKE, lacking } from '../../support/needs.ts';

const why = lacking(...LAKE);

const CATALOG = '__ducklake_metadata_warehouse';

const withoutStatistics = (warehouse: Warehouse) =>
  warehouse.query(
    `SELECT table_name FROM ${CATALOG}.ducklake_table
     WHERE end_snapshot IS NULL AND table_id NOT IN (SELECT table_id FROM ${CATALOG}.ducklake_table_stats)`,
  );

/** Selects all loads and locks, which a new warehouse lacks, and migrations without a version. */
const emptyRows = (warehouse: Warehouse) =>
  warehouse.query(
    `SELECT 'loads' AS in_table FROM loads UNION ALL SELECT 'month_locks' FROM month_locks
     UNION ALL SELECT 'schema_migrations' FROM schema_migrations WHERE version IS NULL`,
  );

describe.skipIf(why !== '')(`a new DuckLake${why}`, () => {
  it('has statistics of every table, and none of the rows that created them', async () => {
    const test = await openDuckLake();
    expect(await withoutStatistics(test.warehouse)).toEqual([]);
    expect(await emptyRows(test.warehouse)).toEqual([]);
    await test.close();
  });

  it('has indexes of files and their statistics, also if its catalog had lost them', async () => {
    const test = await openDuckLake();
    const expected = ['cost_analytics_files_of_table', 'cost_analytics_statistics_of_column'];
    const indexes = async (warehouse: Warehouse) => {
      const found = await warehouse.query<{ name: string }>(
        `SELECT name FROM postgres_query('${CATALOG}', 'SELECT indexname::text AS name FROM pg_indexes')
         WHERE name LIKE 'cost_analytics%' ORDER BY name`,
      );
      return found.map(({ name }) => name);
    };
    expect(await indexes(test.warehouse)).toEqual(expected);
    for (const name of expected)
      await test.warehouse.run(`CALL postgres_execute('${CATALOG}', 'DROP INDEX ${name}')`);
    expect(await indexes(test.warehouse)).toEqual([]);

    const again = await Warehouse.open(test.settings);
    expect(await indexes(again)).toEqual(expected);
    again.close();
    await test.close();
  });

  it('removes the leftover rows of a killed start, and keeps all others', async () => {
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
