import { execFile } from 'node:child_process';
import { cp, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it } from 'vitest';
import { checkLakeCopy, dumpIn, filesIn } from '../../../../warehouse/engine/backup/lake-copy.ts';
import { checkLakeFiles, firstDamages } from '../../../../warehouse/engine/backup/lake-files.ts';
import { postgresCatalog } from '../../../../warehouse/engine/location.ts';
import { openDuckLake } from '../../../support/warehouse/engines.ts';
import { LAKE, lacking } from '../../../support/needs.ts';
import { withOpened } from '../../../support/with-opened.ts';

const run = promisify(execFile);

const why = lacking(...LAKE);

/** Two tables, in four files: one of rows and one of deleted rows each. The first table has another name now. */
describe.skipIf(why !== '')(`the files of a DuckLake${why}`, () => {
  const lake = withOpened(openDuckLake);
  let dataPath: string;
  let first: string;

  const look = () => lake.warehouse.session((session) => checkLakeFiles(session, dataPath));

  beforeAll(async () => {
    dataPath = lake.settings.dataPath ?? '';
    const before = new Set(await readdir(dataPath, { recursive: true }));
    await lake.warehouse.session(async (session) => {
      for (const table of ['one', 'two']) {
        await session.run(
          `CREATE TABLE ${table} AS SELECT 'org' AS org_id, range AS number FROM range(1000)`,
        );
        await session.run(`DELETE FROM ${table} WHERE number < 500`);
      }
      await session.run('ALTER TABLE one RENAME TO first');
      // One row, which stays in the catalog, with what a dump must write in another way.
      await session.run(String.raw`INSERT INTO two SELECT E'a\tb\nc\\.', 1`);
    });
    const made = (await readdir(dataPath, { recursive: true })).filter(
      (name) => name.endsWith('.parquet') && !before.has(name),
    );
    expect(made).toHaveLength(4);
    first = made.find((name) => name.includes('/one/')) ?? '';
  });

  it('are the same in the catalog and in its dump', async () => {
    const copy = join(lake.directory, 'copy');
    await cp(dataPath, filesIn(copy), { recursive: true });
    const catalog = postgresCatalog(lake.settings.location) ?? '';
    await run('pg_dump', ['--format=custom', `--file=${dumpIn(copy)}`, catalog]);
    const { files } = await look();
    expect(await checkLakeCopy(copy)).toMatchObject({ files, snapshot: expect.any(Number) as number });
    await rm(join(filesIn(copy), first));
    await expect(checkLakeCopy(copy)).rejects.toThrow(`is not complete: ${first} is missing`);
    await writeFile(dumpIn(copy), 'PGDMP, but no dump');
    await expect(checkLakeCopy(copy)).rejects.toThrow(/catalog.dump cannot be read: pg_restore: error/);
  });

  it('are missed if one was removed', async () => {
    await rm(join(dataPath, first));
    await expect(look()).rejects.toThrow(`are damaged: ${first} is missing`);
  });
});

it('a message names the first of many damaged files', () => {
  const damages = Array.from({ length: 12 }, (_, index) => `${index} is missing`);
  expect(firstDamages(damages)).toMatch(/^0 is missing; .*9 is missing; and 2 more$/);
});
