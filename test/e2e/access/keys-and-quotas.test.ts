import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { create, createMetric } from '../../support/service/create.ts';
import {
  as,
  asOperator,
  ingest,
  newOrganisation,
  waitFor,
  type Answer,
  type Api,
} from '../../support/service/api-client.ts';
import { expectData, expectError, expectPage } from '../../support/service/envelope.ts';
import { THOROUGH } from '../../support/effort.ts';
import { dayLine, focusCsv } from '../../support/exports/focus-export.ts';
import { anyText, textLike } from '../../support/service/matchers.ts';
import { ALLOWED, bodyType, pathOf, ROUTES } from '../../support/service/routes.ts';
import { runCommand } from '../../support/service/service-process.ts';
import { withService } from '../../support/service/with-service.ts';

/** Keys, daily quotas and the isolation of organisations. The time is half an hour before midnight UTC. */
const EVENING = '2026-02-07T23:30:00Z';
const TO_MIDNIGHT_SECONDS = 1800;

const settingsAt = (clock: string) => ({ CLOCK: clock, LOG_LEVEL: 'trace' });
const service = withService(settingsAt(EVENING));
/** Every secret that the service has returned. */
const secrets: string[] = [];
/** The logs of every process of this file. */
const logs: string[] = [];

async function restart(clock: string): Promise<void> {
  expect(await service.stop()).toBe(0);
  logs.push(service.logs());
  await service.start(settingsAt(clock));
}

async function killAndRestart(clock: string): Promise<void> {
  await service.kill();
  logs.push(service.logs());
  await service.start(settingsAt(clock));
}

interface Key {
  id: string;
  name: string;
  permission: string;
  expires_at: string | null;
  last_used_at: string | null;
  revoked_at: string | null;
}

async function organisationWith(organisation: Parameters<typeof newOrganisation>[1] = {}) {
  const created = await newOrganisation(service, organisation);
  secrets.push(created.secret);
  return created;
}

async function newKey(
  admin: Api,
  key: { permission: string; name?: string; expires_at?: string | null },
): Promise<{ id: string; secret: string; api: Api }> {
  const answer = await admin.post<{ id: string; secret: string }>('/keys', { name: key.permission, ...key });
  const { id, secret } = expectData(answer);
  secrets.push(secret);
  return { id, secret, api: as(service, secret) };
}

interface AuthInfo {
  organisation: { id: string };
  key: Key;
  quota: { limit: number | null; used: number; remaining: number | null; resets_at: string };
}

const quotaOf = async (api: Api): Promise<AuthInfo['quota']> =>
  expectData(await api.get<AuthInfo>('/auth/info')).quota;

const rateLimit = ({ headers }: Answer<unknown>) =>
  ['limit', 'remaining', 'reset'].map((name) => headers.get(`ratelimit-${name}`));

describe('permissions and plans', () => {
  it('allow each route to the right keys, and errors name the permission of the key', async () => {
    const { admin } = await organisationWith();
    const keys = new Map<string, Api>([['admin', admin]]);
    for (const permission of ['read', 'write', 'metrics:ingest', 'usage:ingest']) {
      keys.set(permission, (await newKey(admin, { permission })).api);
    }
    const wrong: unknown[] = [];
    for (const route of ROUTES) {
      for (const [permission, api] of keys) {
        const body = route.method === 'GET' || route.method === 'DELETE' ? undefined : {};
        const options = body === undefined ? {} : { headers: bodyType(route), body: JSON.stringify(body) };
        const { status, body: answer } = await api.send(route.method, pathOf(route, 'none'), options);
        const allowed = ALLOWED[route.who].includes(permission);
        const fits = allowed ? [200, 400, 404].includes(status) : status === 403;
        const isExplained = allowed || new RegExp(`has ${permission}$`).test(answer.error);
        if (!fits || !isExplained) wrong.push([route.method, route.path, permission, status, answer]);
      }
    }
    expect(wrong).toEqual([]);
  });

  it('let a metrics:ingest key only post values and read /auth/info and /health', async () => {
    const { admin } = await organisationWith();
    const metric = await createMetric(admin);
    const { id, api } = await newKey(admin, { permission: 'metrics:ingest', name: 'Shop backend' });
    const posted = await api.post(`/metrics/${metric}/values`, {
      values: [{ period: '2026-02-01', value: 7 }],
    });
    expect(expectData(posted)).toEqual({
      created: 1,
      replaced: 0,
      unchanged: 0,
      rounded: 0,
      months: ['2026-02'],
    });
    expect(expectData(await api.get<AuthInfo>('/auth/info')).key).toEqual({
      id,
      name: 'Shop backend',
      permission: 'metrics:ingest',
      expires_at: null,
    });
    expectData(await api.get('/health'));
    for (const path of ['values', 'history', 'months', 'months/2026-02/versions']) {
      expectError(await api.get(`/metrics/${metric}/${path}`), 403);
    }
    expectError(await api.get(`/metrics/${metric}`), 403);
    expectError(await api.get('/metrics'), 403);
    expectError(await api.get('/nothing'), 404);
    const [change] = expectPage(
      await admin.get<{ changed_by: object }[]>(`/metrics/${metric}/history`),
    ).items;
    expect(change?.changed_by).toEqual({ type: 'key', id, name: 'Shop backend' });
  });

  it('allow unit economics from Professional on, and the other routes on any plan', async () => {
    const starter = (await organisationWith({ tier: 'starter' })).admin;
    const professional = (await organisationWith({ tier: 'professional' })).admin;
    for (const route of ROUTES) {
      const path = pathOf(route, 'none');
      const options = route.body === true ? { headers: bodyType(route), body: '{}' } : {};
      const answer = await starter.send(route.method, path, options);
      if (route.unitEconomics) expectError(answer, 403, /Unit economics.*Professional.*Starter/);
      else expect([200, 400, 404]).toContain(answer.status);
      const other = await professional.send(route.method, path, options);
      expect({ path, status: other.status, open: [200, 400, 404].includes(other.status) }).toMatchObject({
        open: true,
      });
    }
  });
});

