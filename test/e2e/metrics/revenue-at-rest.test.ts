import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { dayLine, focusCsv } from '../../support/exports/focus-export.ts';
import { filesWith, formsOf } from '../../support/fakes/search-bytes.ts';
import { ingest, newOrganisation, waitFor, type Api } from '../../support/service/api-client.ts';
import { expectData, expectError } from '../../support/service/envelope.ts';
import {
  newDataDir,
  removeDataDir,
  startService,
  type ServiceProcess,
} from '../../support/service/service-process.ts';
import { openTemporal } from '../../support/service/temporal-client.ts';

/**
 * A story with revenue, and then a search of everything that the service has stored for its numbers (spec §5, Revenue privacy
 * rule 1): files of the warehouse with its write-ahead log, of Temporal, of logs, and every column of every table.
 */

/** Values, and what derives from them: the sum of January, its margin after a cost of 400, the sum after a change. */
const NUMBERS = [7_654_321.25, 345_679.5, 8_000_000.75, 7_999_600.75, 7_654_444.25, 8_000_123.75];
/** A count, which is not private: the search finds it. */
const COUNT = 5_432_109.25;

let service: ServiceProcess;
let admin: Api;

const environment = { CLOCK: '2026-02-07T06:00:00Z', PRIVATE_TARGETS: '127.0.0.1' };

beforeAll(async () => {
  service = await startService({ dataDir: await newDataDir(), environment });
  ({ admin } = await newOrganisation(service, { tier: 'enterprise' }));
});

afterAll(async () => {
  await service.stop();
  await removeDataDir(service.dataDir);
});

const metricOf = async (more: object): Promise<string> => {
  const metric = { unit: 'USD', aggregation: 'total', frequency: 'daily', scope: { type: 'organisation' } };
  return expectData(await admin.post<{ id: string }>('/metrics', { ...metric, ...more })).id;
};

const maintain = async (): Promise<void> => {
  const temporal = await openTemporal(service.dataDir);
  const { client } = temporal;
  const schedule = client.schedule.getHandle('maintain-warehouse');
  const runs = async (): Promise<number> => (await schedule.describe()).info.numActionsTaken;
  const before = await runs();
  await schedule.trigger();
  await waitFor(async () => {
    const running = client.workflow.list({ query: `WorkflowId STARTS_WITH 'maintain-warehouse'` });
    for await (const { status } of running) if (status.name === 'RUNNING') return undefined;
    return (await runs()) > before ? true : undefined;
  });
  await temporal.close();
};

/** Returns the columns of the warehouse whose text contains any of some texts. */
const columnsWith = async (file: string, texts: readonly string[]): Promise<string[]> => {
  const instance = await DuckDBInstance.create(file, { access_mode: 'READ_ONLY' });
  const connection = await instance.connect();
  try {
    const columns = await connection.runAndReadAll(
      `SELECT table_name AS "table", column_name AS "column" FROM duckdb_columns() WHERE NOT internal`,
    );
    const found: string[] = [];
    for (const { table, column } of columns.getRowObjects() as { table: string; column: string }[]) {
      const has = texts.map((text) => `contains(CAST("${column}" AS VARCHAR), '${text}')`).join(' OR ');
      const { rowCount } = await connection.run(`FROM "${table}" WHERE ${has} LIMIT 1`);
      if (rowCount > 0) found.push(`${table}.${column}`);
    }
    return found;
  } finally {
    connection.closeSync();
    instance.closeSync();
  }
};

it('leaves no number of revenue in any file or table', async () => {
  const { dataDir } = service;
  const file = join(dataDir, 'aws.csv');
  await writeFile(file, focusCsv([dayLine('2026-01-01', '400'), dayLine('2026-01-31', '0')]));
  const source = { name: 'AWS', kind: 'focus', location: file };
  await ingest(admin, expectData(await admin.post<{ id: string }>('/cost-sources', source)).id);
  const sales = await metricOf({ name: 'Sales', kind: 'revenue', currency: 'USD', target: 1 });
  const orders = await metricOf({ name: 'Orders', target: 1 });
  const webhook = { url: 'http://127.0.0.1:9/', events: ['unit_cost.changed'] };
  expectData(await admin.post('/webhooks', webhook));
  const [first = 0, second = 0] = NUMBERS;
  const values = [{ period: '2026-01-05', value: first }];
  expectData(await admin.post(`/metrics/${sales}/values`, { values }));
  const count = { values: [{ period: '2026-01-05', value: COUNT }] };
  expectData(await admin.post(`/metrics/${orders}/values`, count));
  const upload = (body: string) =>
    admin.send('POST', `/metrics/${sales}/values/csv`, { headers: { 'content-type': 'text/csv' }, body });
  expectData(await upload(`2026-01-06,${second}\n`));
  expectError(await upload(`2026-01-06,${second}\n2026-13-06,${first}\n`), 400);
  expectData(await admin.post(`/metrics/${sales}/months/2026-01/lock`));
  const byHand = { headers: { 'content-type': 'application/json' }, body: '{"value": 7654444.25}' };
  expectData(await admin.send('PUT', `/metrics/${sales}/values/2026-01-05`, byHand));
  expectData(await admin.post(`/metrics/${sales}/months/2026-01/lock`));
  for (const path of ['', '/months', '/values', '/history', '/months/2026-01/versions'])
    expect((await admin.get(`/metrics/${sales}${path}`)).status).toBe(200);
  expectData(await admin.get('/overview'));

  const forms = NUMBERS.flatMap(formsOf);
  const findsTheCount = async (): Promise<void> => {
    expect((await filesWith(dataDir, formsOf(COUNT))).length).toBeGreaterThan(0);
  };
  // While it runs, and as a crash leaves it, with the write-ahead log.
  expect(await filesWith(dataDir, forms)).toEqual([]);
  await service.kill();
  expect(await filesWith(dataDir, forms)).toEqual([]);
  await findsTheCount();
  const crashed = service.logs();
  service = await startService({ dataDir, environment });
  await maintain();
  expect(await service.stop()).toBe(0);
  expect(await filesWith(dataDir, forms)).toEqual([]);

  const logs = crashed + service.logs();
  expect(logs).toContain('/metrics/');
  const texts = NUMBERS.flatMap((number) => [String(number), number.toFixed(2).replace('.', '')]);
  expect(texts.filter((text) => logs.includes(text))).toEqual([]);
  const warehouse = join(dataDir, 'warehouse.duckdb');
  expect(await columnsWith(warehouse, texts)).toEqual([]);
  expect(await columnsWith(warehouse, [String(COUNT)])).toContain('metric_value_changes.value');
});
