import { copyFile, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { dayLine, focusCsv } from '../../support/exports/focus-export.ts';
import { as, asOperator, ingest, newOrganisation, type Api } from '../../support/service/api-client.ts';
import { expectData, expectError, expectPage } from '../../support/service/envelope.ts';
import {
  newDataDir,
  removeDataDir,
  runCommand,
  startService,
  type ServiceProcess,
} from '../../support/service/service-process.ts';
import { openTemporal } from '../../support/service/temporal-client.ts';

/** The backup of a running service, and its return on another machine (contract §4). Each test continues the story. */

const CLOCK = '2026-02-07T06:00:00Z';
const dayAfter = (index: number): string => new Date(Date.UTC(2000, 0, 1 + index)).toISOString().slice(0, 10);

let service: ServiceProcess;
let secret: string;
let folder: string;
let source: string;
let busy: string;
/** What the original shows just before the backup, by path. */
let shown: Record<string, unknown>;
/** How many values the other organisation had for certain when the backup began, and when it had ended. */
let values: { before: number; after: number };
let otherSecret: string;

const answersOf = async (admin: Api): Promise<Record<string, unknown>> => {
  const metrics = expectPage(await admin.get<{ id: string }[]>('/metrics')).items.map(({ id }) => id);
  const paths = [
    ...[
      '/organisation',
      '/overview',
      '/teams',
      '/teams/bills',
      '/shared-costs',
      '/cost-sources',
      '/keys',
      '/webhooks',
    ],
    ...metrics.flatMap((id) => [`/metrics/${id}/months`, `/metrics/${id}/values`, `/metrics/${id}/history`]),
    '/costs?start_date=2026-01-01&end_date=2026-01-31',
    `/cost-sources/${source}/runs`,
  ];
  const bodies = await Promise.all(paths.map(async (path) => [path, (await admin.get(path)).body] as const));
  return Object.fromEntries(bodies);
};

const newMetric = async (admin: Api, metric: object): Promise<string> =>
  expectData(
    await admin.post<{ id: string }>('/metrics', {
      unit: 'order',
      aggregation: 'total',
      frequency: 'daily',
      scope: { type: 'organisation' },
      ...metric,
    }),
  ).id;

const restore = (dataDir: string, from = folder) =>
  runCommand(['restore', '--from', from], { DATA_DIR: dataDir });

describe('a backup of a running service', () => {
  beforeAll(async () => {
    service = await startService({ dataDir: await newDataDir(), environment: { CLOCK } });
    folder = join(service.dataDir, 'copy of today');
    const { secret: key, admin } = await newOrganisation(service);
    secret = key;
    const location = join(service.dataDir, 'bill.csv');
    await writeFile(location, focusCsv([dayLine('2026-01-01', '11.5'), dayLine('2026-01-31', '20')]));
    source = expectData(
      await admin.post<{ id: string }>('/cost-sources', { name: 'Bill', kind: 'focus', location }),
    ).id;
    expect(await ingest(admin, source)).toMatchObject({ status: 'completed', cost_total: 31.5 });
    const orders = await newMetric(admin, { name: 'Orders' });
    const sales = await newMetric(admin, { name: 'Sales', unit: 'USD', kind: 'revenue', currency: 'USD' });
    for (const metric of [orders, sales])
      expectData(
        await admin.post(`/metrics/${metric}/values`, { values: [{ period: '2026-01-31', value: 63 }] }),
      );
    expect(expectData(await admin.post(`/metrics/${orders}/months/2026-01/lock`))).toMatchObject({
      locked: { version: 1, cost: 31.5, value: 63, unit_cost: 0.5 },
    });
    const other = await newOrganisation(service, { name: 'Other' });
    otherSecret = other.secret;
    busy = await newMetric(other.admin, { name: 'Busy' });
  });
  afterAll(async () => {
    await service.stop();
    await removeDataDir(service.dataDir);
  });

  it('copies everything of an instant while others write, and compares the copy', async () => {
    shown = await answersOf(as(service, secret));
    let stored = 0;
    const over = new AbortController();
    const writing = (async () => {
      for (; !over.signal.aborted; stored += 1)
        expectData(
          await as(service, otherSecret).post(`/metrics/${busy}/values`, {
            values: [{ period: dayAfter(stored), value: stored }],
          }),
        );
    })();
    const before = stored;
    const { code, stdout, stderr } = await runCommand(['backup', '--to', folder, '--url', service.url], {
      DATA_DIR: service.dataDir,
    });
    const after = stored + 1;
    over.abort();
    await writing;
    values = { before, after };
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(
      /^\d+ rows as of 2026-02-07T06:00:00.000Z, \d+ bytes, copied to .* and compared\.\n/,
    );
    expect(stored).toBeGreaterThan(0);
  });

  it('holds no key and no plain revenue', async () => {
    const masterKey = (await readFile(join(service.dataDir, 'master.key'), 'utf8')).trim();
    const files = [join(folder, 'warehouse.duckdb'), join(folder, 'backup.json')];
    for (const file of files) {
      const bytes = await readFile(file);
      for (const key of [masterKey, secret]) expect(bytes.includes(key)).toBe(false);
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
    expectError(await as(service, secret).get('/../../operator/backups'), 401, /X-Operator-Key/);
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
    await writeFile(
      join(changed, 'backup.json'),
      manifest.replace(/"schema_version": \d+/, '"schema_version": 9999'),
    );
    await refused(
      /tables of version 9999, and this one knows \d+: install that version, or a newer one/,
      changed,
    );
    await writeFile(join(dataDir, 'notes.txt'), 'mine');
    await refused(/expected a data directory without data, got .*notes\.txt/);
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
      const admin = as(other, secret);
      expect(await answersOf(admin)).toEqual(shown);
      const busyValues = expectPage(
        await as(other, otherSecret).get<{ period: string; value: number }[]>(
          `/metrics/${busy}/values?limit=1000`,
        ),
      ).items;
      // As of one instant: the values that were sent first, without a gap.
      expect(busyValues).toMatchObject(
        busyValues.map((_, index) => ({ period: dayAfter(index), value: index })),
      );
      expect(busyValues.length).toBeGreaterThanOrEqual(values.before);
      expect(busyValues.length).toBeLessThanOrEqual(values.after);
      const temporal = await openTemporal(dataDir);
      const schedules: string[] = [];
      for await (const { scheduleId } of temporal.client.schedule.list()) schedules.push(scheduleId);
      expect(schedules.some((id) => id.includes(source))).toBe(true);
      await temporal.close();
      expect(await ingest(admin, source)).toMatchObject({ status: 'completed', cost_total: 31.5 });
    } finally {
      await other.stop();
      await removeDataDir(dataDir);
    }
  });
});