describe('keys', () => {
  it('have a name, a permission and an optional expiry, and are listed', async () => {
    const { admin } = await organisationWith();
    const answer = await admin.post<Key & { secret: string; created_at: string }>('/keys', {
      name: '  Nightly job ',
      permission: 'write',
      expires_at: '2026-03-01T01:00:00+01:00',
    });
    const key = expectData(answer);
    secrets.push(key.secret);
    expect(key).toEqual({
      id: textLike(/^key_/),
      name: 'Nightly job',
      permission: 'write',
      expires_at: '2026-03-01T00:00:00.000Z',
      created_at: '2026-02-07T23:30:00.000Z',
      last_used_at: null,
      revoked_at: null,
      secret: anyText,
    });
    expectError(await admin.post('/keys', { name: 'x' }), 400, /^permission: expected/);
    expectError(await admin.post('/keys', { permission: 'read' }), 400, /^name: expected/);
    for (const expires_at of ['2026-02-07T23:30:00Z', '2020-01-01T00:00:00Z', 'tomorrow', '2026-03-01', 5]) {
      expectError(
        await admin.post('/keys', { name: 'x', permission: 'read', expires_at }),
        400,
        /^expires_at: expected/,
      );
    }
    const { items } = expectPage(await admin.get<Key[]>('/keys'));
    expect(items.map(({ name, permission }) => [name, permission])).toEqual([
      ['First admin key', 'admin'],
      ['Nightly job', 'write'],
    ]);
    // The list shows the last use of a key.
    await as(service, key.secret).get('/health');
    const used = await waitFor(async () => {
      const [, second] = expectPage(await admin.get<Key[]>('/keys')).items;
      return second?.last_used_at ?? undefined;
    });
    expect(used).toBe('2026-02-07T23:30:00.000Z');
  });

  it('are rejected as soon as they are revoked, even by themselves, and stay in the list', async () => {
    const { admin } = await organisationWith();
    const { id, api } = await newKey(admin, { permission: 'write' });
    const second = await newKey(admin, { permission: 'admin' });
    expectData(await api.get('/organisation'));
    const revoked = expectData(await admin.delete<Key>(`/keys/${id}`));
    expect(revoked).toMatchObject({ id, revoked_at: '2026-02-07T23:30:00.000Z' });
    expect(revoked).not.toHaveProperty('secret');
    const after = await Promise.all(Array.from({ length: 20 }, () => api.get('/organisation')));
    for (const answer of after) expectError(answer, 401, /revoked/);
    // A second revocation changes nothing.
    expectData(await admin.delete(`/keys/${id}`));
    expectData(await second.api.delete(`/keys/${second.id}`));
    expectError(await second.api.get('/health'), 401);
    const { items } = expectPage(await admin.get<Key[]>('/keys'));
    expect(items.map(({ revoked_at }) => revoked_at !== null)).toEqual([false, true, true]);
    const { items: records } = expectPage(
      await admin.get<{ action: string; target: string; actor: object }[]>('/audit-log'),
    );
    expect(records.map(({ action, target }) => [action, target])).toMatchObject([
      ['key.revoke', second.id],
      ['key.revoke', id],
      ['key.create', second.id],
      ['key.create', id],
      ['key.create', anyText],
      ['organisation.create', anyText],
    ]);
    expect(records[0]?.actor).toMatchObject({ type: 'key', id: second.id });
    expect(records.at(-1)?.actor).toMatchObject({ type: 'operator' });
  });

  it('fail in every request that starts after their revocation was answered', async () => {
    const { admin } = await organisationWith();
    const { id, api } = await newKey(admin, { permission: 'read' });
    let revoked = false;
    const late: number[] = [];
    const callers = Array.from({ length: 8 }, async () => {
      for (let calls = 0; calls < 40; calls++) {
        const startedAfter = revoked;
        const { status } = await api.get('/organisation');
        if (startedAfter) late.push(status);
      }
    });
    await admin.delete(`/keys/${id}`);
    revoked = true;
    await Promise.all(callers);
    expect(late.length).toBeGreaterThan(0);
    expect(new Set(late)).toEqual(new Set([401]));
  });

  it('cannot be revoked if no other admin key is active, even if two admins race', async () => {
    const { admin } = await organisationWith({ name: 'Lonely' });
    const first = expectData(await admin.get<AuthInfo>('/auth/info')).key.id;
    await newKey(admin, { permission: 'write' });
    expectError(await admin.delete(`/keys/${first}`), 409, /First admin key.*last active admin key/);
    const second = await newKey(admin, { permission: 'admin', name: 'Second' });
    const race = await Promise.all([admin.delete(`/keys/${second.id}`), second.api.delete(`/keys/${first}`)]);
    const statuses = race.map(({ status }) => status).sort();
    // The loser fails because its target is the last admin key, or because its own key is revoked by then.
    expect([
      [200, 401],
      [200, 409],
    ]).toContainEqual(statuses);
    const left = race[0].status === 200 ? admin : second.api;
    const { items } = expectPage(await left.get<Key[]>('/keys'));
    expect(items.filter((key) => key.permission === 'admin' && key.revoked_at === null)).toHaveLength(1);
  });
});

