import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { THOROUGH } from '../../support/effort.ts';
import { as, asOperator, newOrganisation, waitFor, type Api } from '../../support/service/api-client.ts';
import { expectData, expectError, expectPage } from '../../support/service/envelope.ts';
import {
  newDataDir,
  removeDataDir,
  runCommand,
  startService,
  type ServiceProcess,
} from '../../support/service/service-process.ts';

/** The rotation of the master key, by an operator with the command (contract §4). Each test continues the story. */

/** Ten steps of a rotation. */
const VALUES = 100_000;
const DAY_MS = 86_400_000;

const [oldKey, newKey] = [1, 2].map(() => randomBytes(32).toString('base64'));
const ONLY_OLD = { MASTER_KEY: oldKey ?? '' };
const BOTH = { MASTER_KEY: newKey ?? '', MASTER_KEY_PREVIOUS: oldKey ?? '' };
const ONLY_NEW = { MASTER_KEY: newKey ?? '' };

let service: ServiceProcess;
let secret: string;
let sales: string;

const start = async (keys: Record<string, string>, dataDir?: string): Promise<void> => {
  const environment = { CLOCK: '2026-02-07T06:00:00Z', PRIVATE_TARGETS: '127.0.0.1', ...keys };
  service = await startService({ dataDir: dataDir ?? service.dataDir, environment });
};

const admin = (): Api => as(service, secret);

const rotate = () => runCommand(['rotate-master-key', '--url', service.url], { DATA_DIR: service.dataDir });

const doctor = async (keys: Record<string, string>): Promise<string> =>
  (await runCommand(['doctor'], { DATA_DIR: service.dataDir, ...keys })).stdout;

/** The first day and the last have known values. */
const newestValue = async (): Promise<unknown> =>
  expectPage(await admin().get<{ value: number }[]>(`/metrics/${sales}/values?start=2026-02-06`)).items.map(
    ({ value }) => value,
  );

const remaining = async (): Promise<number> => {
  const operator = await asOperator(service);
  return expectData(await operator.post<{ remaining: number }>('/master-key/rotate')).remaining;
};

describe.runIf(THOROUGH)('a new master key', () => {
  beforeAll(async () => {
    await start(ONLY_OLD, await newDataDir());
    ({ secret } = await newOrganisation(service));
    const metric = { name: 'Sales', unit: 'USD', kind: 'revenue', currency: 'USD', aggregation: 'total' };
    const scope = { type: 'organisation' };
    sales = expectData(
      await admin().post<{ id: string }>('/metrics', { ...metric, frequency: 'daily', scope }),
    ).id;
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

  afterAll(async () => {
    await service.stop();
    await removeDataDir(service.dataDir);
  });

  it('needs the previous one for what that has sealed', async () => {
    await service.stop();
    await start(ONLY_NEW);
    expectError(await admin().get(`/metrics/${sales}/values?start=2026-02-06`), 500);
    await waitFor(async () =>
      service.logs().includes('check MASTER_KEY and MASTER_KEY_PREVIOUS') ? true : undefined,
    );
    const rotation = await rotate();
    expect(rotation.code).toBe(1);
    expect(rotation.stdout).toMatch(`${VALUES + 1} sealed texts open with neither`);
    await service.stop();
    expect(await doctor(ONLY_NEW)).toMatch(/PROBLEM MASTER_KEY: \d+ sealed texts open with neither/);
    expect(await doctor(BOTH)).toMatch(/note {4}MASTER_KEY: \d+ texts are sealed with MASTER_KEY_PREVIOUS/);
    await start(BOTH);
    expect(await newestValue()).toEqual([1.25, 0.25]);
  });

  it('seals everything anew, even if the service is killed in the middle', async () => {
    // The first step seals 10,000 texts. The command is in a later one when the service is killed.
    const command = rotate();
    await waitFor(async () => (service.logs().split('/master-key/rotate').length > 2 ? true : undefined));
    await service.kill();
    expect((await command).code).toBe(1);
    await start(BOTH);
    expect(await newestValue()).toEqual([1.25, 0.25]);
    expect(await remaining()).toBeGreaterThan(0);
    const again = await rotate();
    expect(again.code).toBe(0);
    expect(again.stdout).toMatch(/Remove MASTER_KEY_PREVIOUS and restart; the old key can go/);
    expect(await remaining()).toBe(0);
  });

  it('needs no other key then', async () => {
    expect(await service.stop()).toBe(0);
    expect(await doctor(ONLY_NEW)).toMatch(/ok {6}MASTER_KEY: opens everything/);
    await start(ONLY_NEW);
    expect(await newestValue()).toEqual([1.25, 0.25]);
    const first = await admin().get<{ value: number }[]>(`/metrics/${sales}/values?limit=1`);
    expect(expectPage(first).items).toMatchObject([{ value: VALUES - 1 + 0.25 }]);
    const rotation = await rotate();
    expect(rotation).toMatchObject({ code: 0 });
    const webhooks = expectPage(await admin().get<{ id: string }[]>('/webhooks')).items;
    expectData(await admin().post(`/webhooks/${webhooks[0]?.id ?? ''}/test`));
  });
});
