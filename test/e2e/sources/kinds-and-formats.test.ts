import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import Big from 'big.js';
import { beforeAll, describe, expect, it } from 'vitest';
import { SEED, THOROUGH } from '../../support/effort.ts';
import { BILL_KINDS, billInFormat, FILE_FORMATS } from '../../support/exports/bills/bill-in-format.ts';
import { detailedTable, focusTableOf, type GoogleCharge } from '../../support/exports/google-bill.ts';
import { startAzurite } from '../../support/fakes/buckets/azurite.ts';
import { startBucketServer } from '../../support/fakes/buckets/versitygw.ts';
import { newProject } from '../../support/fakes/bigquery/fake-bigquery.ts';
import { startGoogle } from '../../support/fakes/bigquery/fake-google.ts';
import { newServiceAccount } from '../../support/fakes/bigquery/service-account.ts';
import { lacking } from '../../support/needs.ts';
import { ingest, newOrganisation, type Api } from '../../support/service/api-client.ts';
import type { Checked } from '../../support/service/checks.ts';
import { create } from '../../support/service/create.ts';
import { expectData, expectError, expectPage } from '../../support/service/envelope.ts';
import { textLike } from '../../support/service/matchers.ts';
import { withService } from '../../support/service/with-service.ts';
import { withOpened } from '../../support/with-opened.ts';

/** Bills of each kind, in each format, at each location, through the real workflow, and two companies that read theirs at once. */

type Kind = keyof typeof BILL_KINDS;
type Company = 'acme' | 'globex';

const COMPANIES = ['acme', 'globex'] as const;
const otherOf = (company: Company): Company => (company === 'acme' ? 'globex' : 'acme');
const KINDS = Object.keys(BILL_KINDS) as Kind[];
const LOCATIONS = ['folder', 'upload', 's3', 'gs', 'az'] as const;
/** A table has no file format, and BigQuery has no bills of the other kinds. */
const TABLE_KINDS = ['focus', 'gcp_billing'] as const;
const NO_TABLE_KINDS = ['aws_cur', 'azure_cost', 'custom'] as const;

/** Each company has every second bill. Without THOROUGH, they are a third, in which each two of location, kind and format meet. */
const COMBINATIONS = LOCATIONS.flatMap((location, row) =>
  KINDS.flatMap((kind, column) =>
    FILE_FORMATS.map((format, place) => ({
      location,
      kind,
      format,
      company: COMPANIES[(row + column) % 2] ?? 'acme',
      isTried: THOROUGH || (row + column + place + SEED) % FILE_FORMATS.length === 0,
    })),
  ),
).filter(({ isTried }) => isTried);

/** The accounts of a bill begin with its name. */
const billOf = (account: string): string => account.split(' ')[0] ?? '';

const JANUARY = '/costs?start_date=2026-01-01&end_date=2026-01-31';

const why = lacking('extensions', 'versitygw', 'sqlglot');

