import { describe, expect, it } from 'vitest';
import { detailedTable } from '../../support/exports/google-bill.ts';
import { startGoogle } from '../../support/fakes/bigquery/fake-google.ts';
import { filesWith } from '../../support/fakes/search-bytes.ts';
import { lacking } from '../../support/needs.ts';
import { ingest, newOrganisation } from '../../support/service/api-client.ts';
import { expectData, expectError } from '../../support/service/envelope.ts';
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
});
