import { execFileSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PRODUCT } from '../../docs/page.ts';
import { dayLine, focusCsv } from '../../support/exports/focus-export.ts';
import { startOtlpReceiver, type ReceivedSpan } from '../../support/fakes/otlp-receiver.ts';
import { create, createMetric, SALES } from '../../support/service/create.ts';
import { newOrganisation, waitFor, type Api, type Run } from '../../support/service/api-client.ts';
import { expectData, expectPage } from '../../support/service/envelope.ts';
import { withService } from '../../support/service/with-service.ts';
import { withOpened } from '../../support/with-opened.ts';

/** The traces of a service, as a collector receives them. */

/** A caller's own span, in the header that W3C defines. */
const CALLER = { traceId: '0af7651916cd43dd8448eb211c80319c', spanId: 'b7ad6b7169203331' };

const collector = withOpened(startOtlpReceiver);
const service = withService(() => ({
  CLOCK: '2026-02-07T06:00:00Z',
  OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
  OTEL_BSP_SCHEDULE_DELAY: '100',
}));
let organisation: { id: string; secret: string; admin: Api };

beforeAll(async () => {
  organisation = await newOrganisation(service);
});

afterAll(async () => {
  expect(await service.stop()).toBe(0);
});

const named = (name: string, traceId?: string): ReceivedSpan[] =>
  collector.spans.filter((span) => span.name === name && (traceId ?? span.traceId) === span.traceId);

const untilReceived = (name: string, traceId?: string): Promise<ReceivedSpan> =>
  waitFor(async () => named(name, traceId)[0]);

const childrenOf = ({ spanId }: ReceivedSpan): ReceivedSpan[] =>
  collector.spans.filter(({ parentSpanId }) => parentSpanId === spanId);

/** Returns the span that another lies below, at any distance. */
function isBelow(span: ReceivedSpan, above: ReceivedSpan): boolean {
  const parent = collector.spans.find(({ spanId }) => spanId === span.parentSpanId);
  return parent !== undefined && (parent === above || isBelow(parent, above));
}

/** Connects a source, and reads it in the name of a traced caller. Returns the run once it has ended. */
async function ingestTraced(name: string, file: string, traceId: string): Promise<Run> {
  const { admin } = organisation;
  const location = join(service.dataDir, file);
  const id = await create(admin, '/cost-sources', { name, kind: 'focus', location });
  const started = await admin.send<{ run_id: string }>('POST', `/cost-sources/${id}/ingest`, {
    headers: { traceparent: `00-${traceId}-${CALLER.spanId}-01`, 'content-type': 'application/json' },
    body: '{}',
  });
  const { run_id: runId } = expectData(started);
  return waitFor(async () =>
    expectPage(await admin.get<Run[]>(`/cost-sources/${id}/runs`)).items.find(
      (run) => run.run_id === runId && run.status !== 'running',
    ),
  );
}

describe('the trace of an ingest', () => {
  it('leads from the caller through the request and the workflow to activities and statements', async () => {
    await writeFile(join(service.dataDir, 'a-bill.csv'), focusCsv([dayLine('2026-01-31', '640.25')]));
    const run = await ingestTraced('Name of a source', 'a-bill.csv', CALLER.traceId);
    expect(run).toMatchObject({ status: 'completed', cost_total: 640.25 });

    const workflow = await untilReceived('RunWorkflow:ingestCosts', CALLER.traceId);
    const request = await untilReceived('POST /api/v1/cost-sources/:id/ingest');
    expect(request).toMatchObject({
      traceId: CALLER.traceId,
      parentSpanId: CALLER.spanId,
      attributes: {
        'http.request.method': 'POST',
        'http.route': '/api/v1/cost-sources/:id/ingest',
        'http.response.status_code': '200',
        'cost_analytics.organisation': organisation.id,
      },
      isError: false,
    });
    const ofRequest = childrenOf(request).map(({ name }) => name);
    expect(ofRequest).toContain('StartWorkflow:ingestCosts');
    expect(ofRequest).toContain('read cost_source_versions');
    expect(isBelow(workflow, request)).toBe(true);

    const load = await untilReceived('RunActivity:loadExport', CALLER.traceId);
    expect(isBelow(load, workflow)).toBe(true);
    const publish = await untilReceived('write loads', CALLER.traceId);
    expect(isBelow(publish, load)).toBe(true);
    expect(publish.attributes).toEqual({
      'db.system.name': 'duckdb',
      'db.operation.name': 'write',
      'db.collection.name': 'loads',
    });
    // Local activities have spans, too.
    expect(isBelow(await untilReceived('RunActivity:completeRun', CALLER.traceId), workflow)).toBe(true);
  });

  it('marks what fails, without the reason', async () => {
    const traceId = CALLER.traceId.replace('0a', '0b');
    const run = await ingestTraced('Another source', 'a-file-that-is-missing.csv', traceId);
    expect(run.error).toContain('a-file-that-is-missing.csv');
    expect(await untilReceived('RunActivity:loadExport', traceId)).toMatchObject({ isError: true });
    expect(await untilReceived('RunWorkflow:ingestCosts', traceId)).toMatchObject({ isError: true });
    expect(named('POST /api/v1/cost-sources/:id/ingest', traceId)).toMatchObject([{ isError: false }]);
  });
});

describe('the trace of a request with a body', () => {
  it('has the statements of its handler', async () => {
    const { admin } = organisation;
    const id = await createMetric(admin, { ...SALES, name: 'Name of a metric' }, [
      { period: '2026-01-31', value: 87_654_321.75 },
    ]);
    expectData(await admin.get(`/metrics/${id}/months`));
    expectData(await admin.get('/costs?start_date=2026-01-01&end_date=2026-01-31'));
    const request = await untilReceived('POST /api/v1/metrics/:id/values');
    const names = childrenOf(request).map(({ name }) => name);
    expect(names).toContain('write metric_value_changes');
    expect(names).toContain('commit');
    await untilReceived('GET /api/v1/costs');
  });

  it('holds no secret, no amount, no location and no name that a customer gave', () => {
    const text = collector.text();
    expect(text.includes('RunActivity:loadExport')).toBe(true);
    const ofCustomers = [
      organisation.secret.slice(-43),
      '87654321',
      '640.25',
      'Name of',
      'Another source',
      'a-bill.csv',
      'a-file-that-is-missing',
      service.dataDir,
      'start_date',
      'SELECT',
    ];
    expect(ofCustomers.filter((each) => text.includes(each))).toEqual([]);
  });
});

describe('a service without an endpoint for traces', () => {
  it('does not load the SDK', () => {
    const program = `
      import { createRequire } from 'node:module';
      await import('./dist/bin/service/service.js');
      const loaded = Object.keys(createRequire(import.meta.url).cache);
      console.log(loaded.filter((path) => /opentelemetry.(sdk|core|exporter|otlp)|interceptors-open/.test(path)).length, loaded.length);`;
    const [ofSdk, all] = execFileSync(process.execPath, ['--input-type=module', '--eval', program], {
      cwd: PRODUCT,
      encoding: 'utf8',
    })
      .trim()
      .split(' ')
      .map(Number);
    expect(all).toBeGreaterThan(100);
    expect(ofSdk).toBe(0);
  });
});
