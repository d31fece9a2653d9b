import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { dayLine, focusCsv } from '../../support/exports/focus-export.ts';
import { startFakeBigQuery } from '../../support/fakes/bigquery/fake-bigquery.ts';
import { newReceiver } from '../../support/fakes/webhook-receiver.ts';
import { createMetric, SALES } from '../../support/service/create.ts';
import { ingest, newOrganisation, waitFor, type Api } from '../../support/service/api-client.ts';
import { expectData, expectPage } from '../../support/service/envelope.ts';
import { importEnd, importNow, put } from '../../support/service/imports.ts';
import { withService } from '../../support/service/with-service.ts';
import { openTemporal, runScheduled } from '../../support/service/temporal-client.ts';
import { withOpened } from '../../support/with-opened.ts';

/**
 * Histories hold ids, months and counts of rows, never amounts or cells (docs/workflows.md). It is 7 February 2026. Each pipeline
 * runs well and fails, with amounts and cells that occur nowhere else. Then every event of every history is searched for them.
 */

/** The bill of January has 200 rows, of which one has no cost that can be read. The sum of the others is 199 × 36.5041. */
const COST = '36.5041';
const TOTAL = 7264.3159;
const BAD_COST = 'quasi-4711';
/** A bill in which most rows cannot be read, so that nothing is loaded. */
const WORST_COST = 'grumpf-0815';
/** What a query returns: as a value that can be read, and as one that cannot. */
const VALUE = '98765.4321';
const BAD_VALUE = '12,34-zeta';
/** Where an endpoint redirects events. */
const REDIRECT = 'elena-kraus.example.com';
/** Revenue of the month. */
const REVENUE = 554_433.21;

const DATA = [COST, String(TOTAL), BAD_COST, WORST_COST, VALUE, BAD_VALUE, REDIRECT, String(REVENUE)];

/** What Temporal shows of the redirected delivery, once its first attempt has failed. */
const NOT_ACCEPTED = 'attemptDelivery failed (not_accepted)';

const bigQuery = withOpened(startFakeBigQuery);
const receiver = withOpened(newReceiver);
let acme: { id: string; admin: Api };

const QUERY = 'SELECT day, n AS value FROM shop.orders WHERE day BETWEEN @start AND @end';

const service = withService(async (dataDir) => {
  await mkdir(join(dataDir, 'target'));
  return {
    CLOCK: '2026-02-07T06:00:00Z',
    PRIVATE_TARGETS: '127.0.0.1',
    BIGQUERY_API_ENDPOINT: bigQuery.url,
    EXPORT_TO: join(dataDir, 'target'),
  };
});

const temporal = withOpened(() => openTemporal(service.dataDir));

beforeAll(async () => {
  acme = await newOrganisation(service);
});

async function newSource(name: string, costs: readonly string[]): Promise<string> {
  const location = join(service.dataDir, 'exports', `${name}.csv`);
  await writeFile(location, focusCsv(costs.map((cost) => dayLine('2026-01-15', cost))));
  return expectData(await acme.admin.post<{ id: string }>('/cost-sources', { name, kind: 'focus', location }))
    .id;
}

/** Returns all texts of a value: of its fields, and of the payloads, which are bytes. */
function textsOf(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  if (value instanceof Uint8Array) return [Buffer.from(value).toString()];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, field]) => [key, ...textsOf(field)]);
}

/** Returns the histories of all workflows, of closed and of open ones, and what Temporal shows of their activities. */
async function histories(): Promise<Map<string, string>> {
  const { client } = temporal;
  const found = new Map<string, string>();
  for (const query of ['', "TemporalNamespaceDivision = 'TemporalScheduler'"])
    for await (const { workflowId, runId, type, memo } of client.workflow.list({ query })) {
      const handle = client.workflow.getHandle(workflowId, runId);
      const { raw } = await handle.describe();
      const events = textsOf([
        await handle.fetchHistory(),
        raw.pendingActivities,
        raw.workflowExecutionInfo,
        memo,
      ]);
      found.set(`${type} ${workflowId} ${runId}`, events.join('\n'));
    }
  return found;
}

