import dns from 'node:dns';
import net from 'node:net';
import { inspect } from 'node:util';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { bigQueryClient } from '../../../../activities/shared/bigquery/client.ts';
import { checkQuery } from '../../../../activities/imports/bigquery/query-import.ts';
import type { FakeBigQuery, Fault } from '../../../support/fakes/bigquery/fake-bigquery.ts';
import { newServiceAccount } from '../../../support/fakes/bigquery/service-account.ts';
import { listenLocally } from '../../../support/fakes/file-server.ts';
import {
  closeShops,
  always,
  DAY,
  errorOf,
  ORDERS,
  orders,
  runOf,
  startShop,
  valueOf,
  valuesOf,
} from './shop-query.ts';

/** No error holds a credential, and no host but BigQuery's is called. */
afterEach(async () => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
  await closeShops();
});

/** Returns pieces of the key and of the tokens that were sent. */
function secretsOf(fake: FakeBigQuery): string[] {
  const { private_key = '' } = fake.account.key;
  const lines = private_key.split('\n').filter((line) => line.length > 20 && !line.startsWith('-----'));
  const tokens = [...fake.tokens].flatMap((token) => token.replace('Bearer ', '').split('.'));
  expect(lines.length).toBeGreaterThan(20);
  return [...lines, ...tokens, 'BEGIN PRIVATE KEY', 'Bearer eyJ'];
}

/** Everything that a log, a store or a debugger might show of an error. */
const shownOf = (error: Error): string =>
  [
    error.message,
    String(error),
    error.stack,
    JSON.stringify(error),
    inspect(error, {
      depth: 10,
      showHidden: true,
      getters: true,
      maxArrayLength: null,
      maxStringLength: null,
    }),
    inspect(error.cause, { depth: 10, showHidden: true }),
  ].join('\n');

function expectNoSecret(fake: FakeBigQuery, shown: string): void {
  for (const secret of secretsOf(fake)) expect(shown.includes(secret)).toBe(false);
}

describe('an error holds no part of the key or of a token', () => {
  const echo = (fake: FakeBigQuery): string =>
    `Rejected ${[...fake.tokens].join()} signed with ${fake.account.key['private_key'] ?? ''}`;

  const FAULTS: [string, (fake: FakeBigQuery) => Fault][] = [
    ...[400, 401, 403, 404, 409, 418, 429, 500, 501, 503].flatMap(
      (status): [string, (fake: FakeBigQuery) => Fault][] => [
        [`${status} that repeats both`, (fake) => ({ status, reason: 'authError', message: echo(fake) })],
        [`${status} with a page that repeats both`, (fake) => ({ status, body: `<p>${echo(fake)}</p>` })],
      ],
    ),
    ['a page instead of an answer', (fake) => ({ status: 200, body: `<p>${echo(fake)}</p>` })],
    ['another answer', (fake) => ({ status: 200, body: JSON.stringify({ status: echo(fake) }) })],
    ['an OAuth error', (fake) => ({ status: 401, body: JSON.stringify({ error: echo(fake) }) })],
    ['a cut', () => 'cut'],
    ['a cut answer', () => 'cut the answer'],
    ['silence', () => 'silence'],
  ];

  it.each(FAULTS)('after %s, of each request', async (what, fault) => {
    const fake = await startShop();
    for (const failing of ['dryRun', 'insert', 'job', 'results'] as const) {
      fake.instead = ({ kind }) => (kind === failing ? fault(fake) : undefined);
      const error = await valuesOf(fake, { jobId: `run-${failing}`, timeoutMs: 200 }).catch(
        (thrown: unknown) => thrown as Error,
      );
      expect(fake.tokens.size).toBeGreaterThan(0);
      // An insert whose answer is lost each time has started the job all the same.
      if (!(error instanceof Error)) expect([what, failing]).toEqual(['a cut answer', 'insert']);
      else {
        expect(error.cause).toBeUndefined();
        expectNoSecret(fake, shownOf(error));
      }
      const check = await checkQuery(runOf(fake, { timeoutMs: 200 })).catch((thrown: unknown) => thrown);
      expectNoSecret(fake, check instanceof Error ? shownOf(check) : JSON.stringify(check));
    }
  });

  it('after a failure of the job, of its rows, or of the key', async () => {
    const fake = await startShop();
    await valuesOf(fake);
    fake.project.failures.push({ status: 400, reason: 'invalidQuery', message: echo(fake) });
    const errors = [await errorOf(valuesOf(fake, { jobId: 'run-2' }))];
    expect(errors[0]?.message).toMatch(/^query: correct it, .*BigQuery: Rejected [… ]+ signed with …/);
    fake.project.queries.set(ORDERS, always([DAY, valueOf('FLOAT')], [['2026-01-01', null]]));
    errors.push(await errorOf(valuesOf(fake, { jobId: 'run-3' })));
    fake.revoked = true;
    errors.push(await errorOf(valuesOf(fake, { jobId: 'run-4' })));
    const { key } = fake.account;
    const wrong = { ...key, private_key: key['private_key']?.replace('\n', '\nAAAA') };
    errors.push(await errorOf(valuesOf(fake, { credentials: wrong })));
    errors.push(await errorOf(valuesOf(fake, { credentials: { ...key, universe_domain: 'evil.example' } })));
    await fake.close();
    errors.push(await errorOf(valuesOf(fake)));
    for (const error of errors) expectNoSecret(fake, shownOf(error));
  });

  it('which the search itself would find', async () => {
    const fake = await startShop();
    await valuesOf(fake);
    const [token = ''] = fake.tokens;
    const leak = Object.assign(new Error('x'), { config: { headers: new Map([['authorization', token]]) } });
    expect(() => {
      expectNoSecret(fake, shownOf(leak));
    }).toThrow();
    const hidden = new Error('x');
    Object.defineProperty(hidden, 'key', { value: fake.account.key, enumerable: false });
    expect(() => {
      expectNoSecret(fake, shownOf(hidden));
    }).toThrow();
  });
});

