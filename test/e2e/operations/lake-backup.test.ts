import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdir, readdir, readFile, rename, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { backup as makeBackup } from '../../../bin/backup.ts';
import { restore as restoreBackup } from '../../../bin/restore.ts';
import { operatorAccess } from '../../../bin/service-client.ts';
import { readSettings } from '../../../bin/settings/settings.ts';
import { startObjectStore, type ObjectStore } from '../../../bench/nodes/object-store.ts';
import { as, ingest } from '../../support/service/api-client.ts';
import { startProcess } from '../../support/service/node-process.ts';
import { newDataDir, removeDataDir, type ServiceProcess } from '../../support/service/service-process.ts';
import { newCatalog } from '../../support/warehouse/engines.ts';
import {
  expectOneInstant,
  fill,
  shownBy,
  whileWriting,
  type BackedUp,
  type Written,
} from './backed-up-service.ts';
import { CLUSTER, lacking } from '../../support/needs.ts';

const run = promisify(execFile);

const why = lacking(...CLUSTER);

/** In place of the program that copies from and to an object store: copies the files in which this store keeps its objects. */
const AWS = `#!/bin/sh
place() { case "$1" in s3://*) echo "$STORE/\${1#s3://}" ;; *) echo "$1" ;; esac; }
mkdir -p "$(place "$4")" && cp -R "$(place "$3")/." "$(place "$4")"
`;

/** Returns what a command writes. */
async function textOf(command: (say: (text: string) => void) => Promise<void>): Promise<string> {
  const lines: string[] = [];
  await command((text) => lines.push(text));
  return lines.join('\n');
}