describe('the histories of all pipelines', () => {
  it('are made: an ingest with a rejected row, and one that fails', async () => {
    const good = await newSource('bill', [...Array<string>(199).fill(COST), BAD_COST]);
    const run = await ingest(acme.admin, good);
    expect(run).toMatchObject({ status: 'completed', rows_read: 200, rows_rejected: 1, cost_total: TOTAL });
    expect(JSON.stringify(run.rejected_samples)).toContain(BAD_COST);
    const bad = await newSource('wrong', [COST, WORST_COST]);
    const failed = await ingest(acme.admin, bad);
    expect(failed).toMatchObject({ status: 'failed', rows_rejected: 1, cost_total: null });
    expect(failed.error).toContain(WORST_COST);
  });

  it('are made: an import, and one that fails', async () => {
    const columns = [
      { name: 'day', type: 'DATE' },
      { name: 'value', type: 'NUMERIC' },
    ];
    let value = VALUE;
    bigQuery.project.queries.set(QUERY, { columns, rows: () => [['2026-01-15', value]] });
    const orders = await createMetric(acme.admin);
    const { id: project_id } = bigQuery.project;
    const connection = { type: 'bigquery', project_id, query: QUERY, credentials: bigQuery.account.key };
    expectData(await put(acme.admin, `/metrics/${orders}/import`, connection));
    expect((await importEnd(acme.admin, orders)).last_run).toMatchObject({ status: 'completed', rows: 1 });
    value = BAD_VALUE;
    const { last_run: failed } = await importNow(acme.admin, orders);
    expect(failed).toMatchObject({ status: 'failed' });
    expect(failed?.error).toContain(BAD_VALUE);
  });

  it('are made: a settlement, an export, and the maintenance', async () => {
    const sales = await createMetric(acme.admin, SALES);
    const values = [{ period: '2026-01-15', value: REVENUE }];
    expectData(await acme.admin.post(`/metrics/${sales}/values`, { values }));
    for (const schedule of [`settle/${acme.id}`, `export/${acme.id}`, 'maintain-warehouse'])
      await runScheduled(temporal, schedule);
  });

  it('are made: a delivery that is accepted, and one that is not', async () => {
    const created = await acme.admin.post<{ id: string }>('/webhooks', { url: receiver.url });
    const { id } = expectData(created);
    const deliveries = `/webhooks/${id}/deliveries`;
    const attempts = async () => JSON.stringify(expectPage(await acme.admin.get<object[]>(deliveries)).items);
    expectData(await acme.admin.post(`/webhooks/${id}/test`));
    await waitFor(async () => ((await attempts()).includes('"delivered"') ? true : undefined));
    receiver.answer((response) => {
      response.writeHead(302, { location: `https://${REDIRECT}/` }).end();
    });
    expectData(await acme.admin.post(`/webhooks/${id}/test`));
    await waitFor(async () => ((await attempts()).includes(REDIRECT) ? true : undefined));
  });

  it('have what they need, and no amount and no cell', async () => {
    const found = await waitFor(async () => {
      const now = await histories();
      return [...now.values()].some((text) => text.includes(NOT_ACCEPTED)) ? now : undefined;
    });
    const names = [...found.keys()].map((key) => key.split(' ')[0]);
    for (const name of ['ingestCosts', 'importMetricValues', 'settleMonths', 'exportData', 'deliverWebhook'])
      expect(names).toContain(name);
    const all = [...found.values()].join('\n');
    for (const known of [acme.id, '"rowsRead":200', '2026-01', 'loadExport failed (invalid)'])
      expect(all).toContain(known);
    const leaks = [...found].flatMap(([workflow, text]) =>
      DATA.filter((data) => text.includes(data)).map((data) => `${data} in ${workflow}`),
    );
    expect(leaks).toEqual([]);
  });
});
