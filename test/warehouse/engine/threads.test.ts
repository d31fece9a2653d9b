import { availableParallelism } from 'node:os';
import { describe, expect, it } from 'vitest';
import { Warehouse } from '../../../warehouse/engine/warehouse.ts';
import { openDuckDb, openDuckLake, type TestWarehouse } from '../../support/warehouse/engines.ts';
import { LAKE, lacking } from '../../support/needs.ts';

const why = lacking(...LAKE);

/** Returns the threads of a statement, by the setting of DUCKDB_THREADS. */
async function threadsOf(test: TestWarehouse, threads: number | null): Promise<number | undefined> {
  test.warehouse.close();
  const warehouse = await Warehouse.open({ ...test.settings, threads });
  const rows = await warehouse.query<{ threads: number }>(
    `SELECT CAST(current_setting('threads') AS INTEGER) AS threads`,
  );
  warehouse.close();
  await test.close();
  return rows[0]?.threads;
}

describe('a statement', () => {
  it('takes all cores on DuckDB, and as many threads as DUCKDB_THREADS says', async () => {
    expect(await threadsOf(await openDuckDb(), null)).toBe(availableParallelism());
    expect(await threadsOf(await openDuckDb(), 3)).toBe(3);
  });

  it.skipIf(why !== '')(`takes one thread on DuckLake, unless DUCKDB_THREADS says more${why}`, async () => {
    expect(await threadsOf(await openDuckLake(), null)).toBe(1);
    expect(await threadsOf(await openDuckLake(), 3)).toBe(3);
  });
});