describe('the daily quota', () => {
  it('counts every authenticated call, whatever its outcome, and rejects further ones with 429', async () => {
    const { id, admin } = await organisationWith({ name: 'Small', tier: 'starter' });
    const reader = await newKey(admin, { permission: 'read' }); // call 1
    const calls: (() => Promise<Answer<unknown>>)[] = [
      () => admin.get('/organisation'), // 200
      () => admin.get('/nothing'), // 404, no such route
      () => admin.get('/cost-sources/src_none'), // 404
      () => admin.post('/keys', { colour: 'red' }), // 400
      () => reader.api.get('/keys'), // 403, by permission
      () => reader.api.get('/metrics'), // 403, by plan
      () => reader.api.get('/organisation'), // 200, with another key of the same organisation
    ];
    const statuses = new Set<number>();
    for (let call = 2; call <= 100; call++) {
      // Calls without a valid key do not count.
      if (call % 10 === 0) expectError(await as(service, `${reader.secret}x`).get('/organisation'), 401);
      const answer = await (calls[call % calls.length] ?? calls[0])?.();
      if (answer === undefined) throw new Error('no call');
      statuses.add(answer.status);
      expect([call, ...rateLimit(answer)]).toEqual([call, '100', `${100 - call}`, `${TO_MIDNIGHT_SECONDS}`]);
      expect(answer.headers.get('retry-after')).toBeNull();
    }
    expect([...statuses].sort()).toEqual([200, 400, 403, 404]);
    for (const call of calls) {
      const refused = await call();
      expectError(refused, 429, /[Dd]aily limit/, /100/, /[Uu]pgrade/, /Professional/, /midnight UTC/);
      expect(refused.headers.get('retry-after')).toBe(`${TO_MIDNIGHT_SECONDS}`);
      expect(rateLimit(refused)).toEqual(['100', '0', `${TO_MIDNIGHT_SECONDS}`]);
    }
    expectError(await as(service, `${reader.secret}x`).get('/organisation'), 401);

    // Another organisation has its own quota.
    const other = await organisationWith({ tier: 'starter' });
    expect(await quotaOf(other.admin)).toMatchObject({ limit: 100, used: 1, remaining: 99 });

    // A larger plan takes effect at once. The rejected calls did not count, the hundred did.
    const changed = await runCommand(['org', 'set', '--id', id, '--tier', 'professional', '--json'], {
      DATA_DIR: service.dataDir,
      COST_ANALYTICS_URL: service.url,
    });
    expect(changed).toMatchObject({ code: 0, stderr: '' });
    expect(JSON.parse(changed.stdout)).toMatchObject({ id, tier: 'professional' });
    expect(await quotaOf(admin)).toEqual({
      limit: 1000,
      used: 101,
      remaining: 899,
      resets_at: '2026-02-08T00:00:00.000Z',
    });
    expectPage(await admin.get<unknown[]>('/metrics'));
  });

  it('admits exactly the limit of many calls at once', async () => {
    const { admin } = await organisationWith({ tier: 'starter' });
    const answers = await Promise.all(Array.from({ length: 150 }, () => admin.get('/organisation')));
    const statuses = answers.map(({ status }) => status);
    expect(statuses.filter((status) => status === 200)).toHaveLength(100);
    expect(statuses.filter((status) => status === 429)).toHaveLength(50);
    const remaining = answers
      .filter(({ status }) => status === 200)
      .map((answer) => Number(answer.headers.get('ratelimit-remaining')));
    expect(remaining.sort((a, b) => b - a)).toEqual(Array.from({ length: 100 }, (_, index) => 99 - index));
  });

  it('depends on the plan', async () => {
    for (const [tier, limit] of [
      ['starter', 100],
      ['professional', 1000],
      ['business', 10_000],
    ] as const) {
      const { admin } = await organisationWith({ tier });
      const answer = await admin.get<AuthInfo>('/auth/info');
      expect(expectData(answer).quota).toEqual({
        limit,
        used: 1,
        remaining: limit - 1,
        resets_at: '2026-02-08T00:00:00.000Z',
      });
      expect(rateLimit(answer)).toEqual([`${limit}`, `${limit - 1}`, `${TO_MIDNIGHT_SECONDS}`]);
    }
  });

  it('has null limits and no headers on Enterprise', async () => {
    const { admin } = await organisationWith({ tier: 'enterprise' });
    for (let call = 1; call <= 120; call++) {
      const answer = await admin.get('/organisation');
      expect([answer.status, ...rateLimit(answer)]).toEqual([200, null, null, null]);
    }
    expect(await quotaOf(admin)).toEqual({
      limit: null,
      used: 121,
      remaining: null,
      resets_at: '2026-02-08T00:00:00.000Z',
    });
  });
});

