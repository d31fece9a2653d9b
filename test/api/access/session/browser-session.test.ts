import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Sealer } from '../../../../security/sealing.ts';
import { as, inSession, signIn, type Answer, type Api } from '../../../support/service/api-client.ts';
import { expectData, expectError, expectPage } from '../../../support/service/envelope.ts';
import { scrape } from '../../../support/service/scrape.ts';
import { startLocalApi, type LocalApi } from '../../../support/service/local-api.ts';
import { openDuckDb, type TestWarehouse } from '../../../support/warehouse/engines.ts';
import { NOW } from '../../../support/warehouse/tenant.ts';

/** Browser sessions over time and over nodes. They begin on 7 February 2026, 06:00. */

const HOUR_MS = 3_600_000;
const OLD_KEY = Buffer.alloc(32, 1);
const NEW_KEY = Buffer.alloc(32, 2);

let shared: TestWarehouse;
let nodes: LocalApi[];
let now: Date;

const clock = { now: () => now };

async function startNode(sealer = new Sealer(OLD_KEY)): Promise<LocalApi> {
  const node = await startLocalApi({ clock, sealer, shared });
  nodes.push(node);
  return node;
}

function pass(ms: number): void {
  now = new Date(now.getTime() + ms);
}

beforeEach(async () => {
  shared = await openDuckDb();
  nodes = [];
  now = NOW;
});

afterEach(async () => {
  for (const node of nodes) await node.close();
  await shared.close();
});

describe('a session', () => {
  it('lasts twelve hours', async () => {
    const node = await startNode();
    const { secret } = await node.newTenant();
    const { answer, setCookie, page } = await signIn(node, secret);
    expect(expectData(answer)).toMatchObject({
      expires_at: '2026-02-07T18:00:00.000Z',
      today: '2026-02-07',
    });
    expect(setCookie).toContain('; Max-Age=43200;');
    pass(12 * HOUR_MS - 1);
    expectData(await page.get('/organisation'));
    expect(expectData(await page.get('/session'))).toEqual(expectData(answer));
    pass(1);
    const refused = /^session: it expired at 2026-02-07T18:00:00/;
    for (const path of ['/organisation', '/session']) expectError(await page.get(path), 401, refused);
    expectError(await page.delete('/session'), 401, refused);
    expectData(await as(node, secret).get('/organisation'));
  });

  it('ends with its key', async () => {
    const node = await startNode();
    const { orgId } = await node.newTenant();
    const secret = await node.newKey(orgId, { expires_at: '2026-02-07T06:01:30.000Z' });
    const { answer, setCookie, page } = await signIn(node, secret);
    expect(expectData(answer)).toMatchObject({ expires_at: '2026-02-07T06:01:30.000Z' });
    expect(setCookie).toContain('; Max-Age=90;');
    pass(89_999);
    expectData(await page.get('/organisation'));
    pass(1);
    expectError(await page.get('/organisation'), 401, /^session: .*expired/);
    expectError((await signIn(node, secret)).answer, 401, /^key: .*expired at 2026-02-07T06:01:30/);
  });

  it('shows the day of the clock, also after midnight', async () => {
    const node = await startNode();
    now = new Date('2026-02-07T23:30:00Z');
    const { page } = await signIn(node, (await node.newTenant()).secret);
    expect(expectData(await page.get('/session'))).toMatchObject({ today: '2026-02-07' });
    pass(HOUR_MS);
    expect(expectData(await page.get('/session'))).toMatchObject({ today: '2026-02-08' });
  });

  it('works on all nodes, and ends on all of them when it is signed out or its key is revoked', async () => {
    const [first, second] = [await startNode(), await startNode()];
    const { orgId, secret } = await first.newTenant();
    const one = await signIn(first, secret);
    const other = await signIn(second, secret);
    const onSecond = inSession(second, one.cookie);
    expectData(await onSecond.get('/organisation'));
    expect(expectData(await one.page.delete('/session'))).toEqual({ signed_out: true });
    for (const page of [onSecond, one.page]) {
      expectError(await page.get('/organisation'), 401, /^session: it was signed out/);
      expectError(await page.delete('/session'), 401, /^session: it was signed out/);
    }
    // Another session of the key goes on.
    expectData(await other.page.get('/organisation'));

    const third = await signIn(first, await first.newKey(orgId));
    const { id } = expectData(third.answer).key;
    expectData(await inSession(second, third.cookie).get('/organisation'));
    expectData(await other.page.delete(`/keys/${id}`));
    expectError(await third.page.get('/organisation'), 401, /^session: this API key was revoked/);
  });

  it('outlives a rotation of the master key, until the previous key is gone', async () => {
    const before = await startNode();
    const { cookie } = await signIn(before, (await before.newTenant()).secret);
    const during = await startNode(new Sealer(NEW_KEY, OLD_KEY));
    expectData(await inSession(during, cookie).get('/organisation'));
    const after = await startNode(new Sealer(NEW_KEY));
    expectError(await inSession(after, cookie).get('/organisation'), 401, /^session: .*not valid/);
  });
});

