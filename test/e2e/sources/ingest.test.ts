import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join, resolve } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { ingestWorkflowId } from '../../../domain/sources/ingest.ts';
import { POISONED_FOCUS_ROWS } from '../../attack/poisoned-rows.ts';
import {
  as,
  ingest,
  newOrganisation,
  waitFor,
  type Api,
  type Run,
} from '../../support/service/api-client.ts';
import { fromCsv, writeTable } from '../../support/warehouse/duckdb-files.ts';
import { expectData, expectError, expectPage } from '../../support/service/envelope.ts';
import { lacking } from '../../support/needs.ts';
import { SAMPLE } from '../../support/exports/focus-sample.ts';
import { startFakeS3 } from '../../support/fakes/fake-s3.ts';
import { listenLocally, sendContent, serveFiles, type LocalServer } from '../../support/fakes/file-server.ts';
import { dayLine, focusCsv, type FocusLine } from '../../support/exports/focus-export.ts';
import { someOf, THOROUGH } from '../../support/effort.ts';
import { anyText, textLike } from '../../support/service/matchers.ts';
import { withService } from '../../support/service/with-service.ts';
import { openTemporal, type TemporalWindow } from '../../support/service/temporal-client.ts';
import { WAIT_MS } from '../../support/patience.ts';

/** Cost sources and their ingest through the real workflow. */
/** The spend on clusters and hosts of an account that has neither. */
const NO_ASSETS = { kubernetes: 0, hosts: 0 };

const withoutHttpfs = lacking('extensions');
const S3_KEY_ID = 'AKIATEST';

let temporal: TemporalWindow;
let exportsDir: string;
/** A folder outside the source roots. */
let outside: string;
let storage: LocalServer;
const objects = new Map<string, Buffer>();

const service = withService(async (dataDir) => {
  outside = await mkdtemp(join(tmpdir(), 'cost-analytics-outside-'));
  exportsDir = join(dataDir, 'exports');
  storage = await startFakeS3(objects, S3_KEY_ID);
  return {
    CLOCK: '2026-02-07T06:00:00Z',
    SOURCE_ROOTS: [exportsDir, resolve(SAMPLE, '..')].join(delimiter),
    PRIVATE_TARGETS: '127.0.0.1',
    SOURCE_BUCKETS: 's3://billing/',
    AWS_ENDPOINT_URL_S3: storage.url,
    AWS_ACCESS_KEY_ID: S3_KEY_ID,
    AWS_SECRET_ACCESS_KEY: 'secret-of-the-test-bucket',
    AWS_REGION: 'eu-central-1',
    NO_PROXY: '127.0.0.1,localhost',
  };
});

beforeAll(async () => {
  temporal = await openTemporal(service.dataDir);
});

afterAll(async () => {
  await temporal.close();
  await service.stop();
  await storage.close();
  await rm(outside, { recursive: true });
});

interface Source {
  id: string;
  name: string;
  location: string;
  currency: string | null;
  options: object;
  schedule_paused: boolean;
  last_run: Run | null;
}

interface Costs {
  total: number;
  by_source: Record<string, number>;
  by_day: { day: string; total: number }[];
  by_account: { cloud: string; account: string; name: string | null; total: number }[];
  previous_period: { total: number | null; change_percent: number | null };
  complete_through: string | null;
}

let files = 0;
/** Returns the path of a new file under the source roots. */
const newFile = (name: string): string => join(exportsDir, `${++files}-${name}`);

async function writeExport(lines: readonly FocusLine[], columns?: readonly string[]): Promise<string> {
  const file = newFile('export.csv');
  await writeFile(file, focusCsv(lines, columns ?? null));
  return file;
}

const newSource = async (admin: Api, location: string, more: object = {}): Promise<Source> =>
  expectData(await admin.post<Source>('/cost-sources', { name: 'Bill', kind: 'focus', location, ...more }));

const costs = async (api: Api, start = '2026-01-01', end = '2026-01-31'): Promise<Costs> =>
  expectData(await api.get<Costs>(`/costs?start_date=${start}&end_date=${end}`));

/** Makes an organisation with one source at this location, and ingests it. */
async function ingested(location: string, more: object = {}) {
  const organisation = await newOrganisation(service);
  const source = await newSource(organisation.admin, location, more);
  return { ...organisation, source, run: await ingest(organisation.admin, source.id) };
}

const runsOf = async (api: Api, source: string): Promise<Run[]> =>
  expectPage(await api.get<Run[]>(`/cost-sources/${source}/runs`)).items;

