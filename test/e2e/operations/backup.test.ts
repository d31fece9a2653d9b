import { execFileSync } from 'node:child_process';
import { copyFile, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { as, asOperator, ingest, waitFor } from '../../support/service/api-client.ts';
import { expectError } from '../../support/service/envelope.ts';
import {
  newDataDir,
  removeDataDir,
  runCommand,
  startService,
} from '../../support/service/service-process.ts';
import { withService } from '../../support/service/with-service.ts';
import { openTemporal } from '../../support/service/temporal-client.ts';
import {
  expectOneInstant,
  fill,
  shownBy,
  whileWriting,
  type BackedUp,
  type Written,
} from './backed-up-service.ts';

/** The backup of a running service, and its return on another machine. Each test continues the story. */

const CLOCK = '2026-02-07T06:00:00Z';

const service = withService({ CLOCK });
let folder: string;
let backedUp: BackedUp;
/** What the original shows just before the backup. */
let shown: Record<string, unknown>;
let written: Written;

const restore = (dataDir: string, from = folder) =>
  runCommand(['restore', '--from', from], { DATA_DIR: dataDir });

describe('a backup of a running service', () => {
  beforeAll(async () => {
    folder = join(service.dataDir, 'copy of today');
    backedUp = await fill(service);
  });

  it('copies everything of an instant while others write, and compares the copy', async () => {
    shown = await shownBy(service, backedUp);
    written = await whileWriting(service, backedUp, async () => {
      const { code, stdout, stderr } = await runCommand(['backup', '--to', folder, '--url', service.url], {
        DATA_DIR: service.dataDir,
      });
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
      expect(stdout).toMatch(
        /^\d+ rows as of 2026-02-07T06:00:00.000Z, \d+ bytes, copied to .* and compared\.\n/,
      );
    });
  });

  it('holds no key and no plain revenue', async () => {
    const masterKey = (await readFile(join(service.dataDir, 'master.key'), 'utf8')).trim();
    const files = [join(folder, 'warehouse.duckdb'), join(folder, 'backup.json')];
    for (const file of files) {
      const bytes = await readFile(file);
      for (const key of [masterKey, backedUp.secret]) expect(bytes.includes(key)).toBe(false);
    }
    const manifest = JSON.parse(await readFile(join(folder, 'backup.json'), 'utf8')) as {
      master_keys: string[];
    };
    expect(manifest.master_keys).toHaveLength(1);
  });

  it('needs an empty folder, and an absolute path', async () => {
    const again = await runCommand(['backup', '--to', folder, '--url', service.url], {
      DATA_DIR: service.dataDir,
    });
    expect(again).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/expected an empty folder/) as string,
    });
    const operator = await asOperator(service);
    expectError(await operator.post('/backups', { to: 'here' }), 400, /to: expected the absolute path/);
    expectError(await operator.post('/backups', { to: '/x', snapshot: 1 }), 400, /snapshot: expected none/);
    expectError(await as(service, backedUp.secret).get('/../../operator/backups'), 401, /X-Operator-Key/);
  });

  it('is refused at once where no folder can be, and the service goes on', async () => {
    for (const [to, reason] of [
      ['/proc/x', 'the file system there takes no new files or folders'],
      ['/dev/null', 'it is there already, and is no folder'],
      [join(service.dataDir, 'bill.csv/x'), 'a part of this path is a file, not a folder'],
    ] as const) {
      const { code, stderr } = await runCommand(['backup', '--to', to, '--url', service.url], {
        DATA_DIR: service.dataDir,
      });
      const message = `cost-analytics: to: ${to}: expected a folder that can be made, but ${reason}\n`;
      expect([code, stderr]).toEqual([1, message]);
    }
    const zero = await runCommand(['backup', '--to', '/proc/x', '--keep', '0'], {});
    expect([zero.code, zero.stderr]).toEqual([1, expect.stringContaining('expected at least 1 copy')]);
    const operator = await asOperator(service);
    expectError(await operator.post('/backups', { to: '/proc/x', keep: 0 }), 400, /^keep: /);
    expect((await fetch(`${service.url}/readyz`)).status).toBe(200);
  });

  it('is not restored with another master key, after a change, or over data', async () => {
    const dataDir = await newDataDir();
    const refused = async (words: RegExp, from?: string): Promise<void> => {
      expect(await restore(dataDir, from)).toMatchObject({
        code: 1,
        stderr: expect.stringMatching(words) as string,
      });
    };
    await refused(/the master key [0-9a-f]{8} has sealed: set MASTER_KEY/);
    await copyFile(join(service.dataDir, 'master.key'), join(dataDir, 'master.key'));
    await refused(/is not a complete backup: it has no backup.json/, service.dataDir);
    const changed = `${dataDir}-changed`;
    await mkdir(changed);
    const file = await readFile(join(folder, 'warehouse.duckdb'));
    file.writeUInt8(file.readUInt8(file.length - 1) ^ 1, file.length - 1);
    await writeFile(join(changed, 'warehouse.duckdb'), file);
    await copyFile(join(folder, 'backup.json'), join(changed, 'backup.json'));
    await refused(/was changed after the backup/, changed);
    const manifest = await readFile(join(folder, 'backup.json'), 'utf8');
    const words = {
      9999: /tables of version 9999, and this one knows \d+: install that version, or a newer one/,
      31: /tables of version 31, and this one upgrades version 32 and later: start this one with an empty DATA_DIR/,
    };
    for (const [version, why] of Object.entries(words)) {
      await writeFile(
        join(changed, 'backup.json'),
        manifest.replace(/"schema_version": \d+/, `"schema_version": ${version}`),
      );
      await refused(why, changed);
    }
    await writeFile(join(changed, 'backup.json'), manifest.slice(0, 100));
    await refused(/changed\/backup\.json is damaged: expected JSON that ends with \}/, changed);
    await writeFile(join(changed, 'backup.json'), manifest);
    await rm(join(changed, 'warehouse.duckdb'));
    execFileSync('mkfifo', [join(changed, 'warehouse.duckdb')]);
    await refused(/warehouse\.duckdb: expected a regular file, got a fifo/, changed);
    await writeFile(join(dataDir, 'notes.txt'), 'mine');
    await refused(/expected a data directory without data, got .*notes\.txt/);
    await rm(join(dataDir, 'notes.txt'));
    await rm(join(changed, 'warehouse.duckdb'));
    await copyFile(join(folder, 'warehouse.duckdb'), join(changed, 'warehouse.duckdb'));
    await writeFile(
      join(changed, 'backup.json'),
      manifest.replace(/"master_keys": \[/, '"master_keys": ["0a1b2c3d", '),
    );
    // A key that is lost must not keep the rest from being restored.
    const { code, stdout } = await restore(dataDir, changed);
    expect(code).toBe(0);
    expect(stdout).toMatch(
      'Note: the backup has texts that the master key 0a1b2c3d has sealed. They stay closed without it',
    );
    await rm(changed, { recursive: true });
    await removeDataDir(dataDir);
  });

  it('shows every number again on another machine, with schedules and workflows', async () => {
    const dataDir = await newDataDir();
    await copyFile(join(service.dataDir, 'master.key'), join(dataDir, 'master.key'));
    expect(await restore(dataDir)).toMatchObject({ code: 0, stderr: '' });
    const environment = { CLOCK, SOURCE_ROOTS: service.dataDir };
    const other = await startService({ dataDir, environment });
    try {
      expect(await shownBy(other, backedUp)).toEqual(shown);
      await expectOneInstant(other, backedUp, written);
      const temporal = await openTemporal(dataDir);
      // Temporal lists a schedule a moment later.
      await waitFor(async () => {
        for await (const { scheduleId } of temporal.client.schedule.list())
          if (scheduleId.includes(backedUp.source)) return true;
        return undefined;
      });
      await temporal.close();
      expect(await ingest(as(other, backedUp.secret), backedUp.source, { all: true })).toMatchObject({
        status: 'completed',
        cost_total: 31.5,
      });
    } finally {
      await other.stop();
      await removeDataDir(dataDir);
    }
  });
});
