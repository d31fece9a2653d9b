import { chmod, mkdir, readdir, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { keepPrivate } from '../../../bin/settings/private-files.ts';
import { THOROUGH } from '../../support/effort.ts';
import { newDataDir, removeDataDir, startService } from '../../support/service/service-process.ts';

let dataDir = '';

afterAll(() => removeDataDir(dataDir));

/** Returns the modes of the data directory (path '') and of everything in it, as octal digits. */
async function modes(): Promise<Map<string, string>> {
  const paths = (await readdir(dataDir, { recursive: true })).map((name) => join(dataDir, name));
  const found = new Map<string, string>();
  for (const path of [dataDir, ...paths]) {
    const { mode } = await stat(path);
    found.set(relative(dataDir, path), (mode & 0o777).toString(8));
  }
  return found;
}

/** The data directory, and what the service keeps in it while it runs and after its end. */
const OWN_PATHS = [
  '',
  'exports',
  'spill',
  'warehouse.duckdb',
  'temporal.db',
  'temporal.log',
  'operator.key',
  'master.key',
];
function expectPrivate(found: ReadonlyMap<string, string>): void {
  const accessibleToOthers = [...found].filter(
    ([path, mode]) => !path.startsWith('exports/') && !mode.endsWith('00'),
  );
  expect(accessibleToOthers).toEqual([]);
  expect([...found.keys()]).toEqual(expect.arrayContaining(OWN_PATHS));
}

it('a data directory behind a symbolic link is private to its owner', async () => {
  dataDir = await newDataDir();
  const link = `${dataDir}-link`;
  await symlink(dataDir, link);
  await chmod(dataDir, 0o755);
  const warnings: unknown[] = [];
  await keepPrivate(link, { warn: (logged: unknown) => warnings.push(logged) });
  const found = await modes();
  await rm(link);
  await removeDataDir(dataDir);
  expect([warnings, found.get(''), found.get('spill')]).toEqual([[], '700', '700']);
});

it('the data directory is private to its owner', async () => {
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
});

it.runIf(THOROUGH)('a data directory that others can read becomes private to its owner', async () => {
  // Gives everything the modes that a copy may have. The owner then adds an export to which the group may write.
  for (const [path, mode] of await modes()) await chmod(join(dataDir, path), mode === '700' ? 0o755 : 0o644);
  const folder = join(dataDir, 'exports', 'acme');
  await mkdir(folder);
  await chmod(folder, 0o775);
  await writeFile(join(folder, '2026-01.csv'), 'x\n');
  await chmod(join(folder, '2026-01.csv'), 0o664);
  const second = await startService({ dataDir });
  const runningAgain = await modes();
  await second.stop();
  expectPrivate(runningAgain);
  expect(runningAgain.get('exports/acme')).toBe('775');
  expect(runningAgain.get('exports/acme/2026-01.csv')).toBe('664');
});