describe('the calls of a session', () => {
  /** Calls again for as long as the session has made 50 calls in the second. */
  const unhurried = async (page: Api | undefined): Promise<Answer<unknown>> => {
    for (;;) {
      const answer = await page?.get('/organisation');
      if (answer === undefined) throw new Error('expected a page');
      if (answer.status !== 429 || !answer.body.error.startsWith('session: at most 50')) return answer;
    }
  };
  /** The calls that a key of an organisation has left. */
  const left = async (node: LocalApi, secret: string): Promise<number | null> =>
    expectData(await as(node, secret).get<{ quota: { remaining: number | null } }>('/auth/info')).quota
      .remaining;

  it('are free up to ten times the daily limit, over all sessions, and then count', async () => {
    const node = await startNode();
    // 100 calls a day.
    const { secret } = await node.newTenant('starter');
    const pages = await Promise.all(
      Array.from({ length: 10 }, async () => (await signIn(node, secret)).page),
    );
    await Promise.all(
      pages.map(async (page) => {
        for (let call = 0; call < 100; call += 1) expectData(await unhurried(page));
      }),
    );
    expect(await left(node, secret)).toBe(99);
    expectData(await unhurried(pages[0]));
    expect(await left(node, secret)).toBe(97);
    for (let call = 0; call < 97; call += 1) expectData(await as(node, secret).get('/organisation'));
    const [page] = pages;
    if (page === undefined) throw new Error('expected a page');
    const refused = await unhurried(page);
    expectError(refused, 429, /^Daily limit of 100 API calls/);
    expect(refused.headers.get('retry-after')).toBe('64800');
    // Who is over the limit can sign out.
    expectData(await page.delete('/session'));
    pass(18 * HOUR_MS);
    expectData(await (await signIn(node, secret)).page.get('/organisation'));
    expect(await left(node, secret)).toBe(99);
  });
});

describe('sign-ins', () => {
  const recorded = async (node: LocalApi, secret: string): Promise<number> =>
    expectPage(await as(node, secret).get<unknown[]>('/audit-log?action=signed_in&limit=1000')).items.length;

  const signIns = async ({ url }: LocalApi, result: string): Promise<number | undefined> =>
    (await scrape(url)).value('cost_analytics_sign_ins_total', { result });

  it('of a key are limited to twenty a minute, and more leave no record', async () => {
    const node = await startNode();
    const { orgId, secret } = await node.newTenant();
    const other = await node.newKey(orgId);
    for (let attempt = 0; attempt < 20; attempt += 1) expectData((await signIn(node, secret)).answer);
    for (let attempt = 0; attempt < 5; attempt += 1) {
      const { answer } = await signIn(node, secret);
      expectError(answer, 429, /^key: at most 20 sign-ins a minute/);
      expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
      expect(Number(answer.headers.get('retry-after'))).toBeLessThanOrEqual(60);
    }
    expect(await recorded(node, secret)).toBe(20);
    // Other keys have a limit of their own.
    expectData((await signIn(node, other)).answer);
    expect(await signIns(node, 'signed_in')).toBe(21);
    expect(await signIns(node, 'limited')).toBe(5);
  });

  it('with wrong keys are limited for their address, and keep nobody out', async () => {
    const node = await startNode();
    const { secret } = await node.newTenant();
    const wrong = (last: string): string => secret.slice(0, -4) + last;
    for (let attempt = 0; attempt < 20; attempt += 1)
      expectError((await signIn(node, wrong(`AA${attempt + 10}`))).answer, 401);
    expectError((await signIn(node, wrong('AAAA'))).answer, 429, /^key: at most 20 sign-ins a minute/);
    expectData((await signIn(node, secret)).answer);
    expect(await recorded(node, secret)).toBe(1);
    expect(await signIns(node, 'refused')).toBe(20);
  });
});

