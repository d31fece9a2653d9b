import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { MIGRATIONS } from '../../../warehouse/engine/migrations/migrations.ts';
import { Warehouse } from '../../../warehouse/engine/warehouse.ts';
import { newCatalog, openDuckDb } from '../../support/warehouse/engines.ts';
import { LAKE, lacking } from '../../support/needs.ts';

const why = lacking(...LAKE);

it('reports that another process uses the DuckDB file', async () => {
  const test = await openDuckDb();
  // A process holds the lock, so the second start needs another process.
  const program = `
    const { Warehouse } = await import(process.argv[1]);
    await Warehouse.open(JSON.parse(process.argv[2])).then(() => console.log('opened'), (error) => console.log(error.message));`;
  const built = new URL('../../../dist/warehouse/engine/warehouse.js', import.meta.url).href;
  try {
    const { stdout } = await promisify(execFile)(process.execPath, [
      '--input-type=module',
      '-e',
      program,
      built,
      JSON.stringify(test.settings),
    ]);
    expect(stdout).toBe(
      `another process uses ${test.settings.location}: stop it, or choose another DATA_DIR or WAREHOUSE\n`,
    );
  } finally {
    await test.close();
  }
});

it.skipIf(why !== '')(`migrates a DuckLake once when three nodes start together${why}`, async () => {
  const model = await openDuckDb();
  const settings = { ...model.settings, location: await newCatalog(), dataPath: `${model.directory}/lake` };
  const starts = await Promise.allSettled([0, 1, 2].map(() => Warehouse.open(settings)));
  const nodes = starts.flatMap((start) => (start.status === 'fulfilled' ? [start.value] : []));
  try {
    expect(starts.map((start) => (start.status === 'fulfilled' ? 'started' : String(start.reason)))).toEqual([
      'started',
      'started',
      'started',
    ]);
    for (const node of nodes) {
      const rows = await node.query<{ version: number }>(
        'SELECT version FROM schema_migrations ORDER BY version',
      );
      expect(rows.map(({ version }) => version)).toEqual(MIGRATIONS.map(({ version }) => version));
    }
  } finally {
    for (const node of nodes) node.close();
    await model.close();
  }
});
