import { createPrivateKey, generateKeyPairSync } from 'node:crypto';
import { afterEach, describe, expect, it } from 'vitest';
import { checkQuery, type QueryRun } from '../../../../activities/imports/bigquery/query-import.ts';
import type { FakeBigQuery } from '../../../support/fakes/bigquery/fake-bigquery.ts';
import type { FakeError } from '../../../support/fakes/bigquery/fake-project.ts';
import { newServiceAccount } from '../../../support/fakes/bigquery/service-account.ts';
import {
  closeShops,
  always,
  DAY,
  errorOf,
  LABEL,
  ORDERS,
  orders,
  runOf,
  startShop,
  valueOf,
} from './shop-query.ts';

afterEach(closeShops);

/** The check of a query import by a free dry run. */
const check = (fake: FakeBigQuery, changes: Partial<QueryRun> = {}) => checkQuery(runOf(fake, changes));

describe('the check of a query', () => {
  it('reports bytes and columns by one dry run, and starts no job', async () => {
    const fake = await startShop({ ...orders, bytes: 123_456_789 });
    expect(await check(fake)).toEqual({
      bytesProcessed: 123_456_789,
      columns: [
        { name: 'day', type: 'DATE' },
        { name: 'value', type: 'INTEGER' },
      ],
      problems: [],
    });
    expect(fake.project.dryRuns).toBe(1);
    expect(fake.project.started).toEqual([]);
    expect(fake.requests.map(({ method, path }) => `${method} ${path}`)).toEqual([
      'POST /bigquery/v2/projects/acme-analytics/jobs?prettyPrint=false',
    ]);
  });

  it('accepts a label on a metric with labels only', async () => {
    const fake = await startShop(always([DAY, LABEL, valueOf('NUMERIC')], []));
    expect(await check(fake, { labelled: true })).toMatchObject({ problems: [] });
    expect((await check(fake)).problems).toEqual([
      expect.stringMatching(/^query: expected no column "label"/),
    ]);
  });

  it('refuses another statement, further parameters and too many bytes, all from one dry run', async () => {
    const fake = await startShop({ ...orders, statementType: 'SCRIPT' });
    expect((await check(fake)).problems).toEqual([
      'query: expected one SELECT, got a script of several statements',
    ]);
    fake.project.queries.set(ORDERS, { ...orders, parameters: ['start', 'end', 'region'], bytes: 12e9 });
    expect(await check(fake)).toEqual({
      bytesProcessed: 12_000_000_000,
      columns: expect.any(Array) as unknown,
      problems: [
        'query: expected no parameters except @start and @end, got "region": write the values into the query',
        expect.stringMatching(
          /^query: expected at most 10 GB processed, got 11\.18 GB: select fewer columns/,
        ),
      ],
    });
    expect(fake.project.dryRuns).toBe(2);
  });

  it('refuses a query that BigQuery would run without its parameters', async () => {
    const query = 'SELECT day, value FROM shop.daily -- @start, @end';
    const fake = await startShop();
    fake.project.queries.set(query, { ...orders, parameters: [] });
    expect((await check(fake, { query })).problems).toEqual([
      'query: expected the parameters @start and @end, the first and the last day that a run reads; @start and @end are missing',
    ]);
  });

  it('refuses a repeated column, and an empty text without asking BigQuery', async () => {
    const fake = await startShop(always([DAY, { ...valueOf('INTEGER'), mode: 'REPEATED' }], []));
    expect((await check(fake)).problems).toEqual([expect.stringMatching(/got "ARRAY<INTEGER>"/)]);
    fake.requests.length = 0;
    expect((await check(fake, { query: ' ' })).problems).toEqual([
      'query: expected one SELECT, got an empty text',
    ]);
    expect(fake.requests).toEqual([]);
  });

  it('uses the connection’s location, and no cache', async () => {
    const fake = await startShop();
    const sent: unknown[] = [];
    const insert = fake.project.insert.bind(fake.project);
    fake.project.insert = (body) => {
      sent.push(body);
      return insert(body);
    };
    await check(fake, { location: 'europe-west3' });
    const parameter = (name: string, value: string) => ({
      name,
      parameterType: { type: 'DATE' },
      parameterValue: { value },
    });
    expect(sent).toEqual([
      {
        jobReference: { projectId: 'acme-analytics', location: 'europe-west3' },
        configuration: {
          dryRun: true,
          query: {
            query: ORDERS,
            useLegacySql: false,
            useQueryCache: false,
            parameterMode: 'NAMED',
            queryParameters: [parameter('start', '2026-01-01'), parameter('end', '2026-01-31')],
          },
        },
      },
    ]);
  });
});

