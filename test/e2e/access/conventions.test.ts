import { writeFile } from 'node:fs/promises';
import { request as httpRequest } from 'node:http';
import { connect } from 'node:net';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { create, createMetric, ORDERS } from '../../support/service/create.ts';
import {
  as,
  asOperator,
  ingest,
  newOrganisation,
  waitFor,
  type Api,
} from '../../support/service/api-client.ts';
import { expectData, expectError, expectPage } from '../../support/service/envelope.ts';
import { dayLine, focusCsv } from '../../support/exports/focus-export.ts';
import { openRaw } from '../../support/service/local-api.ts';
import { anyText, textLike } from '../../support/service/matchers.ts';
import { pathOf, ROUTES, SESSION_ROUTES } from '../../support/service/routes.ts';
import { withService } from '../../support/service/with-service.ts';
import { openTemporal } from '../../support/service/temporal-client.ts';

const JSON_TYPE = { 'content-type': 'application/json' };
const service = withService({ CLOCK: '2026-02-07T06:00:00Z' });
let admin: Api;
let secret: string;
let metricId: string;
let sourceId: string;
let webhookId: string;
let teamId: string;

beforeAll(async () => {
  const { dataDir } = service;
  ({ admin, secret } = await newOrganisation(service));
  const csv = focusCsv([dayLine('2026-01-05', '1'), dayLine('2026-01-31', '2')]);
  await writeFile(join(dataDir, 'exports', 'small.csv'), csv);
  const source = await admin.post<{ id: string }>('/cost-sources', {
    name: 'Bill',
    kind: 'focus',
    location: join(dataDir, 'exports', 'small.csv'),
  });
  sourceId = expectData(source).id;
  metricId = await createMetric(admin);
  const webhook = await admin.post<{ id: string }>('/webhooks', { url: 'https://1.1.1.1/hook' });
  webhookId = expectData(webhook).id;
  teamId = await create(admin, '/teams', { name: 'Platform' });
});

/** Makes a key of the organisation with another permission. */
async function keyWith(owner: Api, permission: string): Promise<Api> {
  const { data } = (await owner.post<{ secret: string }>('/keys', { name: permission, permission })).body;
  return as(service, data.secret);
}

