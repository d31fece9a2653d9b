import { describe, expect, it } from 'vitest';
import { createMetric, SALES } from '../../support/service/create.ts';
import {
  as,
  inSession,
  newOrganisation,
  PAGE,
  signIn,
  waitFor,
  type Answer,
  type Api,
} from '../../support/service/api-client.ts';
import { sendMessage, toolCall } from '../../support/service/assistant-client.ts';
import { expectData, expectError, expectPage } from '../../support/service/envelope.ts';
import { anyText, textLike } from '../../support/service/matchers.ts';
import { ALLOWED, bodyType, pathOf, ROUTES } from '../../support/service/routes.ts';
import { withService } from '../../support/service/with-service.ts';

/** Pages of the service act by a cookie. It is 7 February 2026, 23:30 UTC. */
const service = withService({ CLOCK: '2026-02-07T23:30:00Z', LOG_LEVEL: 'trace' });

interface Key {
  id: string;
  secret: string;
  last_used_at: string | null;
}

const newKey = async (admin: Api, permission: string): Promise<Key> =>
  expectData(await admin.post<Key>('/keys', { name: permission, permission }));

const pageOf = async (secret: string): Promise<Api> => (await signIn(service, secret)).page;

interface AuditRecord {
  action: string;
  target: string;
  actor: object;
  detail: Record<string, unknown>;
}

const auditLog = async (admin: Api): Promise<AuditRecord[]> =>
  expectPage(await admin.get<AuditRecord[]>('/audit-log')).items;

interface Quota {
  limit: number;
  used: number;
  remaining: number;
}

const quotaOf = async (api: Api): Promise<Quota> =>
  expectData(await api.get<{ quota: Quota }>('/auth/info')).quota;

const rateLimits = ({ headers }: Answer<unknown>): string[] =>
  [...headers.keys()].filter((name) => name.startsWith('ratelimit'));