describe.skipIf(why !== '')(`bills of each kind, format and location${why}`, () => {
  const azurite = withOpened(() => startAzurite(['acmebills', 'globexbills']));
  const server = withOpened(startBucketServer);
  const google = withOpened(startGoogle);
  const service = withService(() => ({
    CLOCK: '2026-02-07T06:00:00Z',
    PRIVATE_TARGETS: '127.0.0.1',
    // Each organisation has a folder of its own.
    SOURCE_ROOTS: '',
    BIGQUERY_API_ENDPOINT: google.bigQuery.url,
  }));
  const organisations = new Map<Company, { id: string; admin: Api; apiKey: string }>();
  const keys = new Map<Company, { keyId: string; secret: string }>();
  const stranger = newServiceAccount('globex-analytics');
  /** What each company should see of January, by the bill. */
  const expected = { acme: new Map<string, string>(), globex: new Map<string, string>() };

  beforeAll(async () => {
    for (const company of COMPANIES) {
      const { id, admin, secret } = await newOrganisation(service);
      organisations.set(company, { id, admin, apiKey: secret });
      keys.set(company, await server.newUser(`${company}-key-0001`, `${company}-bills`));
    }
    const project = newProject(stranger);
    project.tables = google.tables;
    project.permissions.delete('bigquery.tables.getData');
    google.bigQuery.neighbours.push({ project, account: stranger });
  });

  const of = (company: Company) => {
    const found = organisations.get(company);
    const key = keys.get(company);
    if (found === undefined || key === undefined) throw new Error('the companies come before their bills');
    return { ...found, ...key };
  };

  const bucket = (scheme: 's3' | 'gs') => ({
    root: (company: Company) => `${scheme}://${company}-bills`,
    put: (company: Company, path: string, content: Buffer) => server.put(`${company}-bills`, path, content),
  });
  /** Where a company's files lie, and what opens them. */
  const PLACES = {
    folder: {
      root: (company: Company) => join(service.dataDir, 'exports', of(company).id),
      put: async (company: Company, path: string, content: Buffer) => {
        const file = join(service.dataDir, 'exports', of(company).id, path);
        await mkdir(dirname(file), { recursive: true });
        await writeFile(file, content);
      },
      credentials: () => undefined,
    },
    s3: {
      ...bucket('s3'),
      credentials: (company: Company) => {
        const { keyId, secret } = of(company);
        return { type: 's3', access_key_id: keyId, secret_access_key: secret, endpoint: server.url };
      },
    },
    gs: {
      ...bucket('gs'),
      credentials: (company: Company) => {
        const { keyId, secret } = of(company);
        return { type: 'gcs', access_id: keyId, secret, endpoint: server.url };
      },
    },
    az: {
      root: (company: Company) => `az://${company}bills/exports`,
      put: (company: Company, path: string, content: Buffer) =>
        azurite.put(`${company}bills`, 'exports', path, content),
      credentials: (company: Company) => ({
        type: 'azure',
        sas_token: azurite.sasOf(`${company}bills`),
        endpoint: azurite.url,
      }),
    },
  } as const;

  const sourceOf = (name: string, kind: Kind, location: string, credentials: object | undefined) => ({
    name,
    kind,
    location,
    credentials,
    options: 'options' in BILL_KINDS[kind] ? BILL_KINDS[kind].options : {},
  });

  /** Looks at a source, connects it, reads it twice, and compares what each of them says. */
  const connect = async (
    company: Company,
    source: { name: string; kind: Kind; location: string },
    total: string,
    send?: (id: string) => Promise<void>,
  ): Promise<void> => {
    const { admin } = of(company);
    const { ok, problems, found } = expectData(await admin.post<Checked>('/cost-sources/check', source));
    expect({ ok, problems }).toEqual({ ok: true, problems: [] });
    const id = await create(admin, '/cost-sources', source);
    await send?.(id);
    const first = await ingest(admin, id);
    expect(first).toMatchObject({
      status: 'completed',
      error: null,
      months: ['2026-01'],
      rows_rejected: 0,
      files_read: 1,
      files_unchanged: 0,
      cost_total: Number(total),
    });
    // Of an upload, nothing has been sent yet.
    if (send === undefined) {
      expect(found).toMatchObject({
        files: source.location.startsWith('bigquery:') ? null : 1,
        months: first.months,
        currency: 'USD',
      });
      expect(new Set(found.accounts.map(billOf))).toEqual(new Set([source.name]));
    }
    expect(await ingest(admin, id)).toMatchObject({
      status: 'completed',
      months: [],
      files_read: 0,
      files_unchanged: 1,
      bytes_read: 0,
    });
    expected[company].set(source.name, total);
  };

  it.concurrent.each(COMBINATIONS)(
    '$kind as $format from $location',
    async ({ location, kind, format, company }) => {
      const name = `${location}-${kind}-${format}`;
      const content = await billInFormat(kind, format, name);
      const { total } = BILL_KINDS[kind];
      if (location === 'upload') {
        const path = (id: string) => `${service.url}/api/v1/cost-sources/${id}/files/bill.${format}`;
        await connect(company, sourceOf(name, kind, location, undefined), total, async (id) => {
          const headers = { 'x-api-key': of(company).apiKey };
          const sent = await fetch(path(id), { method: 'PUT', headers, body: new Uint8Array(content) });
          expect(sent.status).toBe(200);
        });
        return;
      }
      const { root, put, credentials } = PLACES[location];
      await put(company, `bills/${name}/bill.${format}`, content);
      await connect(
        company,
        sourceOf(name, kind, `${root(company)}/bills/${name}/`, credentials(company)),
        total,
      );
    },
  );

  /** Expects that a company may not look at a source and not connect it, and reads why. */
  const refuse = async (company: Company, source: object, says: RegExp): Promise<void> => {
    const { admin } = of(company);
    const { ok, problems, found } = expectData(await admin.post<Checked>('/cost-sources/check', source));
    expect({ ok, problems }).toEqual({ ok: false, problems: [textLike(says)] });
    expect(found).toMatchObject({ months: [], accounts: [], rows_estimate: null });
    expectError(await admin.post('/cost-sources', source), 400, says);
  };

  const tableOf = (kind: string) => `acme-analytics.billing.${kind}`;
  const accountOf = (company: Company) => ({
    type: 'google',
    service_account: (company === 'acme' ? google.bigQuery.account : stranger).key,
  });

  it.concurrent.each(TABLE_KINDS)('%s from a table of BigQuery', async (kind) => {
    const name = `bigquery-${kind}`;
    const charges: GoogleCharge[] = [
      { project: `${name} shop`, cost: '40.5', credits: ['-0.5', '-0.000001'] },
      {
        project: `${name} lab`,
        cost: '2.000003',
        from: '2026-01-31T05:00:00Z',
        to: '2026-01-31T06:00:00Z',
      },
    ];
    await google.tables.set(tableOf(kind), kind === 'focus' ? focusTableOf(charges) : detailedTable(charges));
    const source = sourceOf(name, kind, `bigquery://${tableOf(kind)}`, accountOf('acme'));
    // 40.5 − 0.5 − 0.000001 + 2.000003
    await connect('acme', source, '42.000002');
  });

  it.each(NO_TABLE_KINDS)('%s has no table in BigQuery', async (kind) => {
    const source = sourceOf('No table', kind, `bigquery://${tableOf('focus')}`, accountOf('acme'));
    await refuse(
      'acme',
      source,
      /^location: expected no table of BigQuery: only .* focus and gcp_billing can be one$/,
    );
  });

  /** What a company is told of the other's bucket. */
  const REFUSALS = {
    s3: /the key may not list the bucket \w+-bills: allow it s3:ListBucket/,
    gs: /the key may not list the bucket \w+-bills: allow it storage\.objects\.list/,
    az: /the storage account \w+bills refuses the sas_token or account_key: copy it again/,
  } as const;

  it.each(
    COMPANIES.flatMap((company) =>
      (['s3', 'gs', 'az'] as const).map((scheme) => ({ company, other: otherOf(company), scheme })),
    ),
  )('$company cannot read $scheme of $other', async ({ company, other, scheme }) => {
    const { admin } = of(company);
    const { root, credentials } = PLACES[scheme];
    const theirs = sourceOf('Theirs', 'focus', `${root(other)}/bills/**/*.csv`, credentials(company));
    const says = REFUSALS[scheme];
    await refuse(company, theirs, says);
    // A source is led there later.
    const own = { ...theirs, name: `${scheme} of ${company}`, location: `${root(company)}/bills/` };
    const id = await create(admin, '/cost-sources', own);
    expectData(await admin.patch(`/cost-sources/${id}`, { location: theirs.location }));
    expect(await ingest(admin, id)).toMatchObject({
      status: 'failed',
      rows_read: 0,
      error: textLike(says),
    });
    expectData(await admin.delete(`/cost-sources/${id}`));
  });

  it.each(COMPANIES)('%s cannot read the files that the other keeps or has sent', async (company) => {
    const { admin } = of(company);
    const other = otherOf(company);
    const theirs = sourceOf('Theirs', 'focus', `${PLACES.folder.root(other)}/bills/`, undefined);
    await refuse(company, theirs, /^location: .*SOURCE_ROOTS/);
    const sources = expectPage(
      await of(other).admin.get<{ id: string; location: string }[]>('/cost-sources'),
    );
    const upload = sources.items.find(({ location }) => location === 'upload')?.id ?? '';
    expect(upload).toMatch(/^src_/);
    expectError(await admin.get(`/cost-sources/${upload}/files`), 404);
    expectError(
      await admin.send('PUT', `/cost-sources/${upload}/files/bill.csv`, { body: 'a,b\n1,2\n' }),
      404,
    );
    expectError(await admin.post(`/cost-sources/${upload}/ingest`), 404);
  });

  it('globex cannot read the tables of acme', async () => {
    for (const kind of TABLE_KINDS) {
      const theirs = sourceOf('Theirs', kind, `bigquery://${tableOf(kind)}`, accountOf('globex'));
      await refuse(
        'globex',
        theirs,
        /grant the service account the role BigQuery Data Viewer on the data set/,
      );
    }
    expect(google.bigQuery.neighbours.flatMap(({ project }) => project.started)).toEqual([]);
  });

  it.each(COMPANIES)(
    '%s has its own sources and its own money, to the last digit, and nothing else',
    async (company) => {
      const { admin } = of(company);
      const { items } = expectPage(await admin.get<{ name: string }[]>('/cost-sources?limit=1000'));
      expect(items.map(({ name }) => name).sort()).toEqual([...expected[company].keys()].sort());
      const { total, by_account: accounts } = expectData(
        await admin.get<{ total: number; by_account: { account: string; total: number }[] }>(JANUARY),
      );
      const totals = new Map<string, Big>();
      for (const { account, total: cost } of accounts) {
        const bill = billOf(account);
        totals.set(bill, (totals.get(bill) ?? Big(0)).plus(cost));
      }
      expect(Object.fromEntries([...totals].map(([bill, cost]) => [bill, cost.toFixed()]))).toEqual(
        Object.fromEntries(expected[company]),
      );
      const sum = [...expected[company].values()].reduce((all, cost) => all.plus(cost), Big(0));
      expect(Big(total).toFixed()).toBe(sum.toFixed());
    },
  );
});
