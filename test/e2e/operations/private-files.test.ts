import { chmod, mkdir, readdir, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { keepPrivate } from '../../../bin/settings/private-files.ts';
import { newDataDir, removeDataDir, startService } from '../../support/service/service-process.ts';

let dataDir = '';

afterAll(() => removeDataDir(dataDir));

/** Returns the mode of everything in the data directory, as octal digits. */
const modes = async (): Promise<Map<string, string>> => {
  const paths = (await readdir(dataDir, { recursive: true })).map((name) => join(dataDir, name));
  const found = new Map<string, string>();
  for (const path of [dataDir, ...paths]) {
    const { mode } = await stat(path);
    found.set(relative(dataDir, path), (mode & 0o777).toString(8));
  }
  return found;
};

/** Private files of the service that exist while it runs and after it has ended. */
const OWN = [
  '',
  'exports',
  'spill',
  'warehouse.duckdb',
  'temporal.db',
  'temporal.log',
  'operator.key',
  'master.key',
];
const expectPrivate = (found: ReadonlyMap<string, string>): void => {
  const shared = [...found].filter(([path, mode]) => !path.startsWith('exports/') && !mode.endsWith('00'));
  expect(shared).toEqual([]);
  expect([...found.keys()]).toEqual(expect.arrayContaining(OWN));
};

it('only its owner can read a data directory behind a link', async () => {
  dataDir = await newDataDir();
  const link = `${dataDir}-link`;
  await symlink(dataDir, link);
  await chmod(dataDir, 0o755);
  const warned: unknown[] = [];
  await keepPrivate(link, { warn: (shared: unknown) => warned.push(shared) });
  const found = await modes();
  await rm(link);
  await removeDataDir(dataDir);
  expect([warned, found.get(''), found.get('spill')]).toEqual([[], '700', '700']);
});

it('only its owner can read the data directory, also if an earlier version made it', async () => {
  dataDir = await newDataDir();
  await chmod(dataDir, 0o755);
  const first = await startService({ dataDir });
  const running = await modes();
  await first.stop();
  expectPrivate(running);
  expect(running.get('')).toBe('700');
  expect(running.get('warehouse.duckdb')).toBe('600');
  // Files that exist only while the service runs.
  expect([...running.keys()]).toEqual(expect.arrayContaining(['temporal.json', 'temporal.db-wal']));

  // The directory as an earlier version left it, with an export of the owner that others may write to.
  for (const [path, mode] of await modes()) await chmod(join(dataDir, path), mode === '700' ? 0o755 : 0o644);
  const folder = join(dataDir, 'exports', 'acme');
  await mkdir(folder);
  await chmod(folder, 0o775);
  await writeFile(join(folder, '2026-01.csv'), 'x\n');
  await chmod(join(folder, '2026-01.csv'), 0o664);
  const second = await startService({ dataDir });
  const again = await modes();
  await second.stop();
  expectPrivate(again);
  expect(again.get('exports/acme')).toBe('775');
  expect(again.get('exports/acme/2026-01.csv')).toBe('664');
});