describe('an answer', () => {
  it('has exactly success and data for one thing', async () => {
    for (const path of [
      '/health',
      '/auth/info',
      '/organisation',
      `/cost-sources/${sourceId}`,
      `/metrics/${metricId}`,
      `/metrics/${metricId}/months/2026-01/versions`,
      '/costs?start_date=2026-01-01&end_date=2026-01-31',
    ]) {
      expectData(await admin.get(path));
    }
  });

  it('has exactly success, data and next_cursor for every list that can grow', async () => {
    for (const route of ROUTES.filter(({ paged }) => paged)) {
      const ids = { metrics: metricId, webhooks: webhookId, teams: teamId };
      const id = Object.entries(ids).find(([name]) => route.path.startsWith(`/${name}`))?.[1] ?? sourceId;
      expectPage(await admin.get<unknown[]>(pathOf(route, id)));
    }
  });

  it('has the same envelope for the operator', async () => {
    const operator = await asOperator(service);
    expectData(await operator.get('/organisations'));
    expectError(await operator.post('/organisations', {}), 400, /name: expected/, /currency: expected/);
    expectError(await operator.patch('/organisations/org_none', { name: 'x' }), 404, /org_none/);
    expectError(await operator.get('/nothing'), 404);
    const { url } = service;
    const stranger = await fetch(`${url}/operator/organisations`);
    expect(stranger.status).toBe(401);
    expect(await stranger.json()).toEqual({
      success: false,
      error: textLike(/X-Operator-Key/),
    });
    const tenant = await fetch(`${url}/operator/organisations`, { headers: { 'x-api-key': secret } });
    expect(tenant.status).toBe(401);
    const wrong = await fetch(`${url}/operator/nothing`, { headers: { 'x-operator-key': 'x'.repeat(43) } });
    expect(wrong.status).toBe(401);
  });

  it('is a 404 for unknown routes and wrong methods', async () => {
    expectError(await admin.get('/nothing'), 404, /GET .*\/nothing/);
    expectError(await admin.send('PUT', '/organisation'), 404, /PUT/);
    expectError(await admin.send('DELETE', '/costs'), 404, /DELETE/);
    expectError(await admin.post('/health', {}), 404, /POST/);
    for (const path of ['/nothing', '/api', '/api/v2/health']) {
      const response = await fetch(`${service.url}${path}`);
      expect({ path, status: response.status }).toEqual({ path, status: 404 });
      expect(await response.json()).toEqual({ success: false, error: anyText });
    }
  });

  it('is an error for kinds that do not exist', async () => {
    expectError(
      await admin.post('/metrics', { ...ORDERS, kind: 'margin' }),
      400,
      /^kind: expected "count" or/,
    );
    const source = {
      name: 'Other',
      kind: 'invoices',
      location: join(service.dataDir, 'exports', 'small.csv'),
    };
    expectError(await admin.post('/cost-sources', source), 400, /^kind: /);
  });

  it('is a 400 for a body that cannot be read', async () => {
    for (const body of ['{"name":', '{name: "x"}', '', '{"name": "x"} y', '{"__proto__": {"name": "x"}}']) {
      expectError(await admin.send('POST', '/keys', { headers: JSON_TYPE, body }), 400);
    }
    for (const body of ['null', '[]', '"text"', '3']) {
      expectError(await admin.send('POST', '/keys', { headers: JSON_TYPE, body }), 400, /^body: expected/);
    }
    const twice = '{"name":"x","permission":"read","name":"y"}';
    expectError(
      await admin.send('POST', '/keys', { headers: JSON_TYPE, body: twice }),
      400,
      /^name: expected this field once, got it twice$/,
    );
    // The parser rejects a byte order mark, with a 400 and not a 500.
    const marked = await admin.send('POST', '/keys', { headers: JSON_TYPE, body: '\ufeff{"name":"x"}' });
    expect(marked.status).toBe(400);
  });

  it('names the place of half a surrogate pair, in every field with text', async () => {
    const broken: [string, string, RegExp][] = [
      ['/keys', '{"name":"\\ud800","permission":"read"}', /^name: /],
      [
        '/teams',
        '{"name":"Shop","ownership":[{"source":"host","host":"\\uDFFF"}]}',
        /^ownership\[0\]\.host: /,
      ],
      ['/metrics', JSON.stringify({ ...ORDERS, unit: 'x' }).replace('"x"', '"x\\ud800y"'), /^unit: /],
      [
        `/metrics/${metricId}/values`,
        '{"values":[{"period":"2026-01-01","value":1,"label":"\\ud800"}]}',
        /^values\[0\]\.label: /,
      ],
    ];
    for (const [path, body, place] of broken) {
      const answer = await admin.send('POST', path, { headers: JSON_TYPE, body });
      expectError(answer, 400, place);
      expect(answer.body.error).toContain('expected Unicode text, got');
    }
    // A whole pair is valid text, escaped or not. So is the literal text of an escape.
    for (const name of ['"\\ud83d\\ude00"', '"\u{1f600}"', '"\\\\ud800"']) {
      const made = await admin.send<{ id: string; name: string }>('POST', '/teams', {
        headers: JSON_TYPE,
        body: `{"name":${name}}`,
      });
      expect(expectData(made).name).toBe(JSON.parse(name));
      expectData(await admin.delete(`/teams/${made.body.data.id}`));
    }
    expectError(await admin.post('/teams', { name: 'a\u0000b' }), 400, /^name: .*control characters/);
  });

  it('is a 415 for another content type than JSON', async () => {
    const body = JSON.stringify({ name: 'x', permission: 'read' });
    for (const type of [
      'text/plain',
      'text/plain;charset=UTF-8',
      'application/xml',
      'text/csv',
      'application/x-www-form-urlencoded',
      'multipart/form-data; boundary=x',
      'nonsense',
    ]) {
      const answer = await admin.send('POST', '/keys', { headers: { 'content-type': type }, body });
      expectError(answer, 415, /application\/json/);
    }
    expectError(
      await admin.send('POST', `/metrics/${metricId}/values`, {
        headers: { 'content-type': 'text/csv' },
        body: '2026-01-05,3',
      }),
      415,
    );
    const { items } = expectPage(await admin.get<{ name: string }[]>('/keys'));
    expect(items.map(({ name }) => name)).not.toContain('x');
  });

  it('is a success for JSON with a charset', async () => {
    const answer = await admin.send('POST', '/keys', {
      headers: { 'content-type': 'application/json; charset=utf-8' },
      body: JSON.stringify({ name: 'With charset ✓', permission: 'read' }),
    });
    expect(expectData(answer)).toMatchObject({ name: 'With charset ✓' });
  });

  /** More than any body may be. */
  const tooLarge = JSON.stringify({ name: 'x'.repeat(9 * 1024 * 1024), permission: 'read' });

  it('is a 413 for a body that is too large, with or without a content length', async () => {
    for (const headers of [{ 'content-length': `${tooLarge.length}` }, { 'transfer-encoding': 'chunked' }]) {
      const { status, text } = await rawPost('/keys', headers, tooLarge);
      expect(status).toBe(413);
      expect(JSON.parse(text)).toEqual({ success: false, error: textLike(/too large/) });
    }
  });

  it('is a 413 also for a client that sends on, which may then use its connection again', async () => {
    const key = `Host: localhost\r\nX-API-Key: ${secret}\r\n`;
    const socket = connect(Number(new URL(service.url).port), '127.0.0.1');
    let text = '';
    socket.on('data', (chunk: Buffer) => (text += chunk.toString()));
    const answers = () => [...text.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status);
    socket.write(
      `POST /api/v1/keys HTTP/1.1\r\n${key}Content-Type: application/json\r\nContent-Length: ${tooLarge.length}\r\n\r\n`,
    );
    await expect.poll(answers).toEqual(['413']);
    socket.write(`${tooLarge}GET /api/v1/auth/info HTTP/1.1\r\n${key}\r\n`);
    await expect.poll(answers).toEqual(['413', '200']);
    socket.destroy();
  });

  it('is a 413 also for a client that reads only once it has sent all, and wants no more', async () => {
    const head = [
      'POST /api/v1/keys HTTP/1.1',
      'Host: localhost',
      `X-API-Key: ${secret}`,
      'Connection: close',
      'Content-Type: application/json',
      `Content-Length: ${tooLarge.length}`,
    ];
    const { port } = new URL(service.url);
    const { socket, answer } = openRaw(Number(port), [...head, '', tooLarge].join('\r\n'));
    socket.pause().once('drain', () => socket.resume());
    expect(await answer).toMatch(/^HTTP\/1\.1 413 /);
  });

  it('has the envelope for a malformed path', async () => {
    for (const path of ['/metrics/%ZZ', '/metrics/%E0%A4%A', '/keys/%']) {
      expectError(await admin.get(path), 400);
    }
    expectError(await admin.get(`/metrics/${'m'.repeat(1000)}`), 404);
    expectError(
      await admin.get('/metrics/met%00nul'),
      400,
      /^id: expected a text without control characters/,
    );
    expectError(await admin.get(`/metrics/${encodeURIComponent("met' OR 1=1 --")}`), 404);
    expectError(await admin.get('/metrics/..%2Fkeys'), 404);
  });

  it('has the envelope even for invalid HTTP', async () => {
    const { port } = new URL(service.url);
    const answer = await openRaw(Number(port), 'this is no HTTP\r\n\r\n').answer;
    const [head = '', body = ''] = answer.split('\r\n\r\n');
    expect(head).toMatch(/^HTTP\/1\.1 400 /);
    expect(JSON.parse(body)).toEqual({ success: false, error: anyText });
  });

  /** Sends a POST with a body as it is. */
  const rawPost = (
    path: string,
    headers: Record<string, string>,
    body: string,
  ): Promise<{ status: number; text: string }> =>
    new Promise((resolve, reject) => {
      const request = httpRequest(
        `${service.url}/api/v1${path}`,
        { method: 'POST', headers: { 'x-api-key': secret, ...JSON_TYPE, ...headers } },
        (response) => {
          let text = '';
          response.on('data', (chunk: Buffer) => (text += chunk.toString()));
          response.on('end', () => {
            resolve({ status: response.statusCode ?? 0, text });
          });
        },
      );
      request.on('error', reject);
      request.end(body);
    });
});