describe('no other host is called', () => {
  it('for a check and a run, whatever hosts the key and the environment name', async () => {
    const trap = await listenLocally((_request, response) => {
      response.end('{"access_token":"x","expires_in":3600}');
    });
    const fake = await startShop(orders, newServiceAccount('acme-analytics', trap.url));
    vi.stubEnv('BIGQUERY_EMULATOR_HOST', trap.url);
    vi.stubEnv('GCE_METADATA_HOST', new URL(trap.url).host);
    vi.stubEnv('METADATA_SERVER_DETECTION', 'assume-present');
    vi.stubEnv('GOOGLE_APPLICATION_CREDENTIALS', '/nowhere/key.json');
    vi.stubEnv('GOOGLE_CLOUD_PROJECT', 'other-project');
    vi.stubEnv('GOOGLE_CLOUD_UNIVERSE_DOMAIN', 'evil.example');
    const connect = vi.spyOn(net.Socket.prototype, 'connect');
    const lookup = vi.spyOn(dns, 'lookup');
    expect((await checkQuery(runOf(fake))).problems).toEqual([]);
    expect(await valuesOf(fake)).toHaveLength(31);
    const hosts = connect.mock.calls.map(([of]) => {
      // Node passes a list that begins with the options.
      const [options] = [of].flat() as unknown as [{ host?: string; port?: unknown }];
      return `${options.host ?? ''}:${String(options.port)}`;
    });
    expect(new Set(hosts)).toEqual(new Set([new URL(fake.url).host]));
    expect(lookup).not.toHaveBeenCalled();
    expect(trap.requests).toEqual([]);
    await trap.close();
  });

  it('by default but bigquery.googleapis.com, with a token for it', async () => {
    const { key } = newServiceAccount();
    const client = bigQueryClient(
      { projectId: 'acme', credentials: key },
      { signal: new AbortController().signal },
    );
    expect(client.url).toBe('https://bigquery.googleapis.com/bigquery/v2/projects/acme');
    const [, claims = ''] = (await client.authorization()).split('.');
    expect(JSON.parse(Buffer.from(claims, 'base64url').toString())).toEqual({
      iss: key['client_email'],
      sub: key['client_email'],
      scope: 'https://www.googleapis.com/auth/bigquery',
      iat: expect.any(Number) as unknown,
      exp: expect.any(Number) as unknown,
    });
  });

  it('with a key of another universe', async () => {
    const fake = await startShop();
    const credentials = { ...fake.account.key, universe_domain: 'evil.example' };
    expect((await checkQuery(runOf(fake, { credentials }))).problems).toEqual([
      'credentials: expected the JSON key of a service account, as Google Cloud creates it; its universe_domain must be googleapis.com',
    ]);
    expect(fake.requests).toEqual([]);
  });
});
