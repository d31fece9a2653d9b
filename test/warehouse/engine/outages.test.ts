import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { startPostgres } from '../../../bench/nodes/postgres.ts';
import { Warehouse } from '../../../warehouse/engine/warehouse.ts';
import { waitFor } from '../../support/service/api-client.ts';
import { fileSettings } from '../../support/warehouse/engines.ts';
import { newOrganisation } from '../../support/warehouse/tenant.ts';
import { LAKE, lacking } from '../../support/needs.ts';

const why = lacking(...LAKE);

const OUTAGES = 4;
const READERS = 8;

/** A catalog that ends in the middle of a read can end DuckDB itself, by an error inside DuckLake. */
describe.skipIf(why !== '')(`a DuckLake whose Postgres crashes again and again${why}`, () => {
  it('is read again each time, without a restart', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'cost-analytics-test-'));
    const postgres = await startPostgres();
    await postgres.query('postgres', 'CREATE DATABASE lake');
    const warehouse = await Warehouse.open({
      ...fileSettings(directory),
      location: `ducklake:postgres:${postgres.connection} dbname=lake`,
      dataPath: join(directory, 'lake'),
    });
    await newOrganisation(warehouse);
    const read = () =>
      warehouse.query<{ count: string }>('SELECT count(*) AS count FROM organisation_versions');
    let reads = 0;
    let isOver = false;
    const readers = Array.from({ length: READERS }, async () => {
      while (!isOver) {
        await read().then(
          () => (reads += 1),
          // Failures come at once, so that a pause keeps the other readers going.
          () => new Promise(setImmediate),
        );
      }
    });
    const manyMore = () => {
      const before = reads;
      return waitFor(() => Promise.resolve(reads > before + READERS ? true : undefined));
    };
    for (let outage = 0; outage < OUTAGES; outage += 1) {
      await manyMore();
      await postgres.stop();
      await expect(read()).rejects.toThrow();
      await postgres.start();
    }
    await manyMore();
    isOver = true;
    await Promise.all(readers);
    expect(await read()).toEqual([{ count: '1' }]);
    warehouse.close();
    await postgres.remove();
    await rm(directory, { recursive: true, force: true });
  });
});