describe('an error message', () => {
  it('names unknown fields of bodies and queries', async () => {
    expectError(
      await admin.post('/keys', { name: 'x', permission: 'read', colour: 'red' }),
      400,
      /^colour: unknown field/,
    );
    expectError(await admin.patch('/organisation', { tier: 'enterprise' }), 400, /^tier: unknown field/);
    expectError(
      await admin.post('/cost-sources', {
        name: 'x',
        kind: 'focus',
        location: 'x.csv',
        options: { cost_column: 'BilledCost', speed: 1 },
      }),
      400,
      /^options\.speed: unknown field/,
    );
    expectError(
      await admin.post(`/metrics/${metricId}/values`, {
        values: [
          { period: '2026-01-05', value: 1 },
          { period: '2026-01-06', value: 1, note: '' },
        ],
      }),
      400,
      /^values\[1\]\.note: unknown field/,
    );
    expectError(await admin.patch(`/metrics/${metricId}`, { colour: 1 }), 400, /^colour: unknown field/);
    expectError(
      await admin.post(`/cost-sources/${sourceId}/ingest`, { from: '2026-01' }),
      400,
      /^from: unknown field/,
    );
    expectError(await admin.get('/keys?colour=red'), 400, /colour: unknown field/);
    expectError(
      await admin.get('/costs?start_date=2026-01-01&end_date=2026-01-02&colour=red'),
      400,
      /colour: unknown field/,
    );
    expectError(await admin.get(`/metrics/${metricId}/values?from=2026-01-01`), 400, /from: unknown field/);
  });

  it('names the fields of a query on routes without one', async () => {
    for (const path of ['/organisation', '/health', `/metrics/${metricId}`, `/metrics/${metricId}/months`]) {
      expectError(await admin.get(`${path}?colour=red`), 400, /colour: unknown field/);
    }
    expectError(
      await admin.post('/keys?colour=red', { name: 'x', permission: 'read' }),
      400,
      /colour: unknown field/,
    );
    expectError(await admin.delete('/keys/key_none?force=true'), 400, /force: unknown field/);
  });

  it('names the fields of a body on routes without one', async () => {
    const lock = `/metrics/${metricId}/months/2026-01/lock`;
    expectError(await admin.post(lock, { force: true }), 400, /force: unknown field/);
    const remove = { headers: JSON_TYPE, body: JSON.stringify({ force: true }) };
    expectError(await admin.send('DELETE', '/keys/key_none', remove), 400, /force: unknown field/);
    // An empty object has no unknown field.
    expectError(await admin.post(lock, {}), 409);
  });

  it('names the path of the field, what was expected and what was received', async () => {
    const values = (...items: unknown[]) => admin.post(`/metrics/${metricId}/values`, { values: items });
    const good = { period: '2026-01-05', value: 1 };
    // The example in the contract.
    const error = expectError(
      await values(
        good,
        { ...good, period: '2026-01-06' },
        { ...good, period: '2026-01-07' },
        {
          period: '2026-13-01',
          value: 1,
        },
      ),
      400,
    );
    expect(error).toBe('values[3].period: expected YYYY-MM-DD for a daily metric, got "2026-13-01"');
    expectError(
      await values(good, { ...good, value: '3' }),
      400,
      /^values\[1\]\.value: expected .*number.*"3"/,
    );
    expectError(await values({ ...good, value: -1 }), 400, /^values\[0\]\.value: expected .*0.*-1/);
    expectError(await values({ ...good, value: null }), 400, /^values\[0\]\.value: expected .*null/);
    expectError(await values({ period: '2026-01-05' }), 400, /^values\[0\]\.value: expected .*nothing/);
    expectError(await values({ ...good, period: 20260105 }), 400, /^values\[0\]\.period: expected/);
    expectError(await values({ ...good, period: '2026-02-08' }), 400, /^values\[0\]\.period: .*future/);
    expectError(await values(good, good), 400, /^values\[1\]\.period: .*values\[0\]/);
    expectError(await values('x'), 400, /^values\[0\]: expected/);
    expectError(await values(), 400, /^values: expected 1 to 10000 items/);
    expectError(
      await values(...Array.from({ length: 10_001 }, () => good)),
      400,
      /^values: expected 1 to 10000 items, got 10001/,
    );
    expectError(await admin.post(`/metrics/${metricId}/values`, { values: good }), 400, /^values: expected/);
    expectError(await admin.post(`/metrics/${metricId}/values`, {}), 400, /^values: expected .*nothing/);
    expectError(
      await admin.post('/keys', { name: 'x', permission: 'owner' }),
      400,
      /^permission: expected one of .*metrics:ingest.*"owner"/,
    );
    expectError(
      await admin.post('/keys', { name: ' ', permission: 'read' }),
      400,
      /^name: expected .*1 to 200 characters/,
    );
    expectError(
      await admin.get('/costs?start_date=2026-02-30&end_date=2026-03-01'),
      400,
      /^start_date: expected .*YYYY-MM-DD.*"2026-02-30"/,
    );
    expectError(await admin.get('/costs?start_date=2026-01-01'), 400, /^end_date: expected .*nothing/);
    expectError(
      await admin.get('/costs?start_date=2026-01-02&end_date=2026-01-01'),
      400,
      /^end_date: expected .*2026-01-02.*"2026-01-01"/,
    );
    expectError(await admin.get('/costs?start_date=2025-01-01&end_date=2026-01-02'), 400, /366 .*367/);
    expectData(await admin.get('/costs?start_date=2025-01-01&end_date=2026-01-01'));
    expectError(
      await admin.post(`/metrics/${metricId}/months/2026-13/lock`),
      400,
      /^month: expected .*YYYY-MM.*"2026-13"/,
    );
    expectError(
      await admin.patch('/organisation', { settle_days: 29 }),
      400,
      /^settle_days: expected .*28.*29/,
    );
    for (const field of ['aggregation', 'frequency', 'scope', 'kind', 'currency']) {
      expectError(
        await admin.patch(`/metrics/${metricId}`, { [field]: 'daily' }),
        400,
        new RegExp(`^${field}: .*cannot be changed`),
      );
    }
    // The rejected requests changed nothing.
    expect(expectPage(await admin.get<unknown[]>(`/metrics/${metricId}/history`)).items).toEqual([]);
  });

  it('cuts the received value to a readable length', async () => {
    const error = expectError(await admin.post('/keys', { name: 'x', permission: 'x'.repeat(100_000) }), 400);
    expect(error.length).toBeLessThan(500);
  });
});

