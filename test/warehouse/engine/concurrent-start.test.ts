import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import type { Migration } from '../../../warehouse/engine/migrations/migration.ts';
import { MIGRATIONS, NEWEST_VERSION } from '../../../warehouse/engine/migrations/migrations.ts';
import { Warehouse, type WarehouseSettings } from '../../../warehouse/engine/warehouse.ts';
import { describeOnBothEngines, newCatalog, openDuckDb } from '../../support/warehouse/engines.ts';
import { LAKE, lacking } from '../../support/needs.ts';

const why = lacking(...LAKE);

/** Opens a warehouse in a process of its own, which then ends. Returns what it prints: `opened`, or the error. */
async function openElsewhere(
  settings: WarehouseSettings,
  migrations: readonly Migration[] = MIGRATIONS,
): Promise<string> {
  const program = `
    const { Warehouse } = await import(process.argv[1]);
    await Warehouse.open(...process.argv.slice(2).map((text) => JSON.parse(text))).then(
      (warehouse) => { console.log('opened'); warehouse.close(); }, (error) => console.log(error.message));`;
  const built = new URL('../../../dist/warehouse/engine/warehouse.js', import.meta.url).href;
  const told = [built, JSON.stringify(settings), JSON.stringify(migrations)];
  const { stdout } = await promisify(execFile)(process.execPath, [
    '--input-type=module',
    '-e',
    program,
    ...told,
  ]);
  return stdout;
}

const inUse = ({ location }: WarehouseSettings): string =>
  `another process uses ${location}: stop it, or choose another DATA_DIR or WAREHOUSE\n`;

it('reports that another process uses the DuckDB file', async () => {
  const test = await openDuckDb();
  try {
    // A process holds the lock, so the second start needs another process.
    expect(await openElsewhere(test.settings)).toBe(inUse(test.settings));
  } finally {
    await test.close();
  }
});

describeOnBothEngines('two processes that start together', (open) => {
  it('migrate once', async () => {
    const test = await open();
    test.warehouse.close();
    const statements = ['CREATE TABLE notes (org_id VARCHAR)', `INSERT INTO notes VALUES ('org_1')`];
    const migrations = [...MIGRATIONS, { version: NEWEST_VERSION + 1, name: 'notes', statements }];
    const printed = await Promise.all([1, 2].map(() => openElsewhere(test.settings, migrations)));
    // Of two processes on a DuckDB file, one may meet the other.
    const met = test.warehouse.isDuckLake ? [] : [inUse(test.settings)];
    for (const line of printed) expect(['opened\n', ...met]).toContain(line);
    expect(printed).toContain('opened\n');
    const warehouse = await Warehouse.open(test.settings, migrations);
    expect(await warehouse.query('FROM notes')).toEqual([{ org_id: 'org_1' }]);
    expect(await warehouse.query('SELECT version FROM schema_migrations ORDER BY version')).toEqual(
      migrations.map(({ version }) => ({ version })),
    );
    warehouse.close();
    await test.close();
  });
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