describe('a cookie', () => {
  let node: LocalApi;
  let cookie: string;
  beforeEach(async () => {
    node = await startNode();
    ({ cookie } = await signIn(node, (await node.newTenant()).secret));
  });

  const refusals = async (value: string): Promise<void> => {
    const page: Api = inSession(node, `cost_analytics_session=${value}`);
    for (const path of ['/organisation', '/session', '/nothing'])
      expectError(await page.get(path), 401, /^session: the cookie cost_analytics_session is not valid/);
    expectError(await page.delete('/session'), 401);
  };

  it('is refused after any change', async () => {
    const value = cookie.slice('cost_analytics_session='.length);
    // The last character has spare bits, which a lenient decoder would ignore.
    const flipped = (at: number): string =>
      value.slice(0, at) + (value[at] === 'A' ? 'B' : 'A') + value.slice(at + 1);
    for (const at of [0, 5, 12, 40, 100, value.length - 1]) await refusals(flipped(at));
    for (const changed of [
      `${value}.more`,
      `${value}=`,
      value.slice(0, -1),
      value.toUpperCase(),
      '%E0%A4',
      'x',
    ])
      await refusals(changed);
  });

  it('is refused if it is empty or too long', async () => {
    await refusals('');
    await refusals('v1.'.padEnd(1_025, 'A'));
    await refusals('A'.repeat(8_000));
  });

  it('is refused if another master key, or the same one for another place, has sealed it', async () => {
    const text = JSON.stringify({
      id: 'ses_1',
      orgId: 'org_1',
      keyId: 'key_1',
      expiresAt: '2027-01-01T00:00:00.000Z',
    });
    const place = { orgId: 'browser sessions', record: 'cookie', field: 'browser session' };
    await refusals(new Sealer(NEW_KEY).seal(place, text));
    await refusals(new Sealer(OLD_KEY).seal({ ...place, field: 'webhook secret' }, text));
    await refusals(new Sealer(OLD_KEY).seal(place, '{}'));
    await refusals(new Sealer(OLD_KEY).seal(place, 'no JSON'));
  });

  it('of a key that a restored warehouse does not have is refused', async () => {
    const other = await startLocalApi({ clock, sealer: new Sealer(OLD_KEY) });
    expectError(
      await inSession(other, cookie).get('/organisation'),
      401,
      /^session: its key no longer exists/,
    );
    await other.close();
  });

  it('never appears in the log', async () => {
    const page = inSession(node, cookie);
    vi.spyOn(node.warehouse, 'transaction').mockRejectedValueOnce(new Error('no disk'));
    expectError(await page.delete('/session'), 500);
    expectData(await page.get('/session'));
    await inSession(node, `${cookie}x`).get('/organisation');
    const log = node.lines.join('');
    expect(log).toContain('"through":"session"');
    expect(log).not.toContain('cost_analytics_session');
    expect(log).not.toContain(cookie.slice(-40));
  });
});

describe('the cookie of a session', () => {
  it('is bound to its host over https, always if PUBLIC_URL is of https', async () => {
    const behindProxy = await startNode();
    const { secret } = await behindProxy.newTenant();
    const named = await startLocalApi({ clock, shared, publicUrl: new URL('https://costs.example.com') });
    nodes.push(named);
    for (const [node, headers] of [
      [behindProxy, { 'x-forwarded-proto': 'https' }],
      [named, {}],
    ] as const) {
      const { setCookie, page } = await signIn(node, secret, headers);
      expect(setCookie).toMatch(
        /^__Host-cost_analytics_session=v1\.[\w.-]+; Max-Age=43200; Path=\/; HttpOnly; Secure; SameSite=Strict$/,
      );
      expectData(await page.get('/organisation'));
      const { headers: cleared } = await page.delete('/session');
      expect(cleared.get('set-cookie')).toMatch(
        /^__Host-cost_analytics_session=; Max-Age=0; Path=\/;.*; Secure;/,
      );
    }
  });

  it('counts under its bound name, if another host of the domain has set the plain one', async () => {
    const node = await startNode();
    const { secret } = await node.newTenant();
    const { cookie } = await signIn(node, secret, { 'x-forwarded-proto': 'https' });
    expectData(await inSession(node, `cost_analytics_session=planted; ${cookie}`).get('/organisation'));
  });
});