describe('a body of many parts', () => {
  const zeros = (count: number): number[] => Array.from({ length: count }, () => 0);
  const names = (count: number, length: number): Record<string, number> =>
    Object.fromEntries(zeros(count).map((zero, index) => [`${'x'.repeat(length)}${index}`, zero]));

  it('is rejected before its items are validated', async () => {
    const before = /^body: expected at most 100000 items and fields, got more$/;
    expectError(await admin.post('/webhooks', { events: zeros(100_002) }), 400, before);
    expectError(
      await admin.post('/keys', names(3_000, 300)),
      400,
      /; x{200}…(, x{200}…){9} and 2990 more: unknown fields/,
    );
  });

  it.each<[string, unknown, RegExp]>([
    [
      '1,001 teams',
      { type: 'even', team_ids: zeros(1_001).map(String) },
      /^split\.team_ids: expected 1 to 1000/,
    ],
    [
      '10,001 labels',
      { type: 'metric', metric_id: 'm', labels: names(10_001, 30) },
      /^split\.labels.*expected/,
    ],
  ])('is rejected as a shared cost: %s', async (_, split, words) => {
    const spend = [{ source: 'host', host: 'db-1' }];
    expectError(await admin.post('/shared-costs', { name: 'x', spend, split }), 400, words);
  });
});

