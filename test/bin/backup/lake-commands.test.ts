import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { copyCommands, restoreCommands } from '../../../bin/backup/lake-commands.ts';

const run = promisify(execFile);

it('the files of a DuckLake in a folder are copied there and back', async () => {
  const home = await mkdtemp(join(tmpdir(), "cost-analytics it's "));
  const place = (folder: string) => ({
    catalog: 'dbname=lake',
    data_path: join(home, folder),
    endpoint: null,
  });
  const copy = join(home, 'copy');
  await mkdir(join(home, 'lake/main/costs'), { recursive: true });
  await writeFile(join(home, 'lake/main/costs/one.parquet'), 'rows');
  // A second time, the copy is there already.
  const transfers = [
    copyCommands(place('lake'), copy),
    copyCommands(place('lake/'), copy),
    restoreCommands(place('restored'), copy),
  ];
  for (const [, transfer = ''] of transfers) await run('sh', ['-c', transfer]);
  expect(await readdir(join(home, 'restored'), { recursive: true })).toEqual([
    'main',
    'main/costs',
    'main/costs/one.parquet',
  ]);
  await rm(home, { recursive: true });
});
