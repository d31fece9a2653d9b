import { randomBytes } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openSealer } from '../../../bin/service/open-sealer.ts';
import { readSettings } from '../../../bin/settings/settings.ts';
import { masterKeyId, Sealer } from '../../../security/sealing.ts';
import { newId } from '../../../warehouse/engine/sql/ids.ts';
import { createWebhook } from '../../../warehouse/events/webhooks.ts';
import { describeOnBothEngines } from '../../support/warehouse/engines.ts';
import { BY_ADMIN, newOrganisation } from '../../support/warehouse/tenant.ts';
import { withOpened } from '../../support/with-opened.ts';

/** Starts of a process with one master key or another. Each test continues the story. */
describeOnBothEngines('a start', (open) => {
  const [old, fresh, wrong] = [randomBytes(32), randomBytes(32), randomBytes(32)] as const;
  const id = masterKeyId;
  const warnings: unknown[] = [];
  const test = withOpened(open);
  let dataDir: string;

  beforeAll(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'cost-analytics-test-'));
  });
  afterAll(async () => {
    await rm(dataDir, { recursive: true });
  });

  const start = async (keys: { MASTER_KEY?: Buffer; MASTER_KEY_PREVIOUS?: Buffer } = {}) => {
    const given = Object.entries(keys).map(([name, key]) => [name, key.toString('base64')] as const);
    const settings = readSettings({ DATA_DIR: dataDir, ...Object.fromEntries(given) });
    const log = { warn: (text: unknown) => warnings.push(text) };
    const { sealer } = await openSealer(test.warehouse, settings, log);
    return sealer.keyId;
  };
  const seal = async (sealer: Sealer): Promise<void> => {
    const { id: orgId } = await newOrganisation(test.warehouse);
    const webhook = { id: newId('whk'), url: 'https://1.1.1.1/', events: [], enabled: true };
    await createWebhook(test.warehouse, orgId, webhook, { secret: 'whsec_1', sealer }, BY_ADMIN);
  };

  it('takes any key while nothing is sealed, and makes one if there is none', async () => {
    expect(await start({ MASTER_KEY: wrong })).toBe(id(wrong));
    expect(await readdir(dataDir)).toEqual([]);
    const made = await start();
    expect(await readdir(dataDir)).toEqual(['master.key']);
    expect(await start()).toBe(made);
  });

  it('refuses a key that opens nothing, and no key, and makes none', async () => {
    await rm(join(dataDir, 'master.key'));
    await seal(new Sealer(old));
    await seal(new Sealer(old));
    await expect(start({ MASTER_KEY: wrong })).rejects.toThrow(
      `MASTER_KEY: the master key ${id(wrong)} opens none of the 2 sealed texts, which the master key ${id(old)} has sealed. ` +
        'If rotate-master-key ran since, it has sealed everything anew, and the key before it opens nothing any more: ' +
        `set MASTER_KEY to the key ${id(old)}`,
    );
    await expect(start()).rejects.toThrow(
      `MASTER_KEY: 2 texts are sealed with the master key ${id(old)}, and there is no key: set MASTER_KEY, or put master.key back into ${dataDir}`,
    );
    expect(await readdir(dataDir)).toEqual([]);
    expect(warnings).toEqual([]);
  });

  it('needs one key that opens something, and warns of what neither opens', async () => {
    expect(await start({ MASTER_KEY: fresh, MASTER_KEY_PREVIOUS: old })).toBe(id(fresh));
    expect(warnings).toEqual([]);
    await seal(new Sealer(fresh, old));
    expect(await start({ MASTER_KEY: fresh })).toBe(id(fresh));
    expect(warnings).toEqual([
      `MASTER_KEY: 2 of 3 sealed texts open with neither MASTER_KEY nor MASTER_KEY_PREVIOUS, because the master key ${id(old)} has sealed them: ` +
        'start with that key as MASTER_KEY_PREVIOUS, and run rotate-master-key; without it, these values and secrets must be entered again',
    ]);
  });

  it('reads the key of master.key, and refuses a damaged one', async () => {
    await writeFile(join(dataDir, 'master.key'), `${old.toString('base64')}\n`);
    expect(await start()).toBe(id(old));
    await writeFile(join(dataDir, 'master.key'), 'damaged\n');
    await expect(start()).rejects.toThrow(/master\.key: expected base64 of 32 bytes/);
    expect(await readFile(join(dataDir, 'master.key'), 'utf8')).toBe('damaged\n');
  });
});