describe('cost sources', () => {
  it('can be created, read, listed, changed and deleted', async () => {
    const { admin } = await newOrganisation(service);
    const location = newFile('later.csv');
    const created = await newSource(admin, location, { name: ' AWS bill ', currency: 'USD' });
    expect(created).toEqual({
      id: textLike(/^src_/),
      name: 'AWS bill',
      kind: 'focus',
      location,
      currency: 'USD',
      options: { cost_column: 'EffectiveCost' },
      schedule_paused: false,
      starts_on: null,
      credentials: null,
      delivered_through: null,
      last_run: null,
    });
    expect(expectData(await admin.get(`/cost-sources/${created.id}`))).toEqual(created);
    expect(expectPage(await admin.get<unknown[]>('/cost-sources')).items).toEqual([created]);
    // A retry after a lost answer reports that the source exists already.
    expectError(
      await admin.post('/cost-sources', { name: 'AWS bill', kind: 'focus', location }),
      409,
      `name: expected a name that no other cost source has, got "AWS bill", the name of ${created.id}`,
    );
    expect(expectPage(await admin.get<unknown[]>('/cost-sources')).items).toEqual([created]);
    const changes = {
      name: 'Invoiced',
      options: { cost_column: 'BilledCost' },
      schedule_paused: true,
      currency: null,
    };
    const changed = expectData(await admin.patch(`/cost-sources/${created.id}`, changes));
    expect(changed).toEqual({ ...created, ...changes });
    expect(expectData(await admin.patch(`/cost-sources/${created.id}`, {}))).toEqual(changed);
    expect(expectData(await admin.delete(`/cost-sources/${created.id}`))).toMatchObject({ id: created.id });
    expectError(await admin.get(`/cost-sources/${created.id}`), 404);
    expectError(await admin.delete(`/cost-sources/${created.id}`), 404);
    expectError(await admin.patch(`/cost-sources/${created.id}`, { name: 'x' }), 404);
    expectError(await admin.post(`/cost-sources/${created.id}/ingest`, {}), 404);
    expectError(await admin.get(`/cost-sources/${created.id}/runs`), 404);
    expect(expectPage(await admin.get<unknown[]>('/cost-sources')).items).toEqual([]);
  });

  it('are rejected if a field is wrong, and not stored', async () => {
    const { admin } = await newOrganisation(service, { currency: 'EUR' });
    const good = { name: 'Bill', kind: 'focus', location: join(exportsDir, 'a.csv') };
    const refused: [object, RegExp][] = [
      [{ ...good, currency: 'USD' }, /^currency: expected EUR.*"USD".*never converted/],
      [{ ...good, currency: 'Euro' }, /^currency: expected an ISO 4217/],
      [{ ...good, kind: 'csv' }, /^kind: expected.*"csv"/],
      [{ ...good, kind: undefined }, /^kind: expected.*nothing/],
      [{ ...good, options: { cost_column: 'ListCost' } }, /^options\.cost_column: expected.*"ListCost"/],
      [{ ...good, options: null }, /^options: expected/],
      [{ ...good, location: '' }, /^location: expected/],
      [{ ...good, location: 5 }, /^location: expected/],
      [{ ...good, name: '' }, /^name: expected/],
      [{ ...good, schedule_paused: 'yes' }, /^schedule_paused: expected/],
      [{ ...good, id: 'src_mine' }, /^id: unknown field/],
    ];
    for (const [source, message] of refused) {
      expectError(await admin.post('/cost-sources', source), 400, message);
    }
    expect(expectPage(await admin.get<unknown[]>('/cost-sources')).items).toEqual([]);
    const { id } = await newSource(admin, good.location);
    expectError(
      await admin.patch(`/cost-sources/${id}`, { currency: 'USD' }),
      400,
      /^currency: expected EUR/,
    );
    expectError(await admin.patch(`/cost-sources/${id}`, { kind: 'focus' }), 400, /^kind: /);
    expectError(await admin.patch(`/cost-sources/${id}`, { location: '/etc/passwd' }), 400, /SOURCE_ROOTS/);
    expect(expectData(await admin.get<Source>(`/cost-sources/${id}`)).location).toBe(good.location);
  });

  it('are rejected at a location that the operator does not allow, with the name of the setting', async () => {
    const { admin } = await newOrganisation(service);
    await symlink(outside, join(exportsDir, 'way-out'));
    for (const location of [
      '/etc/passwd',
      `${outside}/export.csv`,
      'file:///etc/passwd',
      join(exportsDir, 'way-out', 'export.csv'),
      `${exportsDir}-beside/export.csv`,
      '/**/*.csv',
      service.dataDir,
      join(service.dataDir, 'warehouse.duckdb'),
    ]) {
      const source = { name: 'Bill', kind: 'focus', location };
      expectError(await admin.post('/cost-sources', source), 400, /^location: .*SOURCE_ROOTS/);
    }
    for (const location of [
      'http://10.0.0.1/export.csv',
      'http://169.254.169.254/latest/meta-data/export.csv',
      'https://[::1]/export.csv',
      'http://[::ffff:10.0.0.1]/export.csv',
      'http://0.0.0.0/export.csv',
    ]) {
      const source = { name: 'Bill', kind: 'focus', location };
      expectError(await admin.post('/cost-sources', source), 400, /^location: .*PRIVATE_TARGETS/);
    }
    for (const location of [
      `${exportsDir}/../exports/a.csv`,
      'ftp://example.com/a.csv',
      'http://user:password@127.0.0.1/a.csv',
      's3://bucket',
      's3://bucket/a.csv?s3_endpoint=evil',
    ]) {
      const source = { name: 'Bill', kind: 'focus', location };
      expectError(await admin.post('/cost-sources', source), 400, /^location: /);
    }
    expect(expectPage(await admin.get<unknown[]>('/cost-sources')).items).toEqual([]);
  });

  it('are checked again when they are read, so that a later link does not lead outside', async () => {
    const folder = newFile('folder');
    await mkdir(folder);
    await writeFile(join(outside, 'secret.csv'), focusCsv([dayLine('2026-01-31', '1')]));
    await symlink(join(outside, 'secret.csv'), join(folder, 'link.csv'));
    const { admin, run } = await ingested(join(folder, '*.csv'));
    expect(run).toMatchObject({ status: 'failed', error: textLike(/SOURCE_ROOTS/) });
    expect((await costs(admin)).total).toBe(0);
  });
});