describe('the service', () => {
  let starter: { admin: Api; read: Api; secret: string };

  beforeAll(async () => {
    const organisation = await newOrganisation(service, { tier: 'starter' });
    starter = { ...organisation, read: await keyWith(organisation.admin, 'read') };
  });

  it('checks the key before everything else', async () => {
    for (const key of ['', 'nonsense', `${secret.slice(0, -1)}${secret.endsWith('A') ? 'B' : 'A'}`]) {
      const stranger = as(service, key);
      expectError(await stranger.get('/health'), 401, /X-API-Key/);
      expectError(await stranger.get('/nothing'), 401, /X-API-Key/);
      expectError(await stranger.post('/keys', { colour: 'red' }), 401, /X-API-Key/);
      expectError(await stranger.send('POST', '/keys', { headers: JSON_TYPE, body: '{' }), 401);
      expectError(
        await stranger.send('POST', '/keys', { headers: { 'content-type': 'x/y' }, body: 'x' }),
        401,
      );
      expectError(await stranger.get('/metrics/met_none'), 401);
    }
    const none = await fetch(`${service.url}/api/v1/health`);
    expect(none.status).toBe(401);
    expect(none.headers.get('ratelimit-limit')).toBeNull();
  });

  it('checks the permission before the plan', async () => {
    expectError(await starter.read.post('/metrics', ORDERS), 403, /permission admin.*has read/);
    expectError(await starter.admin.post('/metrics', ORDERS), 403, /Professional/);
    expectError(await starter.read.get('/metrics'), 403, /Professional/);
  });

  it('checks the permission before parameters', async () => {
    expectError(await starter.read.post('/keys', { colour: 'red' }), 403);
    expectError(await starter.read.send('POST', '/keys', { headers: JSON_TYPE, body: '{' }), 403);
    expectError(
      await starter.read.send('POST', '/keys', { headers: { 'content-type': 'x/y' }, body: 'x' }),
      403,
    );
  });

  it('checks the plan before parameters and existence', async () => {
    expectError(await starter.admin.post('/metrics', { colour: 'red' }), 403, /Professional/);
    expectError(await starter.admin.get('/metrics/met_none'), 403, /Professional/);
    expectError(await starter.admin.get('/metrics?limit=0'), 403, /Professional/);
  });

  it('checks parameters before existence', async () => {
    const wrong: [string, string, object?][] = [
      ['POST', '/metrics/met_none/values', { values: [] }],
      ['PATCH', '/metrics/met_none', { colour: 'red' }],
      ['PATCH', '/cost-sources/src_none', { colour: 'red' }],
      ['PATCH', '/cost-sources/src_none', { currency: 'EUR' }],
      ['PATCH', '/cost-sources/src_none', { location: '/etc/passwd' }],
      ['POST', '/cost-sources/src_none/ingest', { start_month: '2026-1' }],
      ['POST', '/cost-sources/src_none/ingest', { start_month: '2026-02', end_month: '2026-01' }],
      ['GET', '/cost-sources/src_none/runs?limit=0'],
      ['GET', '/cost-sources/src_none/runs?cursor=nonsense'],
      ['GET', '/metrics/met_none/values?start=January'],
      ['GET', '/metrics/met_none/values?cursor=nonsense'],
      ['GET', '/metrics/met_none/history?cursor=nonsense'],
      ['GET', '/metrics/met_none/months/2026-00/versions'],
      ['PATCH', '/webhooks/whk_none', { colour: 'red' }],
      ['PATCH', '/webhooks/whk_none', { url: 'http://127.0.0.1/' }],
      ['GET', '/webhooks/whk_none/deliveries?cursor=nonsense'],
      ['POST', '/metrics/met_none/months/January/lock'],
    ];
    const statuses = [];
    for (const [method, path, body] of wrong) {
      const options = body === undefined ? {} : { headers: JSON_TYPE, body: JSON.stringify(body) };
      const { status } = await admin.send(method, path, options);
      statuses.push([method, path, body, status]);
    }
    expect(statuses).toEqual(wrong.map(([method, path, body]) => [method, path, body, 400]));
  });

  it('checks existence before state', async () => {
    const other = await newOrganisation(service);
    const { key } = expectData(await other.admin.get<{ key: { id: string } }>('/auth/info'));
    // This is the last admin key of another organisation.
    expectError(await admin.delete(`/keys/${key.id}`), 404, new RegExp(key.id));
    expectError(await other.admin.delete(`/keys/${key.id}`), 409, /last active admin key/);
    expectError(await admin.post('/metrics/met_none/months/2026-01/lock'), 404, /met_none/);
    expectError(
      await admin.post(`/metrics/${metricId}/months/2026-01/lock`),
      409,
      /2026-01 cannot be locked/,
    );
  });

  it('checks the quota before permission, plan, parameters and existence', async () => {
    // Starter has 100 calls a day.
    const calls = await Promise.all(Array.from({ length: 101 }, () => starter.admin.get('/health')));
    expect(calls.map(({ status }) => status)).toContain(429);
    expectError(await starter.read.post('/keys', {}), 429);
    expectError(await starter.admin.get('/metrics'), 429);
    expectError(await starter.admin.send('POST', '/keys', { headers: JSON_TYPE, body: '{' }), 429);
    expectError(await starter.admin.get('/nothing'), 429);
    expectError(await as(service, 'nonsense').get('/health'), 401);
  });
});