describe('the isolation of organisations', () => {
  it('returns 404 for every id of another organisation, and changes nothing there', async () => {
    const ours = await organisationWith({ name: 'Ours' });
    const theirs = await organisationWith({ name: 'Theirs' });
    const location = join(service.dataDir, 'exports', 'ours.csv');
    await writeFile(location, focusCsv([dayLine('2026-01-31', '5')]));
    const source = await create(ours.admin, '/cost-sources', { name: 'Bill', kind: 'focus', location });
    await ingest(ours.admin, source);
    const metric = await createMetric(ours.admin, {}, [{ period: '2026-01-31', value: 3 }]);
    const hook = { url: 'https://1.1.1.1/hook' };
    const webhook = await create(ours.admin, '/webhooks', hook);
    const ownership = [{ source: 'cloud', cloud: 'aws', account: '1111' }];
    const team = await create(ours.admin, '/teams', { name: 'Shop', ownership });
    const shared = await create(ours.admin, '/shared-costs', {
      name: 'Platform',
      spend: ownership,
      split: { type: 'even', team_ids: [team] },
    });
    const key = await newKey(ours.admin, { permission: 'read' });
    const before = await Promise.all(ours.paths(metric, source));

    const bodies: Record<string, object> = {
      'PATCH /cost-sources/{id}': { name: 'Stolen' },
      'POST /cost-sources/{id}/ingest': {},
      'POST /cost-sources/{id}/units/end': { unit: 'aws/1111', day: null },
      'POST /cost-sources/{id}/units/confirm': { unit: 'aws/1111', stands: true },
      'POST /otlp/v1/metrics': { resourceMetrics: [] },
      'PATCH /metrics/{id}': { name: 'Stolen' },
      'POST /metrics/{id}/values': { values: [{ period: '2026-01-31', value: 9 }] },
      'PUT /metrics/{id}/values/{period}': { value: 9 },
      'POST /metrics/{id}/values/csv': {},
      'PUT /metrics/{id}/import': { type: 'stripe', api_key: 'rk_test_stolen' },
      'POST /metrics/{id}/import/check': { type: 'stripe', api_key: 'rk_test_stolen' },
      'PATCH /webhooks/{id}': { enabled: false },
      'PATCH /teams/{id}': { name: 'Stolen' },
      'PUT /teams/{id}/ownership': { ownership: [] },
      'PATCH /shared-costs/{id}': { name: 'Stolen' },
    };
    const ids = {
      keys: key.id,
      metrics: metric,
      'cost-sources': source,
      otlp: source,
      teams: team,
      'shared-costs': shared,
      webhooks: webhook,
    };
    for (const route of ROUTES.filter(({ notFound }) => notFound)) {
      const [, id = 'none'] = Object.entries(ids).find(([noun]) => route.path.startsWith(`/${noun}/`)) ?? [];
      const body = bodies[`${route.method} ${route.path}`];
      const options = body === undefined ? {} : { headers: bodyType(route), body: JSON.stringify(body) };
      const answer = await theirs.admin.send(route.method, pathOf(route, id), options);
      const error = expectError(answer, 404, new RegExp(id));
      // The error is the same for an id of another organisation and for an id that never existed.
      const never = id.replace(/.{6}$/, 'ffffff');
      const unknown = await theirs.admin.send(route.method, pathOf(route, never), options);
      expect(expectError(unknown, 404).replace(never, id)).toBe(error);
    }
    for (const path of ['/cost-sources', '/metrics', '/teams', '/shared-costs', '/webhooks']) {
      expect(expectPage(await theirs.admin.get<unknown[]>(path)).items).toEqual([]);
    }
    expect(expectPage(await theirs.admin.get<unknown[]>('/keys')).items).toHaveLength(1);
    expect(
      expectData(await theirs.admin.get('/costs?start_date=2026-01-01&end_date=2026-01-31')),
    ).toMatchObject({ total: 0, by_day: [], by_account: [], complete_through: null });
    const log = JSON.stringify((await theirs.admin.get('/audit-log')).body);
    for (const id of [ours.id, metric, source, key.id]) expect(log).not.toContain(id);

    const operator = await asOperator(service);
    expectError(await operator.get(`/organisations/${theirs.id}/cost-sources/${source}/runs`), 404);
    expectError(await operator.post(`/organisations/${theirs.id}/cost-sources/${source}/ingest`, {}), 404);

    expect(await Promise.all(ours.paths(metric, source))).toEqual(before);
    expectData(await key.api.get('/organisation'));
  });

  const organisationWith = async (organisation: Parameters<typeof newOrganisation>[1]) => {
    const created = await newOrganisation(service, organisation);
    secrets.push(created.secret);
    const paths = (metric: string, source: string) =>
      [
        `/cost-sources/${source}`,
        `/cost-sources/${source}/runs`,
        `/metrics/${metric}`,
        `/metrics/${metric}/values`,
        `/metrics/${metric}/history`,
        '/teams',
        '/shared-costs',
        '/costs?start_date=2026-01-01&end_date=2026-01-31',
      ].map(async (path) => (await created.admin.get(path)).body);
    return { ...created, paths };
  };
});