describe('an ingest', () => {
  const JANUARY = [
    dayLine('2026-01-30', '10.000000000000001'),
    dayLine('2026-01-31', '0.1'),
    dayLine('2026-01-31', '0.2', { SubAccountId: '2222', SubAccountName: 'Search' }),
  ];

  it('of a CSV file ends with its counts, and /costs shows the spend', async () => {
    const location = await writeExport(JANUARY);
    const { id, admin, source, run } = await ingested(location);
    expect(run).toMatchObject({
      run_id: textLike(/^run_/),
      workflow_id: ingestWorkflowId(id, source.id),
      status: 'completed',
      started_at: '2026-02-07T06:00:00.000Z',
      finished_at: '2026-02-07T06:00:00.000Z',
      months: ['2026-01'],
      rows_read: 3,
      rows_rejected: 0,
      cost_total: 10.3,
      error: null,
    });
    expect(await runsOf(admin, source.id)).toEqual([run]);
    expect(expectData(await admin.get<Source>(`/cost-sources/${source.id}`)).last_run).toEqual(run);
    expect(await costs(admin)).toEqual({
      start_date: '2026-01-01',
      end_date: '2026-01-31',
      currency: 'USD',
      total: 10.3,
      by_source: { cloud: 10.3, kubernetes: 0, hosts: 0, ai_tools: 0 },
      by_day: [
        { day: '2026-01-30', total: 10 },
        { day: '2026-01-31', total: 0.3 },
      ],
      by_account: [
        { cloud: 'aws', account: '1111', name: 'Shop', total: 10.1, ...NO_ASSETS },
        { cloud: 'aws', account: '2222', name: 'Search', total: 0.2, ...NO_ASSETS },
      ],
      previous_period: { total: null, change_percent: null },
      complete_through: '2026-01-31',
    });
  });

  it('reads a glob, a folder, gzip and Parquet with the same result', async () => {
    const folder = newFile('folder');
    await mkdir(join(folder, 'deeper'), { recursive: true });
    const csv = await writeExport(JANUARY);
    const [first, ...rest] = JANUARY;
    if (first === undefined) throw new Error('there is no first line');
    await writeFile(join(folder, 'a.csv'), focusCsv([first]));
    await writeFile(join(folder, 'deeper', 'b.csv.gz'), gzipSync(focusCsv(rest)));
    await writeFile(join(folder, 'readme.txt'), 'not an export');
    const gzip = newFile('export.csv.gz');
    await writeFile(gzip, gzipSync(focusCsv(JANUARY)));
    const text = newFile('text.parquet');
    await writeTable(text, fromCsv(csv));
    const typed = newFile('typed.parquet');
    await writeTable(
      typed,
      `SELECT * REPLACE (ChargePeriodStart::TIMESTAMP AS ChargePeriodStart,
         ChargePeriodEnd::TIMESTAMPTZ AS ChargePeriodEnd, BillingPeriodStart::DATE AS BillingPeriodStart,
         EffectiveCost::DECIMAL(38,15) AS EffectiveCost, BilledCost::DOUBLE AS BilledCost,
         NULL::MAP(VARCHAR, VARCHAR) AS Tags) FROM (${fromCsv(csv)})`,
    );
    const expected = await costs((await ingested(csv)).admin);
    const locations = [`${folder}/**/*.csv*`, folder, gzip, text, typed];
    for (const location of someOf(locations, 3)) {
      const { admin, run } = await ingested(location);
      expect({ location, run }).toMatchObject({ location, run: { status: 'completed', rows_read: 3 } });
      expect(await costs(admin)).toEqual(expected);
    }
  });

  it('counts credits, spreads charges over their days, recognises clouds, and keeps 15 decimals', async () => {
    const location = await writeExport([
      // A month's fee: 31 days, 3.1 a day.
      dayLine('2026-01-01', '96.1', { ChargePeriodEnd: '2026-02-01T00:00:00Z' }),
      // 10 over three days leaves a remainder for the last one.
      dayLine('2026-01-10', '10', { ChargePeriodEnd: '2026-01-13T00:00:00Z' }),
      dayLine('2026-01-20', '-4.25', { ChargeCategory: 'Credit' }),
      dayLine('2026-01-20', '1.5E-3'),
      dayLine('2026-01-21', '0.000000000000001', { ProviderName: 'Microsoft', SubAccountId: 'sub-1' }),
      dayLine('2026-01-21', '0.0000005', { ProviderName: 'Microsoft', SubAccountId: 'sub-1' }),
      // Times without T and Z, and with an offset: 2026-01-23T00:30+02:00 is the evening before.
      dayLine('2026-01-22', '7', {
        ChargePeriodStart: '2026-01-22 00:00:00',
        ChargePeriodEnd: '2026-01-22 01:00:00',
      }),
      dayLine('2026-01-22', '5', {
        ChargePeriodStart: '2026-01-23T00:30:00+02:00',
        ChargePeriodEnd: '2026-01-23T01:30:00+02:00',
        SubAccountId: 'NULL',
        ProviderName: 'Oracle',
      }),
    ]);
    const { admin, run } = await ingested(location);
    expect(run).toMatchObject({ status: 'completed', rows_rejected: 0 });
    const shown = await costs(admin);
    // 96.1 + 10 − 4.25 + 0.0015 + 0.000000500000001 + 12
    expect(shown.total).toBe(113.851501);
    expect(Object.fromEntries(shown.by_day.map(({ day, total }) => [day, total]))).toMatchObject({
      '2026-01-01': 3.1,
      '2026-01-10': 6.433333,
      '2026-01-12': 6.433333,
      '2026-01-13': 3.1,
      '2026-01-20': -1.1485,
      '2026-01-21': 3.100001,
      '2026-01-22': 15.1,
      '2026-01-23': 3.1,
    });
    expect(shown.by_day).toHaveLength(31);
    expect(shown.by_account).toEqual([
      { cloud: 'aws', account: '1111', name: 'Shop', total: 108.8515, ...NO_ASSETS },
      { cloud: 'oci', account: '1000', name: anyText, total: 5, ...NO_ASSETS },
      { cloud: 'azure', account: 'sub-1', name: 'Shop', total: 0.000001, ...NO_ASSETS },
    ]);
    expect((await costs(admin, '2026-01-10', '2026-01-12')).total).toBe(19.3);
    // The fee reaches the month's end, but the bill has delivered only up to the 22nd.
    expect(shown.complete_through).toBe('2026-01-22');
  });

  it.runIf(THOROUGH)(
    'is compared with the period before, and counts a charge by its day and not its billing period',
    async () => {
      const location = await writeExport([
        dayLine('2025-12-31', '40', { BillingPeriodStart: '2026-01-01T00:00:00Z' }),
        dayLine('2026-01-01', '50'),
        dayLine('2026-01-02', '-10'),
        dayLine('2026-02-01', '25'),
      ]);
      const { admin, run } = await ingested(location);
      expect(run.months).toEqual(['2025-12', '2026-01', '2026-02']);
      const day = async (date: string) => (await costs(admin, date, date)).previous_period;
      expect(await day('2026-01-01')).toEqual({ total: 40, change_percent: 25 });
      expect(await day('2026-01-02')).toEqual({ total: 50, change_percent: -120 });
      // From −10 to 0 is an increase of 100 %.
      expect(await day('2026-01-03')).toEqual({ total: -10, change_percent: 100 });
      expect((await costs(admin, '2026-01-01', '2026-01-31')).previous_period).toEqual({
        total: 40,
        change_percent: 0,
      });
      // The 28 days before February are 4 to 31 January. The 31 days before it are all of January.
      expect((await costs(admin, '2026-02-01', '2026-02-28')).previous_period).toEqual({
        total: 0,
        change_percent: null,
      });
      expect((await costs(admin, '2026-02-01', '2026-03-03')).previous_period).toEqual({
        total: 40,
        change_percent: -37.5,
      });
    },
  );

  it('of a restatement replaces whole billing periods, and with a range only those in it', async () => {
    const location = await writeExport([
      dayLine('2025-12-31', '1'),
      dayLine('2026-01-30', '10'),
      dayLine('2026-01-31', '20'),
    ]);
    const { admin, source } = await ingested(location);
    expect((await costs(admin)).total).toBe(30);
    // The 30th is gone, and the 31st is restated. December is restated too, but lies outside the range.
    await writeFile(location, focusCsv([dayLine('2025-12-31', '2'), dayLine('2026-01-31', '21.5')]));
    const range = { start_month: '2026-01', end_month: '2026-01', accept_shrink: true };
    const run = await ingest(admin, source.id, range);
    expect(run).toMatchObject({
      status: 'completed',
      months: ['2026-01'],
      rows_read: 2,
      rows_left_out: 1,
      cost_total: 21.5,
    });
    expect((await costs(admin)).by_day).toEqual([{ day: '2026-01-31', total: 21.5 }]);
    expect((await costs(admin, '2025-12-01', '2025-12-31')).total).toBe(1);
    // Two more ingests, without a range, give the same January.
    for (let again = 0; again < 2; again++) await ingest(admin, source.id);
    expect((await costs(admin)).total).toBe(21.5);
    expect((await costs(admin, '2025-12-01', '2025-12-31')).total).toBe(2);
    expectError(
      await admin.post(`/cost-sources/${source.id}/ingest`, { start_month: '2026-02', end_month: '2026-01' }),
      400,
      /^end_month: /,
    );
    expectError(await admin.post(`/cost-sources/${source.id}/ingest`, { start_month: '2026-1' }), 400);
  });

  it('that would take days from a settled month fails unless accepted, and always on schedule', async () => {
    const january = Array.from({ length: 31 }, (_, day) => `2026-01-${String(day + 1).padStart(2, '0')}`);
    const location = await writeExport(january.map((day) => dayLine(day, '10')));
    const { admin, source, id } = await ingested(location);
    expect((await costs(admin)).total).toBe(310);
    // The next export ends on the 29th. January has settled, and would lose 20 of its 310.
    await writeFile(location, focusCsv(january.slice(0, 29).map((day) => dayLine(day, '10'))));
    const reason =
      'the export no longer has 2026-01-30 to 2026-01-31, which had 20 USD; the bill as a whole is 20 USD less, in settled months; ' +
      'nothing was loaded. Correct the export, or start the ingest with accept_shrink to drop these days';
    expect(await ingest(admin, source.id)).toMatchObject({ status: 'failed', error: reason });
    expect(await ingest(admin, source.id, { accept_shrink: false })).toMatchObject({ status: 'failed' });
    await temporal.client.schedule.getHandle(ingestWorkflowId(id, source.id)).trigger();
    await waitFor(async () => {
      const runs = await runsOf(admin, source.id);
      return runs.length === 4 && runs[0]?.status !== 'running' ? true : undefined;
    });
    expect((await runsOf(admin, source.id)).map(({ error }) => error)).toEqual([
      reason,
      reason,
      reason,
      null,
    ]);
    expect((await costs(admin)).total).toBe(310);

    expectError(
      await admin.post(`/cost-sources/${source.id}/ingest`, { accept_shrink: 'yes' }),
      400,
      /^accept_shrink: /,
    );
    expect(await ingest(admin, source.id, { accept_shrink: true })).toMatchObject({
      status: 'completed',
      cost_total: 290,
      notes: [
        'the export no longer has 2026-01-30 to 2026-01-31, which had 20 USD; the bill as a whole is 20 USD less',
      ],
    });
    expect((await costs(admin)).total).toBe(290);
    expect(await ingest(admin, source.id)).toMatchObject({ status: 'completed', notes: [] });
  });

  it.runIf(THOROUGH)('reads the days of an Azure export once, although several runs have them', async () => {
    const folder = newFile('azure');
    const run = async (path: string, days: number, submittedTime: string): Promise<void> => {
      const lines = Array.from({ length: days }, (_, day) =>
        dayLine(`2026-01-${String(day + 1).padStart(2, '0')}`, '10', { ProviderName: 'Microsoft' }),
      );
      await mkdir(join(folder, path), { recursive: true });
      await writeFile(join(folder, path, 'part_0_0001.csv'), focusCsv(lines));
      const runInfo = {
        submittedTime,
        startDate: '2026-01-01T00:00:00',
        endDate: `2026-01-${String(days).padStart(2, '0')}T00:00:00Z`,
      };
      const manifest = { runInfo, blobs: [{ blobName: `container/${path}/part_0_0001.csv` }] };
      await writeFile(join(folder, path, 'manifest.json'), JSON.stringify(manifest));
    };
    const daily = 'daily/20260101-20260131';
    await run(`${daily}/2f9d2a1c-0c1e-4b65-9c0e-6f4f1c1b8a01`, 31, '2026-01-31T06:49:06.5756051Z');
    await run(`${daily}/0d6c3a52-6a3d-4a2c-8f3c-2b7b0c7e9d02`, 31, '2026-02-01T06:49:06.5756051Z');
    await run('once/20260101-20260109/7c1b8d0e-91b5-4d4e-9a57-5d2f6f0b1c03', 9, '2026-02-03T06:00:00Z');
    const { admin, run: outcome } = await ingested(folder);
    expect(outcome).toMatchObject({ status: 'completed', rows_read: 31, cost_total: 310, notes: [] });
    expect((await costs(admin)).total).toBe(310);
  });

  it('needs a key with write, and reads everything if it has no body', async () => {
    const { admin, source } = await ingested(await writeExport(JANUARY));
    for (const [permission, status] of [
      ['read', 403],
      ['write', 200],
    ] as const) {
      const { secret } = expectData(await admin.post<{ secret: string }>('/keys', { name: 'k', permission }));
      const answer = await as(service, secret).post(`/cost-sources/${source.id}/ingest`);
      expect(answer.status).toBe(status);
      if (status === 200) {
        expect(expectData(answer)).toEqual({
          run_id: textLike(/^run_/),
          workflow_id: anyText,
          status: 'running',
        });
      }
    }
    await waitFor(async () => {
      const runs = await runsOf(admin, source.id);
      return runs.length === 2 && runs.every(({ status }) => status === 'completed') ? true : undefined;
    });
  });

  it.runIf(THOROUGH)('adds up sources, and a deleted one no longer counts', async () => {
    const { id, admin, source } = await ingested(await writeExport([dayLine('2026-01-31', '5')]));
    const second = await newSource(admin, await writeExport([dayLine('2026-01-20', '0.5')]), {
      name: 'Azure',
    });
    expect((await costs(admin)).complete_through).toBeNull();
    await ingest(admin, second.id);
    expect(await costs(admin)).toMatchObject({ total: 5.5, complete_through: '2026-01-20' });
    // Completeness does not depend on a paused source.
    await admin.patch(`/cost-sources/${second.id}`, { schedule_paused: true });
    expect(await costs(admin)).toMatchObject({ total: 5.5, complete_through: '2026-01-31' });
    expectData(await admin.delete(`/cost-sources/${source.id}`));
    expect(await costs(admin)).toMatchObject({ total: 0.5, by_source: { cloud: 0.5 } });
    await expect(
      temporal.client.schedule.getHandle(ingestWorkflowId(id, source.id)).describe(),
    ).rejects.toThrow();
  });

  it('that is under way prevents a second one', async () => {
    const { id, admin, source } = await ingested(await writeExport(JANUARY));
    // A run is completed just before its workflow closes. Until then no other workflow can have its id.
    const workflowId = ingestWorkflowId(id, source.id);
    await temporal.client.workflow.getHandle(workflowId).result();
    // No worker serves this task queue, so the ingest stays under way for as long as the test needs.
    const underWay = await temporal.client.workflow.start('ingestCosts', {
      workflowId,
      taskQueue: 'nobody',
      args: [{ orgId: id, sourceId: source.id, startMonth: null, endMonth: null }],
    });
    const answers = await Promise.all(
      Array.from({ length: 4 }, () => admin.post(`/cost-sources/${source.id}/ingest`, {})),
    );
    for (const answer of answers) expectError(answer, 409, /is running/);
    expect(await runsOf(admin, source.id)).toHaveLength(1);
    await underWay.terminate();
    await ingest(admin, source.id);
    expect(await runsOf(admin, source.id)).toHaveLength(2);
    expect((await costs(admin)).total).toBe(10.3);
  });

  it('that fails reports the reason and changes nothing', async () => {
    const location = await writeExport(JANUARY);
    const { admin, source, run: first } = await ingested(location);
    const before = await costs(admin, '2025-02-08', '2026-02-07');
    const good = focusCsv([dayLine('2026-01-30', '0'), dayLine('2026-01-31', '99')]);
    const many = Array.from({ length: 99 }, () => dayLine('2026-01-31', '99'));
    const failures: [string, RegExp][] = [
      [
        focusCsv([dayLine('2026-01-31', '99'), dayLine('2026-01-31', '1', { BillingCurrency: 'EUR' })]),
        /BillingCurrency: expected USD.*EUR in 1 rows.*never converted/,
      ],
      [good.replace('EffectiveCost', 'Cost'), /EffectiveCost is missing/],
      [good.replace('BillingPeriodStart', 'BillingStart'), /BillingPeriodStart is missing/],
      // Two of 101 rows are more than one percent.
      [
        focusCsv([...many, dayLine('2026-01-31', 'abc'), dayLine('2026-01-31', 'abc')]),
        /2 of 101 rows.*EffectiveCost: expected a decimal number, got "abc"/,
      ],
      [focusCsv([...many.slice(50), dayLine('2026-01-31', '1', { ChargePeriodStart: 'soon' })]), /"soon"/],
      ['', /empty/],
      ['\u0000\u0001\u0002', /./],
    ];
    for (const [content, reason] of failures) {
      await writeFile(location, content);
      const run = await ingest(admin, source.id);
      expect({ content: content.slice(0, 40), run }).toMatchObject({
        run: { status: 'failed', error: textLike(reason), cost_total: null, months: [] },
      });
      // The run shows its counts, although nothing was loaded.
      if (run.error?.includes('2 of 101 rows') === true)
        expect(run).toMatchObject({
          rows_read: 101,
          rows_rejected: 2,
          rejected_samples: [{ problem: textLike(/"abc"/), rows: 2 }],
        });
      expect(run.error).not.toMatch(/\bat .*\.(js|ts):\d|ActivityFailure|Error:/);
      expect(await costs(admin, '2025-02-08', '2026-02-07')).toEqual(before);
    }
    await rm(location);
    expect(await ingest(admin, source.id)).toMatchObject({
      status: 'failed',
      error: textLike(/^location: no .*\.csv/),
    });
    expect(await costs(admin, '2025-02-08', '2026-02-07')).toEqual(before);
    // The source shows the newest run. The first one stays in the list.
    const runs = await runsOf(admin, source.id);
    expect(runs).toHaveLength(failures.length + 2);
    expect(runs.at(-1)).toEqual(first);
    const last = expectData(await admin.get<Source>(`/cost-sources/${source.id}`)).last_run;
    expect(last).toEqual(runs[0]);
    // A corrected file loads again.
    await writeFile(location, good);
    expect(await ingest(admin, source.id)).toMatchObject({ status: 'completed', cost_total: 99 });
  });

  it('completes without poisoned rows, and later ingests of the organisation work as before', async () => {
    const location = newFile('poisoned.csv');
    const good = Array.from({ length: 3000 }, () => dayLine('2026-01-10', '0.01'));
    const poisoned = POISONED_FOCUS_ROWS.map(([row]) => dayLine('2026-01-10', '7', row));
    await writeFile(location, focusCsv([...good, ...poisoned]));
    const { admin, source, run } = await ingested(location);
    expect(run).toMatchObject({
      status: 'completed',
      rows_read: 3000 + poisoned.length,
      rows_rejected: poisoned.length,
      rows_left_out: 0,
      cost_total: 30,
    });
    expect((await costs(admin)).total).toBe(30);
    await writeFile(location, focusCsv(good.slice(0, 1000)));
    expect(await ingest(admin, source.id)).toMatchObject({ status: 'completed', rows_rejected: 0 });
    const other = await newSource(admin, await writeExport([dayLine('2026-01-11', '5')]), { name: 'Other' });
    expect(await ingest(admin, other.id)).toMatchObject({ status: 'completed' });
    expect((await costs(admin)).total).toBe(15);
  });

  it('tolerates one bad row in a hundred, counts it and shows a sample', async () => {
    const rows = Array.from({ length: 99 }, () => dayLine('2026-01-31', '1'));
    const { admin, run } = await ingested(await writeExport([...rows, dayLine('2026-01-31', '1,5')]));
    expect(run).toMatchObject({
      status: 'completed',
      rows_read: 100,
      rows_rejected: 1,
      rejected_samples: [{ problem: textLike(/"1,5"/), rows: 1 }],
      cost_total: 99,
    });
    expect((await costs(admin)).total).toBe(99);
  });

  it.runIf(THOROUGH)(
    'uses BilledCost for a period without EffectiveCost, with a note, or if an option sets it',
    async () => {
      const location = await writeExport([
        dayLine('2025-12-31', '0', { BilledCost: '8' }),
        dayLine('2026-01-31', '3', { BilledCost: '4' }),
        dayLine('2026-01-31', '0', { BilledCost: '100', ChargeCategory: 'Purchase' }),
      ]);
      const effective = await ingested(location);
      expect((await costs(effective.admin)).total).toBe(3);
      expect((await costs(effective.admin, '2025-12-31', '2025-12-31')).total).toBe(8);
      expect(effective.run.notes).toEqual([textLike(/2025-12.*BilledCost/)]);
      const billed = await ingested(location, { options: { cost_column: 'BilledCost' } });
      expect((await costs(billed.admin)).total).toBe(104);
      expect(billed.run.notes).toEqual([]);
    },
  );

  it.runIf(THOROUGH)('lists runs in pages, newest first', async () => {
    const { admin, source, run } = await ingested(await writeExport(JANUARY));
    const runs = [run, await ingest(admin, source.id), await ingest(admin, source.id)].reverse();
    const first = expectPage(await admin.get<Run[]>(`/cost-sources/${source.id}/runs?limit=2`));
    expect(first.items).toEqual(runs.slice(0, 2));
    const second = expectPage(
      await admin.get<Run[]>(`/cost-sources/${source.id}/runs?limit=2&cursor=${first.next ?? ''}`),
    );
    expect(second).toEqual({ items: runs.slice(2), next: null });
  });
});

