import { mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { beforeAll, expect, it } from 'vitest';
import { WAIT_MS } from '../../support/patience.ts';
import { dayLine, focusCsv } from '../../support/exports/focus-export.ts';
import { startFakeS3 } from '../../support/fakes/fake-s3.ts';
import { createMetric, SALES } from '../../support/service/create.ts';
import {
  as,
  ingest,
  newIngestedSource,
  newOrganisation,
  type Api,
} from '../../support/service/api-client.ts';
import { expectData } from '../../support/service/envelope.ts';
import { newDataDir, runCommand } from '../../support/service/service-process.ts';
import { withService } from '../../support/service/with-service.ts';
import { openTemporal, runScheduled } from '../../support/service/temporal-client.ts';
import { fileSettings } from '../../support/warehouse/engines.ts';
import { withOpened } from '../../support/with-opened.ts';
import { OPERATOR } from '../../../domain/organisations/actor.ts';
import { Warehouse } from '../../../warehouse/engine/warehouse.ts';
import { closeOrganisation } from '../../../warehouse/organisations/deleted-organisations.ts';

/**
 * The nightly export, to a folder and to an object storage. It is 7 February 2026. Acme has a bill of 100 in December, and of 300
 * in January: 250 of Shop, and 50 that nobody owns.
 */
const BUCKET = 'team-data';
const KEY_ID = 'AKIDEXPORT';

let target: string;
const storage = withOpened(() => startFakeS3(objects, KEY_ID));
const objects = new Map<string, Buffer>();
let acme: { id: string; secret: string };
let bill: { file: string; source: string };

const SETTINGS = { CLOCK: '2026-02-07T06:00:00Z', PRIVATE_TARGETS: '127.0.0.1' };
const service = withService(async (dataDir) => {
  target = join(dataDir, 'target');
  // The operator lets a group read.
  await mkdir(target, { mode: 0o750 });
  return { ...SETTINGS, EXPORT_TO: target };
});
const storageSettings = (): Record<string, string> => ({
  ...SETTINGS,
  EXPORT_TO: `s3://${BUCKET}/costs/`,
  AWS_ACCESS_KEY_ID: KEY_ID,
  AWS_SECRET_ACCESS_KEY: 'secret',
  AWS_REGION: 'eu-central-1',
  AWS_ENDPOINT_URL_S3: storage.url,
});
const admin = (): Api => as(service, acme.secret);

beforeAll(async () => {
  acme = await newOrganisation(service, { tier: 'business' });
  const file = join(service.dataDir, 'bill.csv');
  await writeFile(
    file,
    focusCsv([
      dayLine('2025-12-31', '100'),
      dayLine('2026-01-05', '250'),
      dayLine('2026-01-31', '50', { SubAccountId: '2222' }),
    ]),
  );
  const source = { name: 'AWS', kind: 'focus', location: file, options: {} };
  bill = { file, source: await newIngestedSource(admin(), source) };
  const ownership = [{ source: 'cloud', cloud: 'aws', account: '1111' }];
  const team = expectData(await admin().post<{ id: string }>('/teams', { name: 'Shop' }));
  expectData(
    await admin().send('PUT', `/teams/${team.id}/ownership`, {
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ ownership }),
    }),
  );
  await createMetric(admin(), {}, [{ period: '2026-01-05', value: 600 }]);
  await createMetric(admin(), SALES, [{ period: '2026-01-05', value: 98_765.25 }]);
});

async function exportNow(): Promise<void> {
  const temporal = await openTemporal(service.dataDir);
  await runScheduled(temporal, `export/${acme.id}`);
  await temporal.close();
}

/** Returns the files below a folder by their relative path. */
async function filesOf(folder: string): Promise<Map<string, Buffer>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const paths = entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name));
  const files = new Map<string, Buffer>();
  for (const path of paths.sort()) files.set(relative(folder, path), await readFile(path));
  return files;
}