/** The drill of a DuckLake's backup and return, by the commands that the product prints. Each test goes on. */
describe.skipIf(why !== '')(`a backup of a DuckLake${why}`, () => {
  let home: string;
  let store: ObjectStore;
  let service: ServiceProcess;
  let settings: Record<string, string>;
  let backedUp: BackedUp;
  let shown: Record<string, unknown>;
  let written: Written;
  let folder: string;

  beforeAll(async () => {
    home = await newDataDir();
    folder = join(home, "copy of today's lake");
    await mkdir(join(home, 'store'));
    await mkdir(join(home, 'programs'));
    await writeFile(join(home, 'programs/aws'), AWS, { mode: 0o755 });
    store = await startObjectStore(join(home, 'store'));
    settings = {
      ...store.environment,
      WAREHOUSE: `${await newCatalog()} password=open-sesame`,
      MASTER_KEY: randomBytes(32).toString('base64'),
      CLOCK: '2026-02-07T06:00:00Z',
    };
    service = await startProcess({ dataDir: home, environment: settings });
    backedUp = await fill(service);
  });
  afterAll(async () => {
    await service.stop();
    await store.stop();
    await removeDataDir(home);
  });

  // In this process, because each start of the command takes a second.
  const backup = (to = folder, keep: number | null = null): Promise<string> =>
    textOf(async (say) => {
      await makeBackup(
        await operatorAccess(readSettings({ DATA_DIR: home }), service.url),
        { to, keep },
        say,
      );
    });
  const restore = (elsewhere: Record<string, string>): Promise<string> =>
    textOf((say) =>
      restoreBackup(readSettings({ ...process.env, ...settings, DATA_DIR: home, ...elsewhere }), folder, say),
    );

  /** Returns the commands of other programs that a text tells to run. */
  const commandsIn = (text: string): string[] =>
    text
      .split('\n')
      .filter((line) => line.startsWith('  '))
      .map((line) => line.trim())
      .filter((line) => !line.startsWith('cost-analytics'));

  const obey = async (command: string): Promise<void> => {
    await run('sh', ['-c', command], {
      env: {
        ...process.env,
        PATH: `${join(home, 'programs')}:${process.env['PATH'] ?? ''}`,
        STORE: join(home, 'store'),
      },
    });
  };

  const filesIn = async (place: string): Promise<string[]> =>
    (await readdir(place, { recursive: true })).filter((name) => name.endsWith('.parquet'));

  it('is made by the commands that the service names, while others write', async () => {
    shown = await shownBy(service, backedUp);
    const told = await backup();
    const [dump = '', copy = '', ...more] = commandsIn(told);
    expect(dump).toMatch(/^pg_dump --format=custom --file='.*catalog\.dump' 'host=.* dbname=test_\w+'$/);
    expect(copy).toMatch(/^aws s3 sync s3:\/\/lake\/warehouse '.*files' --endpoint-url http:\/\/127/);
    expect(more).toEqual([]);
    expect(told).not.toContain('open-sesame');
    written = await whileWriting(service, backedUp, () => obey(dump));
    await obey(copy);
  });

  it('is none as long as a file is missing or cut off', async () => {
    const copied = join(folder, 'files');
    const [one = '', two = ''] = await filesIn(copied);
    const [whole, cut] = [join(copied, one), join(copied, two)];
    const bytes = await readFile(cut);
    await rename(whole, join(home, 'away'));
    await truncate(cut, bytes.length - 1);
    const failure = await backup().catch(String);
    expect(failure).toMatch(/the copy in .*files is not complete: /);
    expect(failure).toContain(`${one} is missing`);
    expect(failure).toContain(`${two} has ${bytes.length - 1} bytes, the catalog says ${bytes.length}`);
    expect((await readdir(folder)).sort()).toEqual(['catalog.dump', 'files']);
    await expect(restore({})).rejects.toThrow('is not a complete backup: it has no backup.json');
    await rename(join(home, 'away'), whole);
    await writeFile(cut, bytes);
    expect(await backup()).toMatch(
      /^\d+ rows as of .*, [1-9]\d* files, \d+ bytes: the copy .* is complete\./,
    );
    await expect(backup()).rejects.toThrow('is a complete backup: choose another folder');
    const manifest: unknown = JSON.parse(await readFile(join(folder, 'backup.json'), 'utf8'));
    expect(manifest).toMatchObject({
      lake: { snapshot: expect.any(Number) as number },
      rows: { organisation_versions: 2 },
      master_keys: [expect.stringMatching(/^[0-9a-f]{8}$/)],
    });
  });

  it('begins only if the store has every file that the catalog names', async () => {
    const stored = join(home, 'store/lake/warehouse');
    const [name = ''] = await filesIn(stored);
    await rename(join(stored, name), join(home, 'away'));
    await expect(backup(join(home, 'second'))).rejects.toThrow(
      `files below s3://lake/warehouse are damaged: ${name} is missing`,
    );
    await rename(join(home, 'away'), join(stored, name));
  });

  it('keeps the newest copies, if it is told how many', async () => {
    const copies = join(home, 'copies');
    for (let night = 0; night < 2; night += 1) {
      const told = await backup(copies, 1);
      for (const command of commandsIn(told)) await obey(command);
      const [, copy = ''] = /^ {2}cost-analytics backup --to (\S+) --keep 1$/m.exec(told) ?? [];
      expect(await backup(copy, 1)).toMatch(/ the copy in .*2026-02-07T06-00-0\dZ is complete\./);
    }
    // The clock stands still, so that the second copy takes the next second.
    expect(await readdir(copies)).toEqual(['2026-02-07T06-00-01Z']);
  });

  it('shows every number again in another database and another place', async () => {
    const elsewhere = { WAREHOUSE: await newCatalog(), WAREHOUSE_DATA: 's3://lake/restored' };
    await expect(restore({ MASTER_KEY: randomBytes(32).toString('base64') })).rejects.toThrow(
      /the master key \w+ has sealed/,
    );
    await expect(restore({})).rejects.toThrow(
      /WAREHOUSE has a DuckLake with snapshot \d+, the backup ends with \d+/,
    );
    const [catalog = '', files = ''] = commandsIn(await restore(elsewhere));
    await obey(catalog);
    await expect(restore(elsewhere)).rejects.toThrow(
      /files below s3:\/\/lake\/restored are damaged: .* is missing/,
    );
    await obey(files);
    expect(await restore(elsewhere)).toMatch(/^\d+ rows as of .*: the DuckLake is complete\./);
    const dataDir = await newDataDir();
    const other = await startProcess({
      dataDir,
      environment: { ...settings, ...elsewhere, SOURCE_ROOTS: home },
    });
    try {
      expect(await shownBy(other, backedUp)).toEqual(shown);
      await expectOneInstant(other, backedUp, written);
      expect(await ingest(as(other, backedUp.secret), backedUp.source, { all: true })).toMatchObject({
        status: 'completed',
        cost_total: 31.5,
      });
      await expect(restore(elsewhere)).rejects.toThrow('restore it into an empty database');
    } finally {
      await other.stop();
      await removeDataDir(dataDir);
    }
  });

  it('is not restored if its dump was changed', async () => {
    await truncate(join(folder, 'catalog.dump'), 100);
    await expect(restore({})).rejects.toThrow('catalog.dump was changed after the backup');
  });
});