describe('what BigQuery refuses is a problem that says what to do, and repeats BigQuery’s sentence', () => {
  const refusal = (status: number, reason: string, message: string): FakeError => ({
    status,
    reason,
    message,
  });

  it.each([
    [
      refusal(400, 'invalidQuery', 'Unrecognized name: dya at [1:8]'),
      'query: correct it, and try it in the BigQuery console (BigQuery: Unrecognized name: dya at [1:8])',
    ],
    [
      refusal(404, 'notFound', 'Not found: Table acme:shop.order was not found in location EU'),
      'check the names in the query, project_id and location (BigQuery: Not found: Table acme:shop.order was not found in location EU)',
    ],
    [
      refusal(
        403,
        'accessNotConfigured',
        'BigQuery API has not been used in project 1 before or it is disabled.',
      ),
      'enable the BigQuery API in the project (BigQuery: BigQuery API has not been used in project 1 before or it is disabled.)',
    ],
    [
      refusal(403, 'billingNotEnabled', 'Billing has not been enabled for this project.'),
      'enable billing for the project (BigQuery: Billing has not been enabled for this project.)',
    ],
    [
      refusal(403, 'forbidden', 'Request had insufficient authentication scopes.'),
      'grant the service account the missing permission (BigQuery: Request had insufficient authentication scopes.)',
    ],
    [
      refusal(400, 'invalid', 'Some\n\tnew\u0000 kind'),
      'correct the query or the connection (BigQuery: Some new kind)',
    ],
    [refusal(418, '', ''), 'correct the query or the connection (BigQuery: status 418)'],
  ])('%j', async (error, problem) => {
    const fake = await startShop({ ...orders, error });
    expect(await check(fake)).toEqual({ bytesProcessed: null, columns: [], problems: [problem] });
  });

  // The two messages that BigQuery has for a table over a file in Google Drive.
  it.each([
    'Access Denied: BigQuery BigQuery: Permission denied while getting Drive credentials.',
    'Access Denied: BigQuery BigQuery: Permission denied while globbing file pattern.',
  ])('says that a table over Google Sheets cannot be read, and what to do: %s', async (message) => {
    const fake = await startShop({ ...orders, error: refusal(403, 'accessDenied', message) });
    expect((await check(fake)).problems).toEqual([
      `query: it reads a table over Google Sheets or another file in Google Drive, which an import cannot read: copy the rows into a table of BigQuery, for example each day with a scheduled query, and read that table (BigQuery: ${message})`,
    ]);
  });

  it('names the role for a missing permission', async () => {
    const fake = await startShop();
    fake.project.permissions.delete('bigquery.tables.getData');
    expect((await check(fake)).problems).toEqual([
      expect.stringMatching(
        /^grant the service account the role BigQuery Data Viewer on the data \(BigQuery: Access Denied: Table acme-analytics:shop\.orders: /,
      ),
    ]);
    fake.project.permissions.delete('bigquery.jobs.create');
    expect((await check(fake)).problems).toEqual([
      'grant the service account the role BigQuery Job User on the project (BigQuery: Access Denied: Project acme-analytics: User does not have bigquery.jobs.create permission in project acme-analytics.)',
    ]);
    expect((await check(fake, { projectId: 'other-project' })).problems).toEqual([
      'check the names in the query, project_id and location (BigQuery: Not found: Project other-project)',
    ]);
  });

  it('cuts a long sentence', async () => {
    const fake = await startShop({ ...orders, error: refusal(400, 'invalidQuery', 'x'.repeat(5000)) });
    const [problem = ''] = (await check(fake)).problems;
    expect(problem).toContain(`(BigQuery: ${'x'.repeat(300)}…)`);
  });

  it('comes with the problems of the text', async () => {
    const fake = await startShop();
    expect((await check(fake, { query: 'SELEC @start' })).problems).toEqual([
      'query: correct it, and try it in the BigQuery console (BigQuery: Syntax error: Unexpected identifier "SELEC" at [1:1])',
      expect.stringMatching(/@end is missing$/),
    ]);
  });
});

/** Returns the PEM of a new RSA key. */
const rsaKey = (modulusLength: number): string =>
  generateKeyPairSync('rsa', { modulusLength })
    .privateKey.export({ type: 'pkcs8', format: 'pem' })
    .toString();

/** Returns a key of 2048 bits whose first factor has other bytes, and `bytes` of them. Signing with it would take as long. */
function forgedKey(bytes: number): string {
  const jwk = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({ format: 'jwk' });
  const p = Buffer.alloc(bytes, 0xff).toString('base64url');
  return createPrivateKey({ key: { ...jwk, p }, format: 'jwk' })
    .export({ type: 'pkcs8', format: 'pem' })
    .toString();
}

describe('a key', () => {
  it('that BigQuery rejects is a problem', async () => {
    const fake = await startShop();
    const problem = expect.stringMatching(
      /^credentials: create a new key for the service account if .* \(BigQuery: Request had invalid authentication credentials\./,
    ) as unknown;
    // Another key of the same account, which was deleted.
    const other = newServiceAccount();
    expect((await check(fake, { credentials: other.key })).problems).toEqual([problem]);
    const { private_key_id: id = '' } = fake.account.key;
    expect((await check(fake, { credentials: { ...other.key, private_key_id: id } })).problems).toEqual([
      problem,
    ]);
    expect((await check(fake)).problems).toEqual([]);
    fake.revoked = true;
    expect((await check(fake)).problems).toEqual([problem]);
    expect(fake.requests).toHaveLength(4);
  });

  it('that cannot sign is a problem, and nothing is sent', async () => {
    const fake = await startShop();
    const ec = generateKeyPairSync('ec', {
      namedCurve: 'P-256',
      privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
      publicKeyEncoding: { type: 'spki', format: 'pem' },
    });
    const broken = fake.account.key['private_key']?.replace(/\n[^\n]+\n/, '\n');
    for (const private_key of [
      ec.privateKey,
      broken,
      rsaKey(1024),
      forgedKey(512),
      '-----BEGIN PRIVATE KEY-----\nAA\n-----END PRIVATE KEY-----',
    ]) {
      expect((await check(fake, { credentials: { ...fake.account.key, private_key } })).problems).toEqual([
        expect.stringMatching(
          /^credentials: .* its private_key must be an RSA key of 2048 to 4096 bits in PEM/,
        ),
      ]);
    }
    expect((await check(fake, { credentials: { type: 'authorized_user' } })).problems).toHaveLength(1);
    expect((await check(fake, { projectId: '../other' })).problems).toEqual([
      'project_id: expected the id of a Google Cloud project, got "../other"',
    ]);
    expect((await check(fake, { location: 'EU&x=1' })).problems).toEqual([
      'location: expected a location such as "EU" or "europe-west3", got "EU&x=1"',
    ]);
    expect(fake.requests).toEqual([]);
  });
});

describe('an outage', () => {
  it.each([
    [429, 'rateLimitExceeded'],
    [403, 'rateLimitExceeded'],
    [403, 'quotaExceeded'],
    [400, 'jobInternalError'],
    [500, 'internalError'],
    [503, 'backendError'],
  ])('with status %i and reason %s is no problem of the import', async (status, reason) => {
    const fake = await startShop({ ...orders, error: { status, reason, message: 'Try again.' } });
    expect(await errorOf(check(fake))).toMatchObject({
      name: 'Outage',
      message: `BigQuery is not available (${status}): Try again.`,
    });
  });

  it('that ends within the client’s four tries is not noticed', async () => {
    const fake = await startShop();
    let left = 3;
    fake.instead = () =>
      left-- > 0 ? { status: 503, reason: 'backendError', message: 'Try again.' } : undefined;
    expect((await check(fake)).problems).toEqual([]);
    expect(fake.requests).toHaveLength(4);
    left = 4;
    expect(await errorOf(check(fake))).toMatchObject({ name: 'Outage' });
  });

  it('is an answer that breaks off, does not come, or no server', async () => {
    const fake = await startShop();
    const { host } = new URL(fake.url);
    for (const fault of ['cut', 'cut the answer'] as const) {
      fake.instead = () => fault;
      const error = await errorOf(check(fake));
      expect(error).toMatchObject({ name: 'Outage' });
      expect(error.message).toBe(`${host} cannot be reached (ECONNRESET)`);
    }
    fake.instead = () => 'silence';
    expect(await errorOf(check(fake, { timeoutMs: 50 }))).toMatchObject({
      name: 'Outage',
      message: `${host} did not answer within 0.05 s`,
    });
    await fake.close();
    expect(await errorOf(check(fake))).toMatchObject({
      name: 'Outage',
      message: `${host} cannot be reached (ECONNREFUSED)`,
    });
  });

  it('is a proxy’s page with a passing status; any other page is a wrong endpoint', async () => {
    const fake = await startShop();
    const { host } = new URL(fake.url);
    fake.instead = () => ({ status: 502, body: `<html>${[...fake.tokens].join()}</html>` });
    expect(await errorOf(check(fake))).toMatchObject({
      name: 'Outage',
      message: `BigQuery is not available (502): ${host} answered 502`,
    });
    for (const body of ['<html>Welcome</html>', '', '{"kind":"other"}', 'null', '[]']) {
      fake.instead = () => ({ status: 200, body });
      expect((await check(fake)).problems).toEqual([
        expect.stringMatching(`^${host} does not answer like BigQuery: `),
      ]);
    }
    fake.instead = () => ({ status: 401, body: '{"error":"invalid_client"}' });
    expect((await check(fake)).problems).toEqual([expect.stringMatching(/^credentials: /)]);
  });
});
