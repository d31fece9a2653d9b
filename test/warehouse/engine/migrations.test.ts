import { expect, it } from 'vitest';
import { BASELINE } from '../../../warehouse/engine/migrations/032-baseline.ts';
import type { Migration } from '../../../warehouse/engine/migrations/migration.ts';
import { MIGRATIONS } from '../../../warehouse/engine/migrations/migrations.ts';
import { Warehouse, type WarehouseSettings } from '../../../warehouse/engine/warehouse.ts';
import { describeOnBothEngines } from '../../support/warehouse/engines.ts';
import { newOrganisation } from '../../support/warehouse/tenant.ts';

/** Runs `work` on a warehouse that it opens without any migration, and closes it. */
async function inside<Result>(
  settings: WarehouseSettings,
  work: (warehouse: Warehouse) => Promise<Result>,
  migrations: readonly Migration[] = [],
): Promise<Result> {
  const warehouse = await Warehouse.open(settings, migrations);
  try {
    return await work(warehouse);
  } finally {
    warehouse.close();
  }
}

const applied = (warehouse: Warehouse) =>
  warehouse.query<{ version: number; name: string }>(
    'SELECT version, name FROM schema_migrations ORDER BY version, applied_at',
  );

const namesOf = (migrations: readonly Migration[]) =>
  migrations.map(({ version, name }) => ({ version, name }));

/** Returns the tables and views of a warehouse, with their columns in order. */
const schemaOf = (warehouse: Warehouse) =>
  warehouse.query<{ name: string; columns: string[] }>(
    `SELECT table_name AS name, list(column_name ORDER BY column_index) AS columns
     FROM duckdb_columns() WHERE database_name = 'warehouse' GROUP BY table_name ORDER BY table_name`,
  );

/** A migration after the newest one. */
const later = (steps: number, ...statements: string[]): Migration => ({
  version: (MIGRATIONS.at(-1)?.version ?? 0) + steps,
  name: `step ${steps}`,
  statements,
});

/** Stores one row. */
const NOTES = later(
  1,
  'CREATE TABLE notes (org_id VARCHAR, text VARCHAR)',
  `INSERT INTO notes VALUES ('org_1', 'one')`,
);
/** Stores a row for each row of the step before, and changes a table that has rows, and its view. */
const MORE_NOTES = later(
  2,
  `INSERT INTO notes SELECT org_id, 'after ' || text FROM notes`,
  'ALTER TABLE organisation_versions ADD COLUMN region VARCHAR',
  'CREATE OR REPLACE VIEW organisations AS SELECT * FROM organisation_versions',
);