describe('in Temporal', () => {
  it('every organisation and source has a schedule, which pauses, resumes and is deleted with it', async () => {
    const { id, admin } = await newOrganisation(service);
    const settlement = await temporal.client.schedule.getHandle(`settle/${id}`).describe();
    expect(settlement.state.paused).toBe(false);
    expect(settlement.action).toMatchObject({ workflowType: 'settleMonths' });
    const source = await newSource(admin, await writeExport([dayLine('2026-01-31', '5')]));
    const schedule = temporal.client.schedule.getHandle(ingestWorkflowId(id, source.id));
    const paused = async () => (await schedule.describe()).state.paused;
    expect(await paused()).toBe(false);
    await admin.patch(`/cost-sources/${source.id}`, { schedule_paused: true });
    expect(await paused()).toBe(true);
    await admin.patch(`/cost-sources/${source.id}`, { name: 'Still paused' });
    expect(await paused()).toBe(true);
    await admin.patch(`/cost-sources/${source.id}`, { schedule_paused: false });
    expect(await paused()).toBe(false);
    // A rejected source leaves no schedule.
    const repeated = { name: 'Still paused', kind: 'focus', location: source.location };
    expectError(await admin.post('/cost-sources', repeated), 409, /^name: /);
    const isAlone = async (): Promise<boolean> => {
      const scheduled: string[] = [];
      for await (const { scheduleId } of temporal.client.schedule.list())
        if (scheduleId.startsWith(ingestWorkflowId(id, ''))) scheduled.push(scheduleId);
      return scheduled.join() === ingestWorkflowId(id, source.id);
    };
    // Temporal lists a schedule a moment later.
    await waitFor(async () => ((await isAlone()) ? true : undefined));
    await admin.delete(`/cost-sources/${source.id}`);
    await expect(schedule.describe()).rejects.toThrow(/not found/i);
    const asleep = await newSource(admin, source.location, { schedule_paused: true });
    const second = temporal.client.schedule.getHandle(ingestWorkflowId(id, asleep.id));
    expect((await second.describe()).state.paused).toBe(true);
  });

  it('a triggered schedule runs the ingest, and its workflows can be found by organisation', async () => {
    const { id, admin } = await newOrganisation(service);
    const source = await newSource(admin, await writeExport([dayLine('2026-01-31', '5')]));
    await temporal.client.schedule.getHandle(ingestWorkflowId(id, source.id)).trigger();
    const run = await waitFor(async () =>
      (await runsOf(admin, source.id)).find(({ status }) => status !== 'running'),
    );
    expect(run).toMatchObject({ status: 'completed', cost_total: 5 });
    expect((await costs(admin)).total).toBe(5);
    // The list of workflows lags a little.
    const types = await waitFor(async () => {
      const found = new Set<string>();
      for await (const { type } of temporal.client.workflow.list({ query: `Organisation = "${id}"` })) {
        found.add(type);
      }
      return found.size === 3 ? found : undefined;
    });
    expect(types).toEqual(new Set(['ingestCosts', 'ingestCostsOnSchedule', 'raiseEvents']));
  });

  it('the history of a workflow has no rows and no secrets', async () => {
    const { id, source } = await ingested(await writeExport([dayLine('2026-01-31', '5')]));
    const handle = temporal.client.workflow.getHandle(ingestWorkflowId(id, source.id));
    const history = JSON.stringify(await handle.fetchHistory());
    expect(history.length).toBeLessThan(50_000);
    expect(history).not.toContain(Buffer.from('secret-of-the-test-bucket').toString('base64'));
  });
});