describe('a session', () => {
  it('signs in with a key, acts with its rights, and signs out', async () => {
    const { id, secret } = await newOrganisation(service, { name: 'Acme', tier: 'business' });
    const { answer, setCookie, cookie, page } = await signIn(service, secret);
    const signedIn = {
      organisation: { id, name: 'Acme', tier: 'business', currency: 'USD' },
      key: { id: textLike(/^key_/), name: 'First admin key', permission: 'admin', expires_at: null },
      expires_at: '2026-02-08T11:30:00.000Z',
      today: '2026-02-07',
    };
    expect(expectData(answer)).toEqual(signedIn);
    expect(setCookie).toMatch(
      /^cost_analytics_session=v1\.[\w.-]+; Max-Age=43200; Path=\/; HttpOnly; SameSite=Strict$/,
    );
    expect(cookie).not.toContain(secret.slice(-20));
    expect(expectData(await page.get('/session'))).toEqual(signedIn);

    expect(expectData(await page.patch('/organisation', { name: 'Acme Ltd' }))).toMatchObject({ id });
    expect(expectData(await page.get('/organisation'))).toMatchObject({ name: 'Acme Ltd' });
    const signedOut = await page.delete('/session');
    expect(expectData(signedOut)).toEqual({ signed_out: true });
    expect(signedOut.headers.get('set-cookie')).toMatch(/^cost_analytics_session=; Max-Age=0; Path=\/;/);
    for (const path of ['/organisation', '/session', '/auth/info'])
      expectError(await page.get(path), 401, /^session: it was signed out/);
    expectError(await inSession(service, '').get('/session'), 401, /^session: expected the cookie/);
    expectError(
      await inSession(service, '').get('/organisation'),
      401,
      /^X-API-Key or Authorization: Bearer: expected/,
    );
  });

  it('has a secure cookie if the page came over https', async () => {
    const { secret } = await newOrganisation(service);
    const { host } = new URL(service.url);
    for (const [headers, isSecure] of [
      [{ 'x-forwarded-proto': 'https' }, true],
      [{ 'x-forwarded-proto': 'https, http' }, true],
      [{ origin: `https://${host}` }, true],
      [{ origin: `http://${host}` }, false],
      [{ 'x-forwarded-proto': 'http' }, false],
    ] as const) {
      const { setCookie } = await signIn(service, secret, headers);
      expect([headers, setCookie?.split('; ').includes('Secure')]).toEqual([headers, isSecure]);
    }
  });

  it('needs a key that is valid and may read', async () => {
    const { admin, secret } = await newOrganisation(service);
    const revoked = await newKey(admin, 'read');
    const live = await pageOf(revoked.secret);
    expectData(await live.get('/organisation'));
    expectData(await admin.delete(`/keys/${revoked.id}`));
    expectError(await live.get('/organisation'), 401, /^session: this API key was revoked/);
    const ingest = await newKey(admin, 'metrics:ingest');
    for (const [key, status, message] of [
      [`${secret}x`, 401, /^key: this API key is not valid/],
      [`${secret.slice(0, -2)}__`, 401, /^key: this API key is not valid/],
      ['', 401, /^key: /],
      [revoked.secret, 401, /^key: this API key was revoked/],
      [ingest.secret, 403, /^key: .*read, write, admin.*metrics:ingest/],
    ] as const) {
      const { answer, setCookie } = await signIn(service, key);
      expectError(answer, status, message);
      expect(setCookie).toBeNull();
    }
    const anyone = inSession(service, '');
    expectError(await anyone.post('/session', {}), 400, /^key: expected/);
    expectError(await anyone.post('/session', { key: 5 }), 400, /^key: expected/);
    expectError(await anyone.post('/session', { key: secret, name: 'x' }), 400, /name: unknown field/);
    expectError(await anyone.post('/session', { key: 'x'.repeat(20_000) }), 413, /at most 16 KiB/);
  });

  it('may call the same routes as its key', async () => {
    const { admin } = await newOrganisation(service);
    const wrong: unknown[] = [];
    for (const permission of ['read', 'write', 'admin']) {
      const { secret } = await newKey(admin, permission);
      const page = await pageOf(secret);
      for (const route of ROUTES) {
        const sent =
          route.method === 'GET' || route.method === 'DELETE' ? {} : { body: '{}', headers: bodyType(route) };
        // One session has at most 50 calls a second.
        const status = await waitFor(async () => {
          const answer = await page.send(route.method, pathOf(route, 'none'), sent);
          return answer.status === 429 ? undefined : answer.status;
        });
        const isAllowed = ALLOWED[route.who].includes(permission);
        if (isAllowed ? ![200, 400, 404].includes(status) : status !== 403)
          wrong.push([permission, route.method, route.path, status]);
      }
    }
    expect(wrong).toEqual([]);
  });

  it('gives way to a key that is sent as well', async () => {
    const { admin } = await newOrganisation(service);
    const other = await newOrganisation(service);
    const { cookie } = await signIn(service, (await newKey(admin, 'read')).secret);
    const answer = await other.admin.get('/organisation', { cookie });
    expect(expectData(answer)).toMatchObject({ id: other.id });
    expectError(await as(service, 'wrong').get('/organisation', { cookie, ...PAGE }), 401, /^X-API-Key: /);
  });
});