describe('paging', () => {
  let paged: Api;
  let source: string;
  let metric: string;

  /** The paged lists, each with the field that identifies its items. */
  const lists: { path: () => string; key: string }[] = [
    { path: () => '/keys', key: 'id' },
    { path: () => '/cost-sources', key: 'id' },
    { path: () => `/cost-sources/${source}/runs`, key: 'run_id' },
    { path: () => '/metrics', key: 'id' },
    { path: () => `/metrics/${metric}/values`, key: 'period' },
    { path: () => `/metrics/${metric}/history`, key: 'period' },
    { path: () => '/audit-log', key: 'id' },
  ];

  beforeAll(async () => {
    const location = join(service.dataDir, 'exports', 'small.csv');
    ({ admin: paged } = await newOrganisation(service));
    for (let index = 1; index <= 6; index++) {
      // The organisation starts with one key and two audit records. The 17 things made here add a record each.
      if (index < 6) await paged.post('/keys', { name: `Key ${index}`, permission: 'read' });
      const created = await paged.post<{ id: string }>('/cost-sources', {
        name: `Source ${index}`,
        kind: 'focus',
        location,
        schedule_paused: true,
      });
      source = created.body.data.id;
      metric = await createMetric(paged, { name: `Metric ${index}` });
    }
    for (let index = 1; index <= 6; index++) {
      await ingest(paged, source);
      await paged.post(`/metrics/${metric}/values`, {
        values: [{ period: `2026-01-0${index}`, value: index }],
      });
    }
  });

  it('returns every item once, in the same order for any page size', async () => {
    for (const { path, key } of lists) {
      const whole = expectPage(await paged.get<Record<string, unknown>[]>(path()));
      expect(whole.next).toBeNull();
      expect({ path: path(), items: whole.items.length }).toEqual({
        path: path(),
        items: path() === '/audit-log' ? 19 : 6,
      });
      for (const limit of [1, 4]) {
        const collected: unknown[] = [];
        let cursor: string | null = null;
        do {
          const query: string = cursor === null ? '' : `&cursor=${encodeURIComponent(cursor)}`;
          const part = expectPage(
            await paged.get<Record<string, unknown>[]>(`${path()}?limit=${limit}${query}`),
          );
          expect(part.items.length).toBeGreaterThan(0);
          expect(part.items.length).toBeLessThanOrEqual(limit);
          collected.push(...part.items.map((item) => item[key]));
          cursor = part.next;
        } while (cursor !== null);
        expect(collected).toEqual(whole.items.map((item) => item[key]));
      }
    }
  });

  it('ends without a cursor if the last page is exactly full', async () => {
    const { items, next } = expectPage(await paged.get<unknown[]>('/keys?limit=6'));
    expect([items.length, next]).toEqual([6, null]);
    expect(expectPage(await paged.get<unknown[]>('/keys?limit=1000')).items).toHaveLength(6);
    expect(expectPage(await paged.get<unknown[]>('/keys?limit=5')).next).toEqual(anyText);
  });

  it('lists runs, history and the audit log newest first', async () => {
    const periods = Array.from({ length: 6 }, (_, index) => `2026-01-0${6 - index}`);
    const history = expectPage(await paged.get<{ period: string }[]>(`/metrics/${metric}/history`));
    expect(history.items.map(({ period }) => period)).toEqual(periods);
    const newest = await ingest(paged, source);
    const runs = expectPage(await paged.get<{ run_id: string }[]>(`/cost-sources/${source}/runs?limit=1`));
    expect(runs.items[0]?.run_id).toBe(newest.run_id);
    const audit = expectPage(await paged.get<{ action: string }[]>('/audit-log?limit=1000'));
    expect(audit.items.at(-1)?.action).toBe('organisation.create');
  });

  it('rejects limits outside 1 to 1000 and invalid cursors', async () => {
    for (const { path } of lists) {
      for (const limit of ['0', '1001', '-1', '1.5', 'ten', '', '1&limit=2', 'NaN', 'Infinity']) {
        expectError(await paged.get(`${path()}?limit=${limit}`), 400, /^limit: expected .*1 to 1000/);
      }
      const number = Buffer.from('5').toString('base64url');
      const object = Buffer.from('{"a":1}').toString('base64url');
      for (const cursor of ['nonsense', '', number, object, '%00', '..']) {
        expectError(await paged.get(`${path()}?cursor=${cursor}`), 400, /^cursor: expected/);
      }
    }
  });
});