describe.skipIf(withoutHttpfs !== '')(`remote files${withoutHttpfs}`, () => {
  const csvOf = (account: string): Buffer =>
    Buffer.from(
      focusCsv(
        Array.from({ length: 500 }, (_, index) =>
          dayLine('2026-01-31', `0.${index % 10}`, { SubAccountId: account }),
        ),
      ),
    );
  const csv = csvOf('1111');
  const total = 225;
  let web: LocalServer;
  const webFiles = new Map<string, Buffer>();

  beforeAll(async () => {
    web = await serveFiles(webFiles);
    const parquet = newFile('remote.parquet');
    const local = newFile('remote.csv');
    await writeFile(local, csv);
    await writeTable(parquet, fromCsv(local));
    webFiles.set('/bill/export.csv', csv);
    webFiles.set('/bill/export.csv.gz', gzipSync(csv));
    webFiles.set('/bill/export.parquet', await readFile(parquet));
    // Equal files would count once.
    objects.set('billing/focus/2026-01/part-1.csv', csvOf('2222'));
    objects.set('billing/focus/2026-01/part-2.csv.gz', gzipSync(csvOf('3333')));
    objects.set('billing/focus/2026-01/part-3.parquet', await readFile(parquet));
    objects.set('billing/focus/2026-01/readme.txt', Buffer.from('no export'));
    objects.set('billing/other/part-9.csv', csv);
  });

  afterAll(() => web.close());

  const paths = ['export.csv', 'export.csv.gz', 'export.parquet', 'export.csv?sig=a%2Fb'];
  it.each(someOf(paths, 2))('are read from http://…/%s', async (name) => {
    const { admin, run } = await ingested(`${web.url}/bill/${name}`);
    expect(run).toMatchObject({ status: 'completed', rows_read: 500, error: null });
    expect((await costs(admin)).total).toBe(total);
  });

  it('fail the run if their URL returns an error, without its query in the message', async () => {
    const { run } = await ingested(`${web.url}/bill/missing.csv?sig=hidden-token`);
    expect(run).toMatchObject({ status: 'failed', error: textLike(/404|not found/i) });
    expect(run.error).not.toContain('hidden-token');
  });

  it('are retried while their host is away, with the error on the run, until it is back', async () => {
    let isAway = true;
    const host = await listenLocally((request, response) => {
      if (isAway) response.writeHead(503).end();
      else sendContent(request, response, csv);
    });
    const { admin } = await newOrganisation(service);
    const source = await newSource(admin, `${host.url}/bill/export.csv?sig=hidden-token`);
    expectData(await admin.post(`/cost-sources/${source.id}/ingest`));
    const newest = async () => (await runsOf(admin, source.id))[0];
    await vi.waitFor(
      async () => {
        expect(await newest()).toMatchObject({
          status: 'running',
          error: textLike(
            /^attempt \d+ failed: 127\.0\.0\.1:\d+ answered 503 for \/bill\/export\.csv; it will be retried$/,
          ),
        });
      },
      { timeout: WAIT_MS, interval: 100 },
    );
    isAway = false;
    await vi.waitFor(
      async () => {
        expect(await newest()).toMatchObject({ status: 'completed', rows_read: 500, error: null });
      },
      { timeout: WAIT_MS, interval: 200 },
    );
    await host.close();
  });

  it.runIf(THOROUGH)('of one organisation that hang do not delay another organisation', async () => {
    const waiting: (() => void)[] = [];
    const host = await listenLocally((request, response) => {
      waiting.push(() => {
        sendContent(request, response, csv);
      });
    });
    const { admin } = await newOrganisation(service);
    const sources = [];
    for (const name of ['a', 'b', 'c', 'd', 'e'])
      sources.push(await newSource(admin, `${host.url}/${name}.csv`, { name }));
    for (const { id } of sources) expectData(await admin.post(`/cost-sources/${id}/ingest`));
    await vi.waitFor(() => {
      expect(waiting).toHaveLength(2);
    }, WAIT_MS);
    const { run } = await ingested(await writeExport([dayLine('2026-01-10', '5')]));
    expect(run.status).toBe('completed');
    expect(waiting).toHaveLength(2);
    const release = setInterval(() => {
      for (const answer of waiting.splice(0)) answer();
    }, 10);
    for (const { id } of sources)
      await vi.waitFor(
        async () => {
          expect((await runsOf(admin, id))[0]).toMatchObject({ status: 'completed' });
        },
        { timeout: WAIT_MS, interval: 200 },
      );
    clearInterval(release);
    await host.close();
  });

  const targets: [string, RegExp][] = [
    ['http://10.0.0.7/secret.csv', /PRIVATE_TARGETS/],
    ['ftp://example.com/export.csv', /redirects to ftp:/],
  ];
  it.each(someOf(targets, 1))(
    'fail the run at once if their host redirects to %s',
    async (target, reason) => {
      const host = await listenLocally((_, response) => {
        response.writeHead(302, { location: target }).end();
      });
      const { run } = await ingested(`${host.url}/export.csv`);
      expect(run).toMatchObject({ status: 'failed', error: textLike(reason) });
      expect(host.requests).toHaveLength(1);
      await host.close();
    },
  );

  const keys: [string, number][] = [
    ['focus/2026-01/part-3.parquet', 1],
    ['focus/**/*.csv*', 2],
    ['focus/', 3],
  ];
  it.each(someOf(keys, 2))('are read from s3://billing/%s', async (key, parts) => {
    const { admin, run } = await ingested(`s3://billing/${key}`);
    expect(run).toMatchObject({ status: 'completed', rows_read: 500 * parts, error: null });
    expect((await costs(admin)).total).toBe(total * parts);
  });

  it('are read again when objects in S3 change', async () => {
    const { admin, source } = await ingested('s3://billing/other/*.csv');
    objects.set('billing/other/part-9.csv', Buffer.from(focusCsv([dayLine('2026-01-31', '1')])));
    objects.set('billing/other/part-10.csv', Buffer.from(focusCsv([dayLine('2026-01-30', '2')])));
    const run = await ingest(admin, source.id, { accept_shrink: true });
    expect(run).toMatchObject({ status: 'completed', cost_total: 3 });
    expect((await costs(admin)).total).toBe(3);
  });

  it('are those that a manifest names, and a manifest too large for reading fails the run', async () => {
    objects.set('billing/named/one.csv', Buffer.from(focusCsv([dayLine('2026-01-31', '1')])));
    objects.set('billing/named/two.csv', Buffer.from(focusCsv([dayLine('2026-01-30', '2')])));
    objects.set(
      'billing/named/x-Manifest.json',
      Buffer.from('{"dataFiles": ["s3://billing/named/two.csv"]}'),
    );
    const { admin, source, run } = await ingested('s3://billing/named/');
    expect(run).toMatchObject({ status: 'completed', cost_total: 2 });
    objects.set('billing/named/x-Manifest.json', Buffer.alloc(8 * 1024 * 1024 + 1));
    const asked = storage.requests.length;
    expect(await ingest(admin, source.id)).toMatchObject({
      status: 'failed',
      error: textLike(/x-Manifest\.json": a manifest has at most 8388608 bytes, got 8388609/),
    });
    const read = storage.requests
      .slice(asked)
      .filter(({ method, path }) => method === 'GET' && path.endsWith('-Manifest.json'));
    expect(read).toEqual([]);
  });

  it('fail the run if no object has the key or matches the glob', async () => {
    expect((await ingested('s3://billing/nothing/*.csv')).run).toMatchObject({
      status: 'failed',
      error: textLike(/no \.csv/),
    });
    expect((await ingested('s3://billing/nothing.csv')).run).toMatchObject({ status: 'failed' });
  });
});

describe('the real sample', () => {
  it('has a BilledCost of 20.520227 in September 2024', async () => {
    const { admin, run } = await ingested(SAMPLE, { options: { cost_column: 'BilledCost' } });
    expect(run).toMatchObject({ status: 'completed', rows_read: 1000, rows_rejected: 0 });
    const shown = await costs(admin, '2024-09-01', '2024-09-30');
    expect(shown.total).toBe(20.520227);
    const days = shown.by_day.reduce((sum, { total }) => sum + total, 0);
    expect(days).toBeCloseTo(shown.total, 4);
    expect(new Set(shown.by_account.map(({ cloud }) => cloud))).toEqual(new Set(['aws', 'azure', 'oci']));
  });
});