describe('the quota', () => {
  it('is neither needed nor used by a session, which shows it and the last use of its key', async () => {
    const { admin, secret } = await newOrganisation(service, { tier: 'starter' });
    const reader = await newKey(admin, 'read'); // call 1
    for (let call = 2; call <= 100; call++) expectData(await admin.get('/organisation'));
    expectError(await admin.get('/organisation'), 429);
    expectError(await as(service, reader.secret).get('/organisation'), 429);

    const page = await pageOf(secret);
    const readers = await pageOf(reader.secret);
    for (const each of [page, readers]) {
      const answer = await each.get('/organisation');
      expectData(answer);
      expect(rateLimits(answer)).toHaveLength(3);
      expect(await quotaOf(each)).toMatchObject({ limit: 100, used: 100, remaining: 0 });
    }
    const { items } = expectPage(await page.get<Key[]>('/keys'));
    expect(items.map(({ id }) => id)).toContain(reader.id);
    await waitFor(async () => {
      const listed = expectPage(await page.get<Key[]>('/keys')).items.find(({ id }) => id === reader.id);
      return listed?.last_used_at === '2026-02-07T23:30:00.000Z' ? true : undefined;
    });
    const refused = await admin.get('/organisation');
    expectError(refused, 429, /Daily limit/);
    expect(rateLimits(refused)).toHaveLength(3);
    const metrics = await (await fetch(`${service.url}/metrics`)).text();
    expect(metrics).toMatch(/^api_calls_over_quota_total 3$/m);
  });

  it('of a session is 50 calls a second', async () => {
    const { secret } = await newOrganisation(service);
    const busy = await pageOf(secret);
    const other = await pageOf(secret);
    const begun = Date.now();
    const answers = await Promise.all(Array.from({ length: 200 }, () => busy.get('/health')));
    const seconds = Math.ceil((Date.now() - begun) / 1000);
    const refused = answers.filter(({ status }) => status !== 200);
    const admitted = answers.length - refused.length;
    expect(admitted).toBeGreaterThanOrEqual(50);
    expect(admitted).toBeLessThanOrEqual(50 * seconds);
    for (const answer of refused) {
      expectError(answer, 429, /^session: at most 50 calls a second/);
      expect(answer.headers.get('retry-after')).toBe('1');
      expect(rateLimits(answer)).toEqual([]);
    }
    expectData(await other.get('/health'));
    await waitFor(async () => ((await busy.get('/session')).status === 200 ? true : undefined));
  });
});

describe('a request with the cookie', () => {
  it('must come from a page of the service, and so must a sign-in by a browser', async () => {
    const { secret } = await newOrganisation(service);
    const { cookie } = await signIn(service, secret);
    const { host } = new URL(service.url);
    const send = (headers: Record<string, string>) =>
      inSession(service, cookie).get('/organisation', headers);
    const own: Record<string, string>[] = [
      {},
      { 'sec-fetch-site': 'same-origin' },
      { 'sec-fetch-site': 'none' },
      // A proxy may pass on another host. The browser knows better.
      { 'sec-fetch-site': 'same-origin', origin: 'https://costs.example.com' },
      { origin: `http://${host}` },
      { origin: `https://${host}` },
    ];
    const others: Record<string, string>[] = [
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
      { 'sec-fetch-site': 'cross-site', origin: `http://${host}` },
      { origin: 'https://evil.example.com' },
      { origin: 'http://127.0.0.1:1' },
      { origin: `http://${host}.example.com` },
      { origin: 'null' },
    ];
    for (const headers of own) {
      expectData((await signIn(service, secret, headers)).answer);
      expectData(await send(headers));
    }
    for (const headers of others) {
      const { answer, setCookie } = await signIn(service, secret, headers);
      expectError(answer, 403, /^Origin: .*another site/);
      expect(setCookie).toBeNull();
      expectError(await send(headers), 403, /^Origin: .*another site/);
    }
  });

  it('must carry the header of the pages', async () => {
    const { secret } = await newOrganisation(service);
    const { cookie } = await signIn(service, secret);
    for (const value of ['', 'XMLHttpRequest'])
      for (const [method, path] of [
        ['GET', '/organisation'],
        ['POST', '/keys'],
        ['GET', '/session'],
        ['DELETE', '/session'],
      ] as const) {
        const headers = { cookie, 'x-requested-with': value };
        expectError(
          await inSession(service, '').send(method, path, { headers }),
          401,
          /^X-Requested-With: expected "cost-analytics"/,
        );
      }
    expectData(await inSession(service, cookie).get('/session'));
  });

  it('is refused by the assistant and the operator', async () => {
    const { secret } = await newOrganisation(service);
    const { cookie } = await signIn(service, secret);
    const assistant = await sendMessage(service, { cookie, ...PAGE }, toolCall('get_overview'));
    expect(assistant.status).toBe(401);
    const operator = await fetch(`${service.url}/operator/organisations`, { headers: { cookie, ...PAGE } });
    expect(operator.status).toBe(401);
  });
});