describe('headers', () => {
  it('every answer under /api/v1 and /operator has its own request id', async () => {
    const operator = await asOperator(service);
    const answers = [
      await admin.get('/health'),
      await admin.get('/nothing'),
      await admin.post('/keys', {}),
      await as(service, 'nonsense').get('/health'),
      await operator.get('/organisations'),
    ];
    const ids = answers.map(({ headers }) => headers.get('x-request-id'));
    for (const id of ids) expect(id).toMatch(/^[0-9a-f-]{36}$/);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('a client cannot choose the request id', async () => {
    const { headers } = await admin.get('/health', { 'x-request-id': 'chosen' });
    expect(headers.get('x-request-id')).not.toBe('chosen');
  });
});

describe('outside /api/v1, without a key', () => {
  const open = (path: string) => fetch(`${service.url}${path}`);

  it('GET /livez and /readyz report that the service is up', async () => {
    expect((await open('/livez')).status).toBe(200);
    expect((await open('/readyz')).status).toBe(200);
  });

  it('GET /metrics returns Prometheus text, counts requests by route, and names no tenant', async () => {
    await admin.get(`/metrics/${metricId}`);
    const response = await open('/metrics');
    expect(response.headers.get('content-type')).toMatch(/^text\/plain/);
    const text = await response.text();
    expect(text).toMatch(/^# TYPE http_request_duration_seconds histogram$/m);
    expect(text).toMatch(
      /http_request_duration_seconds_count\{[^}]*route="\/api\/v1\/metrics\/:id"[^}]*\} \d+/,
    );
    expect(text).not.toContain(metricId);
    expect(text).not.toContain('org_');
  });

  it('GET /docs is a browsable reference', async () => {
    const response = await open('/docs');
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toMatch(/^text\/html/);
  });

  it('/readyz and /health report that Temporal does not answer, and that it is back', async () => {
    const temporal = await openTemporal(service.dataDir);
    process.kill(temporal.pid, 'SIGSTOP');
    try {
      const unready = await waitFor(async () => {
        const answer = await open('/readyz');
        return answer.status === 503 ? answer : undefined;
      });
      expect(await unready.json()).toMatchObject({ warehouse: 'ok', temporal: 'unreachable' });
      expect((await open('/livez')).status).toBe(200);
      expect(expectData(await admin.get('/health'))).toMatchObject({
        status: 'degraded',
        warehouse: 'ok',
        temporal: 'unreachable',
      });
      const refused = await admin.post(`/cost-sources/${sourceId}/ingest`, {});
      expectError(refused, 503, /^Temporal did not answer in time/);
      expect(refused.headers.get('retry-after')).toBe('5');
    } finally {
      process.kill(temporal.pid, 'SIGCONT');
      await temporal.close();
    }
    await waitFor(async () => ((await open('/readyz')).status === 200 ? true : undefined));
    expect(expectData(await admin.get('/health'))).toMatchObject({
      status: 'ok',
      version: textLike(/^\d+\.\d+\.\d+/),
      warehouse: 'ok',
      temporal: 'ok',
    });
  });
});

describe('GET /openapi.json', () => {
  const FILE_TYPES = ['application/vnd.apache.arrow.stream', 'application/vnd.apache.parquet', 'text/csv'];
  interface Operation {
    operationId: string;
    summary?: string;
    tags?: string[];
    security?: Record<string, unknown>[];
    requestBody?: unknown;
    responses: Record<string, { content?: Record<string, { schema: unknown }> }>;
    parameters?: { name: string; in: string; required?: boolean }[];
  }
  interface OpenApi {
    openapi: string;
    info: { version: string };
    paths: Record<string, Record<string, Operation>>;
    components: { schemas: Record<string, object>; securitySchemes: Record<string, { name: string }> };
    security: Record<string, unknown>[];
    tags: { name: string; description: string }[];
  }
  let document: OpenApi;
  let operations: { name: string; operation: Operation }[];

  beforeAll(async () => {
    document = (await (await fetch(`${service.url}/openapi.json`)).json()) as OpenApi;
    operations = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => ({
        name: `${method.toUpperCase()} ${path}`,
        operation,
      })),
    );
  });

  it('describes exactly the routes that exist', () => {
    expect(document.openapi).toMatch(/^3\.1/);
    const operatorRoutes = [
      'GET /operator/organisations',
      'POST /operator/organisations',
      'GET /operator/organisations/{id}',
      'PATCH /operator/organisations/{id}',
      'DELETE /operator/organisations/{id}',
      'GET /operator/deletions',
      'POST /operator/organisations/{id}/keys',
      'DELETE /operator/organisations/{id}/keys/{key_id}',
      'POST /operator/organisations/{id}/cost-sources/{source_id}/ingest',
      'GET /operator/organisations/{id}/cost-sources/{source_id}/runs',
      'GET /operator/master-key',
      'POST /operator/master-key/rotate',
      'GET /operator/backups',
      'POST /operator/backups',
    ];
    const tenantRoutes = [...ROUTES, ...SESSION_ROUTES].map(({ method, path }) => `${method} /api/v1${path}`);
    expect(operations.map(({ name }) => name).sort()).toEqual([...operatorRoutes, ...tenantRoutes].sort());
  });

  it('describes the success and every error of each tenant route', () => {
    for (const route of [...ROUTES, ...SESSION_ROUTES]) {
      const { responses, requestBody } = operationOf(`${route.method} /api/v1${route.path}`);
      const expected = [
        ...['200', '400', '401', '403', '429', '500', '503'],
        ...(route.notFound ? ['404'] : []),
        ...(route.conflict ? ['409'] : []),
        ...(route.body ? ['408', '413', '415'] : []),
      ];
      const shown = { route: `${route.method} ${route.path}`, statuses: Object.keys(responses).sort() };
      expect(shown).toEqual({ ...shown, statuses: expected.sort() });
      expect(requestBody !== undefined).toBe(route.body === true);
      for (const [status, { content = {} }] of Object.entries(responses)) {
        if (status === '200' && route.file) {
          expect(Object.keys(content).sort()).toEqual(FILE_TYPES);
          continue;
        }
        const schema = resolved(content['application/json']?.schema);
        const fields = Object.keys(schema.properties ?? {}).sort();
        if (status !== '200') expect(fields).toEqual(['error', 'success']);
        else {
          const beside = route.beside ?? (route.paged ? ['next_cursor'] : []);
          expect(fields).toEqual(route.bare ?? ['data', 'success', ...beside].sort());
        }
      }
    }
  });

  it('names JSON first, and then the files, of the routes that answer rows in both', () => {
    const both = operations.filter(({ operation }) => {
      const types = Object.keys(operation.responses['200']?.content ?? {});
      return types.includes('application/json') && types.length > 1;
    });
    expect(both.map(({ name }) => name)).toEqual(['GET /api/v1/costs', 'GET /api/v1/costs/breakdown']);
    for (const { operation } of both) {
      const [first, ...files] = Object.entries(operation.responses['200']?.content ?? {});
      expect([first?.[0], files.map(([type]) => type).sort()]).toEqual(['application/json', FILE_TYPES]);
      for (const [, { schema }] of files) expect(schema).toEqual({ type: 'string', format: 'binary' });
    }
  });

  it('names the parameters of each path and query', () => {
    for (const { name, operation } of operations) {
      const inPath = [...name.matchAll(/\{(\w+)\}/g)].map(([, parameter]) => parameter);
      const described = (operation.parameters ?? []).filter((parameter) => parameter.in === 'path');
      expect(described.map((parameter) => parameter.name).sort()).toEqual(inPath.sort());
    }
    const { parameters } = operationOf('GET /api/v1/costs');
    expect(parameters?.map((parameter) => [parameter.name, parameter.required])).toEqual([
      ['start_date', true],
      ['end_date', true],
      ['safe', false],
    ]);
  });

  it('names the key or cookie that each route takes', () => {
    expect(document.components.securitySchemes).toMatchObject({
      key: { in: 'header', name: 'X-API-Key' },
      bearer: { type: 'http', scheme: 'bearer' },
      operator: { in: 'header', name: 'X-Operator-Key' },
      session: { in: 'cookie', name: 'cost_analytics_session' },
    });
    const expected: Record<string, string[]> = {
      'POST /api/v1/session': [],
      'GET /api/v1/session': ['session'],
      'DELETE /api/v1/session': ['session'],
    };
    for (const { name, operation } of operations) {
      const security = operation.security ?? document.security;
      const usual = name.includes('/operator/') ? ['operator'] : ['key', 'bearer', 'session'];
      const schemes = security.flatMap((alternative) => Object.keys(alternative));
      expect({ name, schemes }).toEqual({ name, schemes: expected[name] ?? usual });
    }
  });

  it('has a summary and a tag for every route, and resolves every reference', () => {
    for (const { name, operation } of operations) {
      expect({ name, isDescribed: Boolean(operation.summary && operation.tags?.length) }).toEqual({
        name,
        isDescribed: true,
      });
    }
    for (const [, id] of JSON.stringify(document).matchAll(/"#\/components\/schemas\/([^"]+)"/g)) {
      expect(document.components.schemas).toHaveProperty([id ?? '']);
    }
  });

  it('gives every route a name of its own, and describes the groups of routes, the operator’s last', () => {
    const names = operations.map(({ operation }) => operation.operationId);
    expect(new Set(names).size).toBe(operations.length);
    for (const name of names) expect(name).toMatch(/^[a-z]+[A-Z][A-Za-z]+$/);
    const described = document.tags
      .filter(({ description }) => description.endsWith('.'))
      .map(({ name }) => name);
    expect([...described].sort()).toEqual(
      [...new Set(operations.flatMap(({ operation: { tags = [] } }) => tags))].sort(),
    );
    expect(described.at(-1)).toBe('Operator');
  });

  it('names the variants of each union and the field that tells them apart, and no schema that nothing uses', () => {
    const { SpendPick } = document.components.schemas;
    const names = ['Kubernetes', 'Host', 'Cloud', 'Repository'].map(
      (name) => `#/components/schemas/${name}Pick`,
    );
    expect(SpendPick).toMatchObject({
      oneOf: names.map(($ref) => ({ $ref })),
      discriminator: { propertyName: 'source', mapping: { kubernetes: names[0], host: names[1] } },
    });
    const text = JSON.stringify(document);
    for (const name of Object.keys(document.components.schemas)) {
      expect(text).toContain(`"#/components/schemas/${name}"`);
      expect(name).not.toMatch(/Input$/);
    }
  });

  it('has only patterns that the engines of all languages read', () => {
    const patterns = new Set(
      [...JSON.stringify(document).matchAll(/"pattern":("(?:[^"\\]|\\.)*")/g)].map(
        ([, text = '']) => JSON.parse(text) as string,
      ),
    );
    const ONE_LINE = '^[^\\x00-\\x1f\\x7f-\\x9f]*$';
    expect(patterns).toContain(ONE_LINE);
    // No Unicode properties, no \u, no look-around: Go's RE2 and Python's re have none of them, or write them differently.
    for (const pattern of patterns) expect(pattern).not.toMatch(/\\[pPuU]|\(\?[=!<]/);
    for (const character of ['\0', '\t', '\n', '\u001f', '\u007f', '\u009f'])
      expect(character).not.toMatch(new RegExp(ONE_LINE));
    for (const character of [' ', '~', '\u00a0', '€', '🙂']) expect(character).toMatch(new RegExp(ONE_LINE));
  });

  const operationOf = (name: string): Operation => {
    const found = operations.find((each) => each.name === name);
    if (found === undefined) throw new Error(`${name} is not described`);
    return found.operation;
  };

  const resolved = (schema: unknown): { properties?: object } => {
    const { $ref: reference } = (schema ?? {}) as { $ref?: string };
    const target = reference?.replace('#/components/schemas/', '');
    return target === undefined ? (schema as object) : (document.components.schemas[target] ?? {});
  };
});
