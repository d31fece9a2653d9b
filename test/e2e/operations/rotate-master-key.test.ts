import { randomBytes } from 'node:crypto';
import { readdir, readFile, rename, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { masterKeyId } from '../../../security/sealing.ts';
import { THOROUGH } from '../../support/effort.ts';
import { createMetric, SALES } from '../../support/service/create.ts';
import { as, asOperator, newOrganisation, waitFor, type Api } from '../../support/service/api-client.ts';
import { expectData, expectPage } from '../../support/service/envelope.ts';
import { scrape } from '../../support/service/scrape.ts';
import { runCommand } from '../../support/service/service-process.ts';
import { withService } from '../../support/service/with-service.ts';

/**
 * The master key of a service that keeps it in `master.key`: starts with other keys, and its rotation by an operator with the
 * command. Each test continues the story.
 */

/** With THOROUGH, ten steps of a rotation. */
const VALUES = THOROUGH ? 100_000 : 100;
const DAY_MS = 86_400_000;

const newKey = randomBytes(32).toString('base64');
const FROM_FILE = {};
const ONLY_NEW = { MASTER_KEY: newKey };
const TIME = { CLOCK: '2026-02-07T06:00:00Z', PRIVATE_TARGETS: '127.0.0.1' };

/** The key that the first start has made. */
let oldKey: string;
/** Texts that are sealed: the values, and the secret of a webhook. */
const SEALED = VALUES + 1;

const service = withService({ ...TIME, ...FROM_FILE });
let secret: string;
let sales: string;

const start = (keys: Record<string, string>): Promise<void> => service.start({ ...TIME, ...keys });

const both = () => ({ MASTER_KEY: newKey, MASTER_KEY_PREVIOUS: oldKey });

/** Starts a part of the service that is expected to refuse, and returns what it says. */
async function refusal(keys: Record<string, string>, command = 'start'): Promise<string> {
  const environment = { ...TIME, DATA_DIR: service.dataDir, PORT: '0', ...keys };
  const { code, stdout, stderr } = await runCommand([command], environment);
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  return stderr;
}

const inDataDir = (name: string): string => join(service.dataDir, name);
const keyFile = async (name: string): Promise<string> => (await readFile(inDataDir(name), 'utf8')).trim();
const keyFiles = async (): Promise<string[]> =>
  (await readdir(service.dataDir)).filter((name) => name.startsWith('master.key')).sort();

const admin = (): Api => as(service, secret);

const rotate = () => runCommand(['rotate-master-key', '--url', service.url], { DATA_DIR: service.dataDir });

/** Returns what the doctor says of the keys. The service may be running. */
async function doctor(keys: Record<string, string>): Promise<string | undefined> {
  const environment = { DATA_DIR: service.dataDir, COST_ANALYTICS_URL: service.url, ...keys };
  const { stdout } = await runCommand(['doctor'], environment);
  return stdout.split('\n').find((line) => line.includes('MASTER_KEY'));
}

const state = async () => ({
  ready: ((await (await fetch(`${service.url}/readyz`)).json()) as { master_key: string }).master_key,
  texts: (await scrape(service.url)).samples('cost_analytics_sealed_texts'),
});

/** The first day and the last have known values. */
const newestValue = async (): Promise<unknown> =>
  expectPage(await admin().get<{ value: number }[]>(`/metrics/${sales}/values?start=2026-02-06`)).items.map(
    ({ value }) => value,
  );

async function remaining(): Promise<number> {
  const operator = await asOperator(service);
  return expectData(await operator.post<{ remaining: number }>('/master-key/rotate')).remaining;
}

describe('the master key', () => {
  beforeAll(async () => {
    oldKey = await keyFile('master.key');
    ({ secret } = await newOrganisation(service));
    sales = await createMetric(admin(), SALES);
    const last = Date.parse('2026-02-07T00:00:00Z');
    const lines = Array.from(
      { length: VALUES },
      (_, index) => `${new Date(last - index * DAY_MS).toISOString().slice(0, 10)},${index}.25\n`,
    );
    const csv = { headers: { 'content-type': 'text/csv' }, body: lines.join('') };
    const uploaded = expectData(await admin().send('POST', `/metrics/${sales}/values/csv`, csv));
    expect(uploaded).toMatchObject({ created: VALUES });
    const webhook = { url: 'http://127.0.0.1:9/', events: ['unit_cost.changed'] };
    expectData(await admin().post('/webhooks', webhook));
  });

  it('is checked by the doctor while the service runs', async () => {
    expect(await doctor(FROM_FILE)).toBe('ok      MASTER_KEY: opens everything that is sealed');
    expect(await doctor(ONLY_NEW)).toMatch(
      `PROBLEM MASTER_KEY: the master key ${idOf(newKey)} opens none of the ${SEALED} sealed texts`,
    );
    expect(await doctor(both())).toBe(
      `note    MASTER_KEY: ${SEALED} texts are sealed with MASTER_KEY_PREVIOUS: run rotate-master-key`,
    );
    expect((await state()).ready).toBe('ok');
    await service.stop();
    expect(await doctor(ONLY_NEW)).toMatch('PROBLEM MASTER_KEY: the master key');
  });

  it('ends the start of every process if it opens nothing, or is gone', async () => {
    for (const command of ['start', 'api', 'worker'])
      expect(await refusal(ONLY_NEW, command)).toMatch(
        `cost-analytics: MASTER_KEY: the master key ${idOf(newKey)} opens none of the ${SEALED} sealed texts, which the master key ${idOf(oldKey)} has sealed`,
      );
    await rename(inDataDir('master.key'), inDataDir('elsewhere'));
    expect(await refusal(FROM_FILE)).toMatch(
      `MASTER_KEY: ${SEALED} texts are sealed with the master key ${idOf(oldKey)}, and there is no key`,
    );
    expect(await keyFiles()).toEqual([]);
    await rename(inDataDir('elsewhere'), inDataDir('master.key'));
    await start(both());
    expect(await newestValue()).toEqual([1.25, 0.25]);
    // From now on something may be sealed with the new key.
    expect([await keyFile('master.key'), await keyFile('master.key.next')]).toEqual([oldKey, newKey]);
  });

  it.runIf(THOROUGH)(
    'lies beside the new one if the service is killed in the middle of a rotation',
    async () => {
      // The first step seals 10,000 texts. The command is in a later one when the service is killed.
      const command = rotate();
      await waitFor(async () => (service.logs().split('/master-key/rotate').length > 2 ? true : undefined));
      await service.kill();
      expect((await command).code).toBe(1);
      expect(await keyFiles()).toEqual(['master.key', 'master.key.next']);
      expect([await keyFile('master.key'), await keyFile('master.key.next')]).toEqual([oldKey, newKey]);
      // The files alone open everything.
      await start(FROM_FILE);
      expect(await newestValue()).toEqual([1.25, 0.25]);
      expect((await state()).ready).toBe('ok');
      await service.stop();
      expect(await doctor(ONLY_NEW)).toMatch(/PROBLEM MASTER_KEY: \d+ of \d+ sealed texts open with neither/);
      await start(both());
      expect(await remaining()).toBeGreaterThan(0);
    },
  );

  it('is replaced by the new one, also in its file, after the last text', async () => {
    const { code, stdout } = await rotate();
    expect(code).toBe(0);
    const old = `master.key.${idOf(oldKey)}`;
    expect(stdout).toContain(
      `${inDataDir('master.key')} has the new key now, and ${inDataDir(old)} the old one, for backups made before.\n` +
        'Everything is sealed with MASTER_KEY. Remove MASTER_KEY_PREVIOUS and restart; the old key can go.',
    );
    expect(await remaining()).toBe(0);
    expect(await keyFiles()).toEqual(['master.key', old]);
    expect([await keyFile('master.key'), await keyFile(old)]).toEqual([newKey, oldKey]);
    for (const name of await keyFiles()) expect((await stat(inDataDir(name))).mode & 0o777).toBe(0o600);
    expect(await service.stop()).toBe(0);
    expect(await refusal({ MASTER_KEY: oldKey })).toMatch(
      'If rotate-master-key ran since, it has sealed everything anew, and the key before it opens nothing any more: ' +
        `set MASTER_KEY to the key ${idOf(newKey)}`,
    );
  });

  it('needs no setting then', async () => {
    await start(FROM_FILE);
    expect(await doctor(FROM_FILE)).toBe('ok      MASTER_KEY: opens everything that is sealed');
    expect(await newestValue()).toEqual([1.25, 0.25]);
    const first = await admin().get<{ value: number }[]>(`/metrics/${sales}/values?limit=1`);
    expect(expectPage(first).items).toMatchObject([{ value: VALUES - 1 + 0.25 }]);
    expect(await rotate()).toMatchObject({ code: 0 });
    const webhooks = expectPage(await admin().get<{ id: string }[]>('/webhooks')).items;
    expectData(await admin().post(`/webhooks/${webhooks[0]?.id ?? ''}/test`));
    const { ready, texts } = await state();
    expect(ready).toBe('ok');
    expect(texts.map(({ labels, value }) => [labels['state'], value])).toEqual([
      ['opened', SEALED],
      ['previous', 0],
      ['unreadable', 0],
    ]);
  });
});

const idOf = (key: string): string => masterKeyId(Buffer.from(key, 'base64'));