describe('the audit log', () => {
  it('records who signed in and out, and what was changed and seen through a session', async () => {
    const { admin, secret } = await newOrganisation(service, { tier: 'business' });
    const { answer, page } = await signIn(service, secret);
    const { key } = expectData(answer);
    const sales = await createMetric(page, SALES, [{ period: '2026-01-05', value: 1_234.5 }]);
    // An admin sees revenue in a session as with the key.
    const seen = expectPage(await page.get<{ value: number }[]>(`/metrics/${sales}/values`)).items;
    expect(seen).toMatchObject([{ period: '2026-01-05', value: 1_234.5 }]);
    expect(expectData(await admin.get(`/metrics/${sales}/months`))).toEqual(
      expectData(await page.get(`/metrics/${sales}/months`)),
    );
    for (const permission of ['read', 'write']) {
      const other = await pageOf((await newKey(page, permission)).secret);
      expectError(await other.get(`/metrics/${sales}/values`), 403, /only admins see revenue/);
      expect(JSON.stringify((await other.get('/metrics')).body)).not.toContain('1234.5');
    }
    expectData(await page.delete('/session'));

    const records = (await auditLog(admin)).filter(({ target }) => target === sales || target === key.id);
    expect(records.map(({ action, detail }) => [action, detail['viewed'], detail['through']])).toEqual([
      ['signed_out', undefined, 'session'],
      ['viewed', 'months', 'session'],
      ['viewed', 'months', undefined],
      ['viewed', 'values', 'session'],
      ['values.change', undefined, 'session'],
      ['metric.create', undefined, 'session'],
      ['signed_in', undefined, undefined],
      ['key.create', undefined, undefined],
    ]);
    const actor = { type: 'key', id: key.id, name: 'First admin key' };
    for (const record of records.slice(0, -1)) expect(record.actor).toEqual(actor);
    const session_id = textLike(/^ses_/);
    expect(records[0]).toMatchObject({ target: key.id, detail: { session_id, through: 'session' } });
    expect(records[6]?.detail).toEqual({ session_id, expires_at: '2026-02-08T11:30:00.000Z' });
    expect(JSON.stringify(records)).not.toContain('1234.5');
  });

  it('names the session of every other change', async () => {
    const { admin, secret } = await newOrganisation(service);
    const page = await pageOf(secret);
    const { id } = await newKey(page, 'read');
    expectData(await page.delete(`/keys/${id}`));
    expectData(await page.patch('/organisation', { settle_days: 0 }));
    await createMetric(page, { frequency: 'monthly' });
    expectData(await page.post('/teams', { name: 'Search' }));
    const records = (await auditLog(admin)).slice(0, 5);
    expect(records.map(({ action, detail }) => [action, detail['through']])).toEqual(
      ['team.create', 'metric.create', 'organisation.update', 'key.revoke', 'key.create'].map((action) => [
        action,
        'session',
      ]),
    );
    expect(records[0]?.target).toEqual(anyText);
  });
});

it('no cookie and no key appears in the log, not even at its lowest level', async () => {
  const { secret } = await newOrganisation(service);
  const { cookie, page } = await signIn(service, secret);
  await page.get('/organisation');
  await inSession(service, `${cookie}x`).get('/organisation');
  expect(service.logs()).toContain('/api/v1/session');
  expect(service.logs()).not.toContain('cost_analytics_session');
  expect(service.logs()).not.toContain(cookie.slice(-40));
  expect(service.logs()).not.toContain(secret.slice(-43));
});