/** These tests restart the service, so that they come after all others. */
describe('after restarts and days', () => {
  it.runIf(THOROUGH)('the count of calls and revocations survive SIGTERM and SIGKILL', async () => {
    const starter = await organisationWith({ tier: 'starter' });
    const enterprise = await organisationWith({ tier: 'enterprise' });
    for (let call = 0; call < 7; call++) {
      await starter.admin.get('/nothing');
      await enterprise.admin.get('/organisation');
    }
    await restart(EVENING);
    expect(await quotaOf(as(service, starter.secret))).toMatchObject({ used: 8, remaining: 92 });
    expect(await quotaOf(as(service, enterprise.secret))).toMatchObject({ used: 8 });

    const revoked = await newKey(as(service, enterprise.secret), { permission: 'admin' });
    for (let call = 0; call < 5; call++) await as(service, starter.secret).get('/organisation');
    expectData(await as(service, enterprise.secret).delete(`/keys/${revoked.id}`));
    await killAndRestart(EVENING);
    expect(await quotaOf(as(service, starter.secret))).toMatchObject({ used: 14, remaining: 86 });
    // A revocation survives too.
    expectError(await as(service, revoked.secret).get('/health'), 401, /revoked/);
    expectData(await as(service, enterprise.secret).get('/health'));
  });

  it('the count of calls includes every call that was answered before a SIGKILL', async () => {
    const { secret, admin: storming } = await organisationWith({ tier: 'starter' });
    let answered = 0;
    const storm = Array.from({ length: 60 }, () =>
      storming.get('/organisation').then(
        () => {
          answered += 1;
        },
        (error: unknown) => error,
      ),
    );
    await waitFor(async () => (answered > 0 ? true : undefined));
    await killAndRestart(EVENING);
    await Promise.all(storm);
    // Calls without an answer may count, too.
    const { used } = await quotaOf(as(service, secret));
    expect(used - 1).toBeGreaterThanOrEqual(answered);
    expect(used - 1).toBeLessThanOrEqual(60);
  });

  it.runIf(THOROUGH)(
    'the quota resets at midnight UTC, and keys expire on time and no longer count as admins',
    async () => {
      const { secret, admin } = await organisationWith({ tier: 'starter' });
      const temporary = await newKey(admin, {
        permission: 'admin',
        name: 'Temporary',
        expires_at: '2026-02-08T00:30:00Z',
      });
      const first = expectData(await admin.get<AuthInfo>('/auth/info')).key.id;
      while ((await admin.get('/health')).status === 200);
      expectError(await temporary.api.get('/health'), 429);

      await restart('2026-02-08T00:00:00Z');
      const fresh = await as(service, secret).get<AuthInfo>('/auth/info');
      expect(expectData(fresh).quota).toEqual({
        limit: 100,
        used: 1,
        remaining: 99,
        resets_at: '2026-02-09T00:00:00.000Z',
      });
      expect(rateLimit(fresh)).toEqual(['100', '99', '86400']);
      expectData(await as(service, temporary.secret).get('/health'));

      await restart('2026-02-08T00:30:00Z');
      const { used } = await quotaOf(as(service, secret));
      expectError(await as(service, temporary.secret).get('/health'), 401, /expired at 2026-02-08T00:30:00/);
      expect((await quotaOf(as(service, secret))).used).toBe(used + 1);
      expectError(await as(service, secret).delete(`/keys/${first}`), 409, /last active admin key/);
      const { items } = expectPage(await as(service, secret).get<Key[]>('/keys'));
      expect(items.map(({ name, expires_at }) => [name, expires_at])).toEqual([
        ['First admin key', null],
        ['Temporary', '2026-02-08T00:30:00.000Z'],
      ]);
    },
  );

  it('a secret appears only in the answer that creates it', async () => {
    const { id, secret, admin } = await organisationWith();
    const made = await newKey(admin, { permission: 'metrics:ingest' });
    const seen: string[] = [];
    for (const path of ['/keys', '/audit-log', '/auth/info', '/organisation']) {
      seen.push(JSON.stringify((await admin.get(path)).body));
    }
    for (const key of [secret, made.secret]) {
      const tampered = `${key.slice(0, -2)}${key.endsWith('AA') ? 'BB' : 'AA'}`;
      seen.push(JSON.stringify((await as(service, tampered).get('/health')).body));
    }
    const operator = await asOperator(service);
    seen.push(JSON.stringify((await operator.get('/organisations')).body));
    seen.push(JSON.stringify((await operator.patch(`/organisations/${id}`, { name: 'New name' })).body));
    seen.push(JSON.stringify((await admin.delete(`/keys/${made.id}`)).body));
    seen.push(await (await fetch(`${service.url}/metrics`)).text());
    expect(await service.stop()).toBe(0);
    logs.push(service.logs());
    await service.start(settingsAt(EVENING));
    const files = await readdir(service.dataDir, { withFileTypes: true, recursive: true });
    for (const file of files.filter((entry) => entry.isFile() && entry.name !== 'operator.key')) {
      seen.push((await readFile(join(file.parentPath, file.name))).toString('latin1'));
    }
    expect(logs.join('').length).toBeGreaterThan(1000);
    const operatorKey = (await readFile(join(service.dataDir, 'operator.key'), 'utf8')).trim();
    const text = [...seen, ...logs, service.logs()].join('\n');
    expect(secrets.length).toBeGreaterThan(20);
    // Only the random part is secret, not the id in front of it.
    for (const each of [...secrets, operatorKey]) expect(text.includes(each.slice(-43))).toBe(false);
  });
});
