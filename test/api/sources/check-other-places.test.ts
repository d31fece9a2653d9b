import { describe, expect, it } from 'vitest';
import { parsePrivateTargets } from '../../../egress/requests/private-targets.ts';
import { detailedTable, type GoogleCharge } from '../../support/exports/google-bill.ts';
import { startGoogle } from '../../support/fakes/bigquery/fake-google.ts';
import { GITHUB_TOKEN, startFakeGitHub } from '../../support/fakes/vendors/fake-github.ts';
import { lacking } from '../../support/needs.ts';
import { checksOf } from '../../support/service/checks.ts';
import { startLocalApi } from '../../support/service/local-api.ts';
import { withOpened } from '../../support/with-opened.ts';

const privateTargets = parsePrivateTargets('127.0.0.1');

/** It is 7 February 2026. */
describe('a look at a vendor', () => {
  const github = withOpened(() => startFakeGitHub([{ day: '2026-02-05', gross: 2, net: 1.5 }]));
  const api = withOpened(() => startLocalApi({ privateTargets }));
  const { ask } = checksOf(api);

  it('asks only for the last days', async () => {
    const { secret } = await api.newTenant();
    const { data } = await ask(secret, {
      name: 'GitHub',
      kind: 'ai_tools',
      location: `${github.url}/organizations/acme`,
      options: { vendor: 'github' },
      credentials: { type: 'token', token: GITHUB_TOKEN },
    });
    expect(data).toMatchObject({
      ok: true,
      warnings: expect.arrayContaining([
        expect.stringMatching(/^the vendor names no repositories/),
      ]) as string[],
      found: { files: null, format: 'api', units: ['copilot'], last_day: '2026-02-06' },
    });
    // Both reports, of 4 to 6 February.
    expect(github.calls.map(({ query }) => query.get('day'))).toEqual(['4', '5', '6', '4', '5', '6']);
  });

  it('refuses what a new source cannot have', async () => {
    const { secret } = await api.newTenant();
    const source = { name: 'Bill', kind: 'focus', location: '/exports', currency: 'EUR' };
    expect(await ask(secret, source)).toMatchObject({
      status: 400,
      error: expect.stringMatching(/^currency: expected USD/) as string,
    });
  });
});

describe.skipIf(lacking('sqlglot') !== '')(`a look at a table of BigQuery${lacking('sqlglot')}`, () => {
  const google = withOpened(startGoogle);
  const api = withOpened(() => startLocalApi({ privateTargets, bigQueryEndpoint: google.bigQuery.url }));
  const { ask } = checksOf(api);

  const look = async (charges: readonly GoogleCharge[]) => {
    await google.tables.set('acme-billing.billing.export', detailedTable(charges));
    const { secret } = await api.newTenant();
    const { data } = await ask(secret, {
      name: 'Google Cloud',
      kind: 'gcp_billing',
      location: 'bigquery://acme-billing.billing.export',
      credentials: { type: 'google', service_account: google.bigQuery.account.key },
    });
    return data;
  };

  it('names all its months, and reads the newest two', async () => {
    expect(
      await look([
        { from: '2025-12-10T05:00:00Z', to: '2025-12-10T06:00:00Z', cost: '1' },
        { from: '2026-01-10T05:00:00Z', to: '2026-01-10T06:00:00Z', cost: '1' },
        { from: '2026-02-04T05:00:00Z', to: '2026-02-04T06:00:00Z', cost: '3' },
      ]),
    ).toMatchObject({
      ok: true,
      problems: [],
      found: {
        files: null,
        format: 'bigquery',
        months: ['2025-12', '2026-01', '2026-02'],
        accounts: ['shop'],
        first_day: '2025-12-10',
        last_day: '2026-02-04',
      },
    });
  });

  it('says what to change about a table of which only old months are there', async () => {
    expect(
      await look([{ from: '2025-11-10T05:00:00Z', to: '2025-11-10T06:00:00Z', cost: '1' }]),
    ).toMatchObject({
      ok: false,
      problems: [
        expect.stringMatching(/^the newest charge is of 2025-11-10, more than 40 days ago/) as string,
      ],
    });
  });
});
