import { describe, expect, it } from 'vitest';
import { detailedTable } from '../../support/exports/google-bill.ts';
import { startGoogle } from '../../support/fakes/bigquery/fake-google.ts';
import { filesWith } from '../../support/fakes/search-bytes.ts';
import { lacking } from '../../support/needs.ts';
import {
  as,
  ingest,
  newOrganisation,
  waitFor,
  type Api,
  type Run,
} from '../../support/service/api-client.ts';
import { create } from '../../support/service/create.ts';
import { expectData, expectError, expectPage } from '../../support/service/envelope.ts';
import { textLike } from '../../support/service/matchers.ts';
import { withService } from '../../support/service/with-service.ts';
import { withOpened } from '../../support/with-opened.ts';

/** A bill of Google in a table, through the real workflow. */

const TABLE = 'acme-billing.billing.gcp_billing_export_resource_v1_01AAAA_02BBBB_03CCCC';
const why = lacking('sqlglot');

describe.skipIf(why !== '')(`a source in BigQuery${why}`, () => {
  const google = withOpened(startGoogle);
  const service = withService(async () => {
    await google.tables.set(
      TABLE,
      detailedTable([
        { cost: '40.5', credits: ['-0.5'] },
        { from: '2026-01-11T05:00:00Z', to: '2026-01-11T06:00:00Z', cost: '2', project: 'lab' },
      ]),
    );
    return { CLOCK: '2026-02-07T06:00:00Z', BIGQUERY_API_ENDPOINT: google.bigQuery.url };
  });

  const source = (more: object = {}) => ({
    name: 'Google Cloud',
    kind: 'gcp_billing',
    location: `bigquery://${TABLE}`,
    credentials: { type: 'google', service_account: google.bigQuery.account.key },
    ...more,
  });

  it('is refused if it cannot be read, and stores nothing', async () => {
    const { admin } = await newOrganisation(service);
    const refusals: [object, RegExp][] = [
      [{ location: 'bigquery://billing.table' }, /^location: expected bigquery:\/\/project\.dataset\.table/],
      [{ kind: 'hosts' }, /^location: expected no table of BigQuery: only .* focus and gcp_billing/],
      [{ location: `bigquery://${TABLE}_2` }, /location: check the ids of the project.*Not found: Table/],
      [
        { credentials: { type: 's3', access_key_id: 'A', secret_access_key: 'b' } },
        /credentials\.type: expected "google"/,
      ],
      [{ options: { max_bytes: 1 } }, /options\.max_bytes: expected a whole number of bytes from 10485760/],
    ];
    for (const [more, expected] of refusals)
      expectError(await admin.post('/cost-sources', source(more)), 400, expected);
    expect(expectData(await admin.get('/cost-sources'))).toEqual([]);
    expect(google.bigQuery.project.started).toEqual([]);
  });

  it('is read with the service account that was stored, which nothing shows', async () => {
    const { admin } = await newOrganisation(service);
    const created = expectData(
      await admin.post<{ id: string; credentials: { hint: string } }>('/cost-sources', source()),
    );
    expect(created.credentials).toMatchObject({ type: 'google', hint: google.bigQuery.account.email });
    const run = await ingest(admin, created.id);
    expect(run).toMatchObject({
      status: 'completed',
      rows_read: 2,
      cost_total: 42,
      files_read: 1,
      months: ['2026-01'],
    });
    const costs = expectData(
      await admin.get<{ total: number }>('/costs?start_date=2026-01-01&end_date=2026-01-31'),
    );
    expect(costs.total).toBe(42);
    expect(await ingest(admin, created.id)).toMatchObject({
      status: 'completed',
      files_read: 0,
      files_unchanged: 1,
      bytes_read: 0,
    });
    const secret = (google.bigQuery.account.key['private_key'] ?? '').split('\n')[3] ?? '';
    expect(secret.length).toBeGreaterThan(20);
    expect(service.logs()).not.toContain(secret);
    expect(await filesWith(service.dataDir, [Buffer.from(secret)])).toEqual([]);
  });

  const JANUARY = '/costs?start_date=2026-01-01&end_date=2026-01-31';

  /** Connects a source to a table of its own. BigQuery sends each group of lines in a page of its own. */
  async function connectPaged(table: string) {
    await google.tables.set(table, detailedTable([{ cost: '40.5' }, { cost: '2', project: 'lab' }]));
    google.bigQuery.project.mostRowsPerPage = 1;
    const { admin, secret } = await newOrganisation(service);
    const id = await create(admin, '/cost-sources', source({ location: `bigquery://${table}` }));
    return { admin, secret, id };
  }
  const total = async (admin: Api) => expectData(await admin.get<{ total: number }>(JANUARY)).total;

  it('changes nothing if its service account is revoked between two pages', async () => {
    const table = `${TABLE}_REVOKED`;
    const { admin, id } = await connectPaged(table);
    expect(await ingest(admin, id)).toMatchObject({ status: 'completed', cost_total: 42.5 });
    await google.tables.set(table, detailedTable([{ cost: '1000' }, { cost: '2000', project: 'lab' }]));
    let results = 0;
    // The list of billing periods is read, and the first page of January's groups.
    google.bigQuery.instead = ({ kind }) => {
      if (kind === 'results' && ++results === 2) google.bigQuery.revoked = true;
      return undefined;
    };
    expect(await ingest(admin, id)).toMatchObject({
      status: 'failed',
      rows_read: 0,
      error: textLike(/^credentials: create a new key for the service account/),
    });
    expect(google.bigQuery.requests.at(-1)?.path).toContain('pageToken=');
    expect(await total(admin)).toBe(42.5);
    google.bigQuery.instead = null;
    google.bigQuery.revoked = false;
    expect(await ingest(admin, id)).toMatchObject({ status: 'completed', cost_total: 3000 });
    expect(await total(admin)).toBe(3000);
  });

  it('is billed once and counted once if the service is killed between two pages', async () => {
    const { admin, secret, id } = await connectPaged(`${TABLE}_KILLED`);
    const { started } = google.bigQuery.project;
    const before = started.length;
    const halfway = new Promise<void>((asked) => {
      google.bigQuery.instead = ({ url }) => {
        if (!url.searchParams.has('pageToken')) return undefined;
        asked();
        return 'silence';
      };
    });
    const { run_id } = expectData(await admin.post<{ run_id: string }>(`/cost-sources/${id}/ingest`));
    await halfway;
    await service.kill();
    const ofKilled = started.slice(before);
    // The list of billing periods, and January's groups.
    expect(ofKilled).toHaveLength(2);
    google.bigQuery.instead = null;
    await service.start();
    const after = as(service, secret);
    const run = await waitFor(async () => {
      const { items } = expectPage(await after.get<Run[]>(`/cost-sources/${id}/runs`));
      return items.find((one) => one.run_id === run_id && one.status !== 'running');
    });
    expect(run).toMatchObject({ status: 'completed', rows_read: 2, cost_total: 42.5, files_read: 1 });
    expect(await total(after)).toBe(42.5);
    // The next attempt reads both results, and starts only the list of what January can be divided by.
    const all = started.slice(before);
    expect(all.slice(0, 2)).toEqual(ofKilled);
    expect(all).toHaveLength(3);
    expect(new Set(all).size).toBe(3);
    expect(all.every((job) => job.startsWith(`cost-analytics-${run_id}-`))).toBe(true);
    expect(await ingest(after, id)).toMatchObject({ files_read: 0, files_unchanged: 1 });
  });
});
