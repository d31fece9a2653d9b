import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { refuseRepeatedKeys } from '../../../api/requests/repeated-keys.ts';
import { dayLine, focusCsv } from '../../support/exports/focus-export.ts';
import { startFakeBigQuery } from '../../support/fakes/bigquery/fake-bigquery.ts';
import { startOtlpReceiver } from '../../support/fakes/otlp-receiver.ts';
import { newReceiver } from '../../support/fakes/webhook-receiver.ts';
import { create, createMetric } from '../../support/service/create.ts';
import { ingest, newOrganisation, waitFor, type Api } from '../../support/service/api-client.ts';
import { expectData } from '../../support/service/envelope.ts';
import { importEnd, put } from '../../support/service/imports.ts';
import { newDataDir, removeDataDir } from '../../support/service/service-process.ts';
import { startProcess, type ServiceProcess } from '../../support/service/node-process.ts';
import { openTemporal, runScheduled } from '../../support/service/temporal-client.ts';
import { withOpened } from '../../support/with-opened.ts';

/** What a busy service writes to standard error until its end. */

/** A cell that is no cost, and one that is no value. Neither occurs anywhere else. */
const BAD_COST = 'grumpf-0815';
const BAD_VALUE = '12,34-zeta';
const TRACE_ID = '0af7651916cd43dd8448eb211c80319c';
const QUERY = 'SELECT day, n AS value FROM shop.orders WHERE day BETWEEN @start AND @end';

interface Line {
  level: string;
  time: string;
  msg: string;
  trace_id?: string;
  req?: { url: string };
  [field: string]: unknown;
}

const collector = withOpened(startOtlpReceiver);
const bigQuery = withOpened(startFakeBigQuery);
const receiver = withOpened(newReceiver);
let service: ServiceProcess;
let acme: { id: string; admin: Api };
let lines: Line[] = [];

const ofFailures = (): Line[] => lines.filter(({ msg }) => msg === 'failed for good');

const logOf = (kind: string): Promise<Line> =>
  waitFor(() => {
    lines = service
      .logs()
      .split('\n')
      .slice(0, -1)
      .map((text) => JSON.parse(text) as Line);
    return Promise.resolve(ofFailures().find((line) => line['kind'] === kind));
  });

beforeAll(async () => {
  const dataDir = await newDataDir();
  await mkdir(join(dataDir, 'target'));
  service = await startProcess({
    dataDir,
    environment: {
      CLOCK: '2026-02-07T06:00:00Z',
      PRIVATE_TARGETS: '127.0.0.1',
      BIGQUERY_API_ENDPOINT: bigQuery.url,
      EXPORT_TO: join(dataDir, 'target'),
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    },
  });
  acme = await newOrganisation(service);
});

afterAll(async () => {
  await service.stop();
  await removeDataDir(service.dataDir);
});

async function newSource(name: string, cost: string): Promise<string> {
  const location = join(service.dataDir, 'exports', `${name}.csv`);
  await writeFile(location, focusCsv([dayLine('2026-01-15', cost)]));
  const source = { name, kind: 'focus', location };
  return create(acme.admin, '/cost-sources', source);
}