/** Runs a statement in a DuckDB of its own, as a data team does. */
async function query(sql: string): Promise<unknown[][]> {
  const connection = await (await DuckDBInstance.create()).connect();
  try {
    return (await connection.runAndReadAll(sql)).getRowsJson();
  } finally {
    connection.closeSync();
  }
}

const MONTHS = Array.from({ length: 13 }, (_, back) =>
  new Date(Date.UTC(2026, 1 - back, 1)).toISOString().slice(0, 7),
).sort();
/** The metric and the team have a row in each month, spend and values only where there are any. */
const PATHS = [
  ...MONTHS.map((month) => `bills/month=${month}/data.parquet`),
  ...MONTHS.map((month) => `months/month=${month}/data.parquet`),
  'spend/month=2025-12/data.parquet',
  'spend/month=2026-01/data.parquet',
  'values/month=2026-01/data.parquet',
];

it('writes a file for each kind and month, which a data team joins', async () => {
  await exportNow();
  const folder = join(target, acme.id);
  expect([...(await filesOf(folder)).keys()]).toEqual(PATHS);
  expect(
    await query(
      `SELECT month, x_Team, CAST(sum(EffectiveCost) AS DOUBLE) FROM read_parquet('${folder}/spend/*/*.parquet', hive_partitioning = true)
       GROUP BY ALL ORDER BY ALL`,
    ),
  ).toEqual([
    ['2025-12', 'Shop', 100],
    ['2026-01', 'Shop', 250],
    ['2026-01', null, 50],
  ]);
  // 300 over 600 orders; revenue is in no file.
  expect(
    await query(
      `SELECT m.metric_name, unit_cost, b.fully_loaded, v.value
       FROM read_parquet('${folder}/months/*/*.parquet', hive_partitioning = true) AS m
       JOIN read_parquet('${folder}/bills/*/*.parquet', hive_partitioning = true) AS b USING (month)
       LEFT JOIN read_parquet('${folder}/values/*/*.parquet', hive_partitioning = true) AS v USING (month, metric_id)
       WHERE month = '2026-01'`,
    ),
  ).toEqual([['Orders', '0.500000', '250.000000', '600.0000000000']]);
  // New files have the rights that the operator gave to the target.
  const file = join(folder, 'spend/month=2026-01/data.parquet');
  expect(((await stat(file)).mode & 0o777).toString(8)).toBe('640');
  expect(((await stat(join(folder, 'spend'))).mode & 0o777).toString(8)).toBe('750');
});

it('writes the same files again, without what a killed process has left', async () => {
  const folder = join(target, acme.id);
  const before = await filesOf(folder);
  const part = join(folder, 'spend/month=2026-01/data.parquet.1.part');
  await writeFile(part, 'half');
  await exportNow();
  expect(await filesOf(folder)).toEqual(before);
});

it('removes the file of a month that has lost its rows, and writes only what belongs to the organisation', async () => {
  await writeFile(bill.file, focusCsv([dayLine('2025-12-31', '0'), dayLine('2026-01-05', '250')]));
  expect(await ingest(admin(), bill.source, { accept_shrink: true })).toMatchObject({ status: 'completed' });
  const other = await newOrganisation(service, { tier: 'starter' });
  const temporal = await openTemporal(service.dataDir);
  await runScheduled(temporal, `export/${other.id}`);
  await temporal.close();
  await exportNow();
  const spend = [...(await filesOf(target)).keys()].filter((path) => path.includes('spend'));
  expect(spend).toEqual([`${acme.id}/spend/month=2026-01/data.parquet`]);
  expect(await readdir(join(target, acme.id, 'spend'))).toEqual(['month=2026-01']);
});