describeOnBothEngines('migrations', (open) => {
  it('run once, and are recorded', async () => {
    const test = await open();
    try {
      expect(await applied(test.warehouse)).toEqual(namesOf(MIGRATIONS));
      const organisation = await newOrganisation(test.warehouse, { name: 'Kept' });
      test.warehouse.close();
      const again = await Warehouse.open(test.settings);
      try {
        expect(await applied(again)).toEqual(namesOf(MIGRATIONS));
        const kept = await again.query('SELECT name FROM organisations WHERE org_id = $org', {
          org: organisation.id,
        });
        expect(kept).toEqual([{ name: 'Kept' }]);
        await again.ping();
      } finally {
        again.close();
      }
    } finally {
      await test.close().catch((alreadyClosed: unknown) => alreadyClosed);
    }
  });

  it('are numbered in order, without gaps', () => {
    expect(MIGRATIONS.map(({ version }) => version)).toEqual(
      MIGRATIONS.map((_, index) => BASELINE.version + index),
    );
  });

  it('begin with the baseline, whose tables all begin with the organisation', async () => {
    const test = await open([BASELINE]);
    const made = BASELINE.statements.map((statement) => /^CREATE (TABLE|VIEW) (\w+)/.exec(statement)?.[2]);
    const schema = (await schemaOf(test.warehouse)).filter(({ name }) => name !== 'schema_migrations');
    expect(schema.map(({ name }) => name)).toEqual(made.toSorted());
    for (const { name, columns } of schema) expect([name, columns[0]]).toEqual([name, 'org_id']);
    await test.close();
  });

  it('after the baseline run once, in order, on a warehouse with data', async () => {
    const test = await open();
    const { id } = await newOrganisation(test.warehouse, { name: 'Kept' });
    test.warehouse.close();
    const all = [...MIGRATIONS, NOTES, MORE_NOTES];
    for (let times = 0; times < 2; times += 1)
      await inside(
        test.settings,
        async (warehouse) => {
          expect(await applied(warehouse)).toEqual(namesOf(all));
          expect(await warehouse.query('SELECT text FROM notes ORDER BY text')).toEqual([
            { text: 'after one' },
            { text: 'one' },
          ]);
          expect(await warehouse.query('SELECT org_id, name, region FROM organisations')).toEqual([
            { org_id: id, name: 'Kept', region: null },
          ]);
        },
        all,
      );
    await test.close();
  });

  it('run whole or not at all', async () => {
    const test = await open();
    test.warehouse.close();
    const broken = {
      ...MORE_NOTES,
      statements: [...MORE_NOTES.statements, 'INSERT INTO nowhere VALUES (1)'],
    };
    await expect(Warehouse.open(test.settings, [...MIGRATIONS, NOTES, broken])).rejects.toThrow('nowhere');
    const ofOne = await inside(test.settings, async (warehouse) => ({
      applied: await applied(warehouse),
      notes: await warehouse.query('SELECT text FROM notes'),
      organisation: await warehouse.query(
        `SELECT column_name FROM duckdb_columns() WHERE table_name = 'organisation_versions' AND column_name = 'region'`,
      ),
    }));
    expect(ofOne).toEqual({
      applied: namesOf([...MIGRATIONS, NOTES]),
      notes: [{ text: 'one' }],
      organisation: [],
    });
    const all = [...MIGRATIONS, NOTES, MORE_NOTES];
    expect(await inside(test.settings, applied, all)).toEqual(namesOf(all));
    await test.close();
  });

  it('leave a warehouse from before the baseline as it is, and say what to do', async () => {
    const earlier: Migration = {
      version: BASELINE.version - 1,
      name: 'earlier',
      statements: ['CREATE TABLE notes (org_id VARCHAR)', `INSERT INTO notes VALUES ('org_1')`],
    };
    const test = await open([earlier]);
    test.warehouse.close();
    const state = () =>
      inside(test.settings, async (warehouse) => ({
        applied: await warehouse.query('SELECT * FROM schema_migrations'),
        notes: await warehouse.query('FROM notes'),
        schema: await schemaOf(warehouse),
      }));
    const before = await state();
    expect(before.notes).toEqual([{ org_id: 'org_1' }]);
    await expect(Warehouse.open(test.settings)).rejects.toThrow(
      'the warehouse has version 31, and this version of the product upgrades version 32 and later: start this one with an empty ' +
        'DATA_DIR (and WAREHOUSE, if it is set), connect and ingest the sources again, and store the values of metrics again; the version that wrote the data ' +
        'still opens it; nothing was changed',
    );
    expect(await state()).toEqual(before);
    await test.close();
  });

  it('of a newer version are refused, and stay as they are', async () => {
    const test = await open();
    test.warehouse.close();
    const all = [...MIGRATIONS, NOTES];
    await inside(test.settings, (warehouse) => warehouse.ping(), all);
    const [newest, known] = [all, MIGRATIONS].map((of) => of.at(-1)?.version);
    await expect(Warehouse.open(test.settings)).rejects.toThrow(
      `migrated the warehouse to version ${newest}, and this one knows ${known}: start the newer one`,
    );
    expect(await inside(test.settings, applied, all)).toEqual(namesOf(all));
    await test.close();
  });
});