describe('work that fails for good', () => {
  it('is one line for an ingest, with its reason and no cell', async () => {
    expect(await ingest(acme.admin, await newSource('good', '10.5'))).toMatchObject({ status: 'completed' });
    const source = await newSource('bad', BAD_COST);
    const run = await ingest(acme.admin, source);
    expect(run.error).toContain(BAD_COST);
    expect(await logOf('ingest')).toMatchObject({
      level: 'error',
      organisation: acme.id,
      source,
      run: run.run_id,
      reason: expect.stringMatching(/./) as string,
    });
  });

  it('is one line for an import, with its reason and no value', async () => {
    const columns = [
      { name: 'day', type: 'DATE' },
      { name: 'value', type: 'NUMERIC' },
    ];
    bigQuery.project.queries.set(QUERY, { columns, rows: () => [['2026-01-15', BAD_VALUE]] });
    const metric = await createMetric(acme.admin, { unit: 'one' });
    const { id: project_id } = bigQuery.project;
    const connection = { type: 'bigquery', project_id, query: QUERY, credentials: bigQuery.account.key };
    expectData(await put(acme.admin, `/metrics/${metric}/import`, connection));
    const { last_run: run } = await importEnd(acme.admin, metric);
    expect(run?.error).toContain(BAD_VALUE);
    expect(await logOf('import')).toMatchObject({
      organisation: acme.id,
      metric,
      run: run?.run_id,
      reason: 'query: 2026-01-15: value: expected a number, got …',
    });
  });

  it('is one line for a delivery', async () => {
    receiver.answer((response) => response.writeHead(410).end());
    const webhook = await create(acme.admin, '/webhooks', { url: receiver.url });
    expectData(await acme.admin.post(`/webhooks/${webhook}/test`));
    expect(await logOf('delivery')).toMatchObject({
      organisation: acme.id,
      webhook,
      reason: expect.stringContaining('410 Gone') as string,
    });
  });

  it('is one line for a nightly export', async () => {
    // A file lies where the folder was.
    await rm(join(service.dataDir, 'target'), { recursive: true });
    await writeFile(join(service.dataDir, 'target'), '');
    const temporal = await openTemporal(service.dataDir);
    await runScheduled(temporal, `export/${acme.id}`).catch((failed: unknown) => failed);
    await temporal.close();
    expect(await logOf('export')).toMatchObject({
      organisation: acme.id,
      reason: expect.stringMatching(/./) as string,
    });
  });
});

describe('the log of a busy service, up to its end', () => {
  it('leaves probes out, unless they fail', async () => {
    for (const path of ['/livez', '/readyz', '/metrics'])
      expect((await fetch(service.url + path)).ok).toBe(true);
    expect((await acme.admin.get('/health')).status).toBe(200);
    expect((await fetch(`${service.url}/api/v1/health`)).status).toBe(401);
    await acme.admin.send('GET', '/metrics', {
      headers: { traceparent: `00-${TRACE_ID}-b7ad6b7169203331-01` },
    });
    expect(await service.stop()).toBe(0);
    const texts = service.logs().split('\n');
    expect(texts.pop()).toBe('');
    lines = texts.map((text) => JSON.parse(text) as Line);
    const probes = lines.filter(({ req }) =>
      /^\/(livez|readyz|metrics|api\/v1\/health)$/.test(req?.url ?? ''),
    );
    expect(probes).toMatchObject([{ req: { url: '/api/v1/health' }, res: { statusCode: 401 } }]);
  });

  it('has lines of JSON with a level, a time and no key twice', () => {
    for (const text of service.logs().split('\n').slice(0, -1)) refuseRepeatedKeys(text);
    for (const { level, time } of lines) {
      expect(level).toMatch(/^(fatal|error|warn|info)$/);
      expect(time).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    }
    expect(service.logs()).not.toMatch(/"(err|error)":\{\}/);
  });

  it('names the trace of requests and of steps', () => {
    const request = lines.find(({ req }) => req?.url === '/api/v1/metrics');
    expect(request?.trace_id).toMatch(/^[0-9a-f]{32}$/);
    expect(lines.filter(({ trace_id }) => trace_id === TRACE_ID)).toMatchObject([
      { msg: 'request completed' },
    ]);
    for (const line of lines.filter(({ msg }) => msg === 'a step failed')) expect(line.trace_id).toMatch(/./);
  });

  it('has each failure once, and no cell of any', () => {
    expect(ofFailures().map(({ kind }) => kind)).toEqual(['ingest', 'import', 'delivery', 'export']);
    for (const cell of [BAD_COST, BAD_VALUE]) expect(service.logs()).not.toContain(cell);
  });
});