it('writes the same to an object storage, and nothing once the setting is gone', async () => {
  const local = await filesOf(join(target, acme.id));
  await service.stop();
  await service.start(storageSettings());
  for (const _ of ['once', 'again']) {
    await exportNow();
    const stored = [...objects].map(([path, content]) => [
      path.replace(`${BUCKET}/costs/${acme.id}/`, ''),
      content,
    ]);
    expect(new Map(stored.sort() as [string, Buffer][])).toEqual(local);
  }
  const puts = storage.requests.filter(({ method }) => method === 'PUT');
  expect(puts).toHaveLength(2 * local.size);

  await service.stop();
  await service.start(SETTINGS);
  const temporal = await openTemporal(service.dataDir);
  await expect
    .poll(() =>
      temporal.client.schedule
        .getHandle(`export/${acme.id}`)
        .describe()
        .then(
          () => 'there',
          () => 'gone',
        ),
    )
    .toBe('gone');
  await temporal.close();
});

it('goes with its organisation, whose deletion the next start completes if the process has died in it', async () => {
  objects.set(`${BUCKET}/costs/org_staying/spend/month=2026-01/data.parquet`, Buffer.from('a neighbour'));
  await service.stop();
  const warehouse = await Warehouse.open(fileSettings(service.dataDir));
  await closeOrganisation(warehouse, acme.id, { actor: OPERATOR, now: new Date('2026-02-07T06:00:00Z') });
  warehouse.close();
  const deletions = async (): Promise<string> => {
    const target = { DATA_DIR: service.dataDir, COST_ANALYTICS_URL: service.url };
    return (await runCommand(['org', 'deletions'], target)).stdout;
  };

  await service.start(storageSettings());
  await expect.poll(deletions, { timeout: WAIT_MS }).toContain('complete at 2026-02-07T06:00:00.000Z');
  expect([...objects.keys()]).toEqual([`${BUCKET}/costs/org_staying/spend/month=2026-01/data.parquet`]);
});

it('is checked by the doctor and at the start', async () => {
  const dataDir = await newDataDir();
  const doctor = async (environment: Record<string, string>): Promise<string> => {
    const { stdout } = await runCommand(['doctor'], {
      DATA_DIR: dataDir,
      PRIVATE_TARGETS: '127.0.0.1',
      ...environment,
    });
    return stdout.split('\n').find((line) => line.includes('EXPORT_TO')) ?? '';
  };
  expect(await doctor({})).toBe('');
  expect(await doctor({ EXPORT_TO: join(dataDir, 'target') })).toBe('ok      EXPORT_TO: can be written to');
  expect(await readdir(join(dataDir, 'target'))).toEqual([]);
  await writeFile(join(dataDir, 'file'), '');
  expect(await doctor({ EXPORT_TO: join(dataDir, 'file', 'below') })).toMatch(
    /^PROBLEM EXPORT_TO: cannot be written to: .*expected a folder that can be made, but a part of this path is a file/,
  );
  const before = objects.size;
  expect(await doctor(storageSettings())).toBe('ok      EXPORT_TO: can be written to');
  expect(objects.size).toBe(before);
  expect(await doctor({ ...storageSettings(), AWS_ACCESS_KEY_ID: 'stranger' })).toMatch(
    /^PROBLEM EXPORT_TO: cannot be written to: EXPORT_TO: 127\.0\.0\.1:\d+ answered 403 \(AccessDenied\) to PUT/,
  );
  for (const [given, expected] of [
    ['gs://bucket/x', 'EXPORT_TO: expected a folder, or s3://bucket/prefix, got the scheme "gs:"'],
    ['s3://', 'EXPORT_TO: expected a folder, or s3://bucket/prefix, got "s3://"'],
    [
      's3://bucket/../x',
      'EXPORT_TO: expected a folder, or s3://bucket/prefix without "." and "..", got "s3://bucket/../x"',
    ],
  ] as const) {
    const { code, stderr } = await runCommand(['start'], { DATA_DIR: dataDir, EXPORT_TO: given });
    expect([code, stderr]).toEqual([1, `cost-analytics: ${expected}\n`]);
  }
  await rm(dataDir, { recursive: true });
});
