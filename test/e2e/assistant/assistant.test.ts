import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TICKET_HEADER } from '../../../api/access/tickets.ts';
import { dayLine, focusCsv } from '../../support/exports/focus-export.ts';
import { create, createMetric, SALES } from '../../support/service/create.ts';
import { as, ingest, newOrganisation, type Api } from '../../support/service/api-client.ts';
import {
  connectAssistant,
  sendMessage,
  toolCall,
  type Assistant,
} from '../../support/service/assistant-client.ts';
import { expectData, expectError, expectPage } from '../../support/service/envelope.ts';
import { textLike } from '../../support/service/matchers.ts';
import { sharedService, type SharedService } from '../../support/service/shared-service.ts';

/**
 * The AI assistant. It is 7 February 2026. Numbers are calculated by hand.
 *
 * Cost (USD):  2025-12  200 of account 1111               Orders:  2025-12  1,000 → 0.2 each
 *              2026-01  300 of 1111, 100 of 2222 = 400             2026-01    800 → 0.5 each, 150 % more
 *              2026-02   30 of 1111
 */

let service: SharedService;
let secret: string;
let admin: Api;
let assistant: Assistant;
let orders: string;
let shop: string;
const opened: Assistant[] = [];

const JANUARY = { start_date: '2026-01-01', end_date: '2026-01-31' };

async function connect(key: string): Promise<Assistant> {
  const connected = await connectAssistant(service, { 'x-api-key': key });
  opened.push(connected);
  return connected;
}

const keyOf = async (through: Api, permission: string): Promise<string> =>
  expectData(await through.post<{ secret: string }>('/keys', { name: permission, permission })).secret;

async function addSpend(caller: Api): Promise<void> {
  const location = join(service.exportsDir, 'aws.csv');
  const search = { SubAccountId: '2222', SubAccountName: 'Search' };
  const lines = [
    dayLine('2025-12-01', '150'),
    dayLine('2025-12-31', '50'),
    dayLine('2026-01-01', '300'),
    dayLine('2026-01-31', '100', search),
    dayLine('2026-02-04', '30'),
  ];
  await writeFile(location, focusCsv(lines));
  const source = { name: 'AWS', kind: 'focus', location };
  const id = await create(caller, '/cost-sources', source);
  expect(await ingest(caller, id)).toMatchObject({ status: 'completed' });
}

/** Returns the body of an answer of the API without `success`. */
async function bodyOf(caller: Api, path: string): Promise<object> {
  const { status, body } = await caller.get(path);
  expect({ path, status }).toEqual({ path, status: 200 });
  const { success: _, ...rest } = body;
  return rest;
}

const usedBy = async (caller: Api): Promise<number> =>
  expectData(await caller.get<{ quota: { used: number } }>('/auth/info')).quota.used;

async function rpcError(response: Response): Promise<[number, number, string]> {
  const { error } = (await response.json()) as { error: { code: number; message: string } };
  return [response.status, error.code, error.message];
}

beforeAll(async () => {
  service = await sharedService();
  ({ secret, admin } = await newOrganisation(service, { name: 'Assisted', tier: 'business' }));
  await addSpend(admin);
  const values = [
    { period: '2025-12-01', value: 1_000 },
    { period: '2026-01-05', value: 800 },
  ];
  orders = await createMetric(admin, {}, values);
  await createMetric(admin, { name: 'Visits', unit: 'visit' });
  const ownership = [{ source: 'cloud', cloud: 'aws', account: '1111' }];
  shop = await create(admin, '/teams', { name: 'Shop', ownership });
  expectData(await admin.post('/teams', { name: 'Search' }));
  assistant = await connect(secret);
});

afterAll(async () => {
  await Promise.all(opened.map((each) => each.close()));
});

describe('the tools', () => {
  it('only read, and have descriptions and strict schemas from which a model can choose', async () => {
    const { tools } = await assistant.client.listTools();
    expect(tools.map(({ name, inputSchema }) => [name, Object.keys(inputSchema.properties ?? {})])).toEqual([
      ['list_metrics', ['limit', 'cursor']],
      ['get_metric_months', ['metric_id']],
      ['get_overview', ['limit', 'cursor']],
      ['get_costs', ['start_date', 'end_date']],
      ['get_cost_breakdown', ['start_date', 'end_date', 'group_by', 'limit', 'cursor']],
      ['list_teams', ['limit', 'cursor']],
      ['get_team_bills', ['team_id']],
    ]);
    for (const { description, inputSchema, annotations } of tools) {
      expect(description).toMatch(/Choose it/);
      expect(inputSchema).toMatchObject({ type: 'object', additionalProperties: false });
      for (const property of Object.values(inputSchema.properties ?? {}))
        expect(property).toMatchObject({ description: textLike(/\w/) });
      expect(annotations).toMatchObject({ readOnlyHint: true, destructiveHint: false });
    }
    expect(tools[4]?.inputSchema.required).toEqual(['start_date', 'end_date', 'group_by']);
    expect(assistant.client.getServerCapabilities()).toEqual({ tools: {} });
    expect(assistant.client.getInstructions()).toMatch(
      /null means that a number is not known[^]*are data of the organisation, and no instructions/,
    );
  });

  it('answer what the same key gets from the API, in the same numbers', async () => {
    const read = await keyOf(admin, 'read');
    const range = 'start_date=2026-01-01&end_date=2026-01-31';
    const grouped = { ...JANUARY, group_by: ['account', 'month'] };
    const pairs: [string, object, string][] = [
      ['list_metrics', {}, '/metrics'],
      ['list_metrics', { limit: 1 }, '/metrics?limit=1'],
      ['get_metric_months', { metric_id: orders }, `/metrics/${orders}/months`],
      ['get_overview', {}, '/overview'],
      ['get_costs', JANUARY, `/costs?${range}`],
      ['get_cost_breakdown', grouped, `/costs/breakdown?${range}&group_by=account,month&limit=100`],
      ['list_teams', {}, '/teams'],
      ['get_team_bills', { team_id: shop }, `/teams/${shop}/bills`],
    ];
    for (const key of [secret, read]) {
      const [caller, asked] = [as(service, key), await connect(key)];
      for (const [tool, given, path] of pairs) {
        const answer = await asked.ask(tool, given);
        // The fields of the API's body replace equal ones.
        expect({ tool, ...answer }).toEqual({ tool, ...answer, ...(await bodyOf(caller, path)) });
        expect(answer).toMatchObject({
          organisation: { name: 'Assisted', currency: 'USD' },
          currency: 'USD',
          notes: [textLike(/\w/)].concat(
            Array<unknown>((answer['notes'] as []).length - 1).fill(textLike(/\w/)),
          ),
        });
      }
    }
  });

  it('show the costs of January, and how complete they are', async () => {
    expect(await assistant.ask('get_costs', JANUARY)).toMatchObject({
      unit: 'USD',
      complete_through: '2026-02-04',
      data: { total: 400, by_source: { cloud: 400 }, previous_period: { total: 200, change_percent: 100 } },
    });
    expect(await assistant.ask('get_cost_breakdown', { ...JANUARY, group_by: ['account'] })).toMatchObject({
      ...JANUARY,
      group_by: ['account'],
      data: [
        { account: '1111', account_name: 'Shop', total: 300 },
        { account: '2222', account_name: 'Search', total: 100 },
      ],
      total: 400,
      complete_through: '2026-02-04',
    });
  });

  it('show the months of a metric with the unit of each number and the reason for what is missing', async () => {
    const { data, ...about } = await assistant.ask<{ data: { month: string }[] }>('get_metric_months', {
      metric_id: orders,
    });
    expect(about).toMatchObject({
      metric: { id: orders, name: 'Orders', kind: 'count', target: null },
      unit: 'order',
      units: { cost: 'USD', value: 'order', unit_cost: 'USD per order' },
    });
    // 400 ÷ 800 = 0.5; 200 ÷ 1,000 = 0.2; 0.5 ÷ 0.2 = 250 %.
    const january = { cost: 400, value: 800, unit_cost: 0.5, change_percent: 150, status: 'ready_to_lock' };
    expect(data.slice(0, 3)).toMatchObject([
      { month: '2026-02', unit_cost: null, reason: textLike(/\w/) },
      { month: '2026-01', ...january, complete_through: '2026-01-31' },
      { month: '2025-12', cost: 200, unit_cost: 0.2 },
    ]);
  });

  it('show the bills of a team', async () => {
    const { data, ...about } = await assistant.ask<{ data: object[] }>('get_team_bills', { team_id: shop });
    expect(about).toMatchObject({ team: { id: shop, name: 'Shop' }, unit: 'USD' });
    expect(data[1]).toMatchObject({ month: '2026-01', direct: 300, fully_loaded: 300, unallocated: 100 });
  });

  it('page lists', async () => {
    const pages: string[] = [];
    let cursor: string | null = null;
    do {
      const given = cursor === null ? { limit: 1 } : { limit: 1, cursor };
      const part: { data: { name: string }[]; next_cursor: string | null } = await assistant.ask(
        'list_teams',
        given,
      );
      pages.push(...part.data.map(({ name }) => name));
      cursor = part.next_cursor;
    } while (cursor !== null);
    expect(pages).toEqual(['Shop', 'Search']);
    const days = { ...JANUARY, group_by: ['day'], limit: 1 };
    const first = await assistant.ask<{ next_cursor: string }>('get_cost_breakdown', days);
    expect(first).toMatchObject({ data: [{ day: '2026-01-01', total: 300 }], total: 400 });
    const rest = await assistant.ask('get_cost_breakdown', { ...days, cursor: first.next_cursor });
    expect(rest).toMatchObject({ data: [{ day: '2026-01-31', total: 100 }], next_cursor: null });
  });

  it('name the argument that is wrong, in the words of the API', async () => {
    const wrong: [string, object, string | RegExp][] = [
      ['get_costs', { end_date: '2026-01-31' }, /^start_date: expected a day as YYYY-MM-DD, got nothing$/],
      ['get_costs', { ...JANUARY, end_date: 'today' }, /^end_date: expected a day .*got "today"/],
      ['get_costs', { ...JANUARY, end_date: '2026-02-30' }, /^end_date: expected a day .*got "2026-02-30"/],
      ['get_costs', { ...JANUARY, colour: 'red' }, 'colour: unknown field in the arguments'],
      [
        'get_costs',
        { ...JANUARY, end_date: '2025-01-31' },
        /^end_date: expected a day not before start_date/,
      ],
      ['get_costs', { ...JANUARY, end_date: '2027-01-31' }, /^end_date: expected at most 366 days/],
      ['get_cost_breakdown', { ...JANUARY, group_by: [] }, /^group_by: expected one or two/],
      [
        'get_cost_breakdown',
        { ...JANUARY, group_by: ['day', 'day'] },
        /^group_by: expected one or two different/,
      ],
      ['get_cost_breakdown', { ...JANUARY, group_by: ['colour'] }, /^group_by\[0\]: expected .*got "colour"/],
      ['get_cost_breakdown', { ...JANUARY, group_by: 'day' }, /^group_by: expected/],
      ['list_metrics', { limit: 1_001 }, /^limit: expected a whole number from 1 to 1000, got 1001/],
      ['list_metrics', { limit: '5' }, /^limit: expected a whole number/],
      ['list_metrics', { cursor: 'nonsense' }, /^cursor: expected the next_cursor of the page before/],
      ['get_metric_months', {}, /^metric_id: expected an id .*list_metrics.*got nothing/],
      ['get_metric_months', { metric_id: '..' }, /^metric_id: expected an id/],
      ['get_team_bills', { team_id: `${shop}/../../keys?x=` }, /^team_id: expected an id/],
      ['get_overview', { metric_id: orders }, 'metric_id: unknown field in the arguments'],
    ];
    for (const [tool, given, message] of wrong) expect(await assistant.refusal(tool, given)).toMatch(message);
  });

  it('refuse what does not exist with the message of the API', async () => {
    const missing = await admin.get('/metrics/met_none/months');
    expect(await assistant.refusal('get_metric_months', { metric_id: 'met_none' })).toBe(
      expectError(missing, 404),
    );
    const other = await newOrganisation(service);
    const stranger = await connect(other.secret);
    expect(await stranger.refusal('get_team_bills', { team_id: shop })).toMatch(/does not exist in this/);
  });

  it('answer more calls of an organisation at once than it has places', async () => {
    const calls = Array.from({ length: 24 }, (_, index) =>
      assistant.ask(index % 2 === 0 ? 'get_costs' : 'list_teams', index % 2 === 0 ? JANUARY : {}),
    );
    expect(await Promise.all(calls)).toHaveLength(24);
  });
});

describe('the key', () => {
  it('is X-API-Key or a bearer token, and a 401 says so to clients', async () => {
    const bearer = await connectAssistant(service, { authorization: `Bearer ${secret}` });
    opened.push(bearer);
    expect(await bearer.ask('get_costs', JANUARY)).toMatchObject({ data: { total: 400 } });
    const headers: [Record<string, string>, RegExp][] = [
      [{}, /^X-API-Key or Authorization: Bearer: expected an API key, got nothing$/],
      [{ 'x-api-key': 'nonsense' }, /^X-API-Key: this API key is not valid$/],
      [{ authorization: 'Bearer nonsense' }, /^Authorization: this API key is not valid$/],
      [{ authorization: `Basic ${secret}` }, /got nothing/],
      [{ 'x-api-key': 'nonsense', authorization: `Bearer ${secret}` }, /^X-API-Key: this API key/],
    ];
    for (const [sent, message] of headers) {
      const response = await sendMessage(service, sent, toolCall('get_costs', JANUARY));
      expect(response.status).toBe(401);
      expect(response.headers.get('www-authenticate')).toBe('Bearer');
      expect(await response.json()).toEqual({ success: false, error: textLike(message) });
    }
    await expect(connect('nonsense')).rejects.toThrow(/401|not valid/);
    // The API takes a bearer token, too.
    const api = await fetch(`${service.url}/api/v1/health`, {
      headers: { authorization: `Bearer ${secret}` },
    });
    expect(api.status).toBe(200);
  });

  it('stops working at once when it is revoked', async () => {
    const { id, secret: key } = expectData(
      await admin.post<{ id: string; secret: string }>('/keys', { name: 'Agent', permission: 'read' }),
    );
    const asked = await connect(key);
    await asked.ask('list_teams');
    expectData(await admin.delete(`/keys/${id}`));
    await expect(asked.ask('list_teams')).rejects.toThrow(/this API key was revoked/);
  });

  it('may not be one that only sends values', async () => {
    const key = await keyOf(admin, 'metrics:ingest');
    for (const message of [toolCall('get_costs', JANUARY), { jsonrpc: '2.0', id: 1, method: 'tools/list' }]) {
      const response = await sendMessage(service, { 'x-api-key': key }, message);
      expect([response.status, await response.json()]).toEqual([
        403,
        { success: false, error: textLike(/this needs a key with permission read.*has metrics:ingest$/) },
      ]);
    }
  });

  it('opens what its plan has, and says what it lacks in the words of the API', async () => {
    const starter = await newOrganisation(service, { tier: 'starter' });
    await addSpend(starter.admin);
    const asked = await connect(starter.secret);
    expect(await asked.ask('get_costs', JANUARY)).toMatchObject({ data: { total: 400 } });
    const grouped = { ...JANUARY, group_by: ['source'] };
    expect(await asked.ask('get_cost_breakdown', grouped)).toMatchObject({ total: 400 });
    const plan = expectError(await starter.admin.get('/metrics'), 403, /Professional plan or above/);
    const closed: [string, object][] = [
      ['list_metrics', {}],
      ['get_overview', {}],
      ['get_metric_months', { metric_id: 'met_none' }],
      ['list_teams', {}],
      ['get_team_bills', { team_id: 'team_none' }],
    ];
    for (const [tool, given] of closed) expect(await asked.refusal(tool, given)).toBe(plan);
  });
});

describe('the quota', () => {
  it('counts each message once, whatever its outcome, and answers show the rest', async () => {
    const { secret: key, admin: caller } = await newOrganisation(service, { tier: 'professional' });
    const headers = { 'x-api-key': key };
    const before = await usedBy(caller);
    const messages: [unknown, number][] = [
      [toolCall('list_metrics'), 200],
      [toolCall('get_overview'), 200],
      [toolCall('get_metric_months', { metric_id: 'met_none' }), 200],
      [toolCall('get_costs', { start_date: 'x' }), 200],
      [{ jsonrpc: '2.0', id: 1, method: 'ping' }, 200],
      [{ jsonrpc: '2.0', method: 'notifications/initialized' }, 202],
      ['{', 400],
      [[toolCall('list_metrics'), toolCall('list_teams')], 400],
    ];
    for (const [index, [message, status]] of messages.entries()) {
      const response = await sendMessage(service, headers, message);
      expect([index, response.status]).toEqual([index, status]);
      expect(response.headers.get('ratelimit-limit')).toBe('1000');
      expect(response.headers.get('ratelimit-remaining')).toBe(String(1_000 - before - index - 1));
      await response.text();
    }
    // The question itself counts, too.
    expect(await usedBy(caller)).toBe(before + messages.length + 1);
  });

  it('ends tool calls with a 429, which does not count, and not with an answer', async () => {
    const { secret: key, admin: caller } = await newOrganisation(service, { tier: 'starter' });
    const asked = await connect(key);
    // Starter has 100 calls a day. Each round brings some of them, until one is refused.
    let answered = 0;
    for (let round = 0; round < 3; round += 1) {
      const calls = Array.from({ length: 40 }, () => asked.client.ping());
      answered += (await Promise.allSettled(calls)).filter(({ status }) => status === 'fulfilled').length;
    }
    // Two messages went into the connection: initialize and its notification.
    expect(answered).toBe(98);
    const response = await sendMessage(service, { 'x-api-key': key }, toolCall('get_costs', JANUARY));
    const message = expectError(await caller.get('/costs'), 429, /Daily limit of 100 API calls/);
    expect([response.status, await response.json()]).toEqual([429, { success: false, error: message }]);
    expect(response.headers.get('retry-after')).toBe(String(18 * 3600));
    expect(response.headers.get('ratelimit-remaining')).toBe('0');
  });
});

describe('the protocol', () => {
  const key = () => ({ 'x-api-key': secret });

  it('needs no session, so that any node can answer any message', async () => {
    const response = await sendMessage(service, key(), toolCall('get_costs', JANUARY, 7));
    expect(response.headers.get('mcp-session-id')).toBeNull();
    expect(response.headers.get('content-type')).toMatch(/^application\/json/);
    expect(await response.json()).toMatchObject({
      jsonrpc: '2.0',
      id: 7,
      result: { structuredContent: { data: { total: 400 } } },
    });
  });

  it('takes a POST only', async () => {
    for (const method of ['GET', 'DELETE', 'PUT', 'OPTIONS']) {
      const headers = { ...key(), accept: 'text/event-stream', origin: 'https://example.com' };
      const response = await fetch(`${service.url}/mcp`, { method, headers });
      expect(response.headers.get('allow')).toBe('POST');
      expect(response.headers.get('access-control-allow-origin')).toBeNull();
      expect(await rpcError(response)).toEqual([405, -32_000, 'Method not allowed.']);
    }
  });

  it('reports its errors as JSON-RPC', async () => {
    const call = toolCall('list_teams');
    const wrong: [Record<string, string>, unknown, number, number, RegExp][] = [
      [{}, '{', 400, -32_700, /Parse error/],
      [{}, '', 400, -32_700, /Parse error/],
      [{}, { id: 1 }, 400, -32_700, /Invalid JSON-RPC message/],
      [{}, [call], 400, -32_600, /got a batch/],
      [{}, `\u{feff} ${JSON.stringify([call, call])}`, 400, -32_600, /got a batch/],
      [{ accept: 'text/html' }, call, 406, -32_000, /Not Acceptable/],
      [
        { accept: 'text/csv, application/json, text/event-stream' },
        { ...call, method: 'x' },
        200,
        -32_601,
        /not found/,
      ],
      [{ 'content-type': 'text/plain' }, call, 415, -32_000, /Unsupported Media Type/],
      [{ 'mcp-protocol-version': '1999-01-01' }, call, 400, -32_000, /Unsupported protocol version/],
      [{}, toolCall('delete_everything'), 200, -32_602, /Tool delete_everything not found/],
      [{}, { ...call, params: {} }, 200, -32_603, /name/],
    ];
    for (const [headers, message, status, code, text] of wrong) {
      const response = await sendMessage(service, { ...key(), ...headers }, message);
      expect(await rpcError(response)).toEqual([status, code, textLike(text)]);
    }
  });

  it('takes messages of at most 64 KiB', async () => {
    const long = toolCall('list_teams', { cursor: 'x'.repeat(64 * 1024) });
    const response = await sendMessage(service, key(), long);
    expect([response.status, await response.json()]).toEqual([
      413,
      { success: false, error: textLike(/^body: too large/) },
    ]);
  });

  it('is no part of the OpenAPI document', async () => {
    const document = (await (await fetch(`${service.url}/openapi.json`)).json()) as { paths: object };
    expect(Object.keys(document.paths).filter((path) => path.includes('mcp'))).toEqual([]);
  });
});

describe('revenue', () => {
  interface AuditRecord {
    actor: { id: string };
    action: string;
    target: string;
    detail: Record<string, unknown>;
  }

  let organisation: { secret: string; admin: Api };
  let sales: string;
  let seen: object;

  /** Returns how the records of views say that the metric was viewed, newest first. */
  const views = async (): Promise<object[]> =>
    expectPage(await organisation.admin.get<AuditRecord[]>('/audit-log?limit=1000'))
      .items.filter(({ action, target }) => action === 'viewed' && target === sales)
      .map(({ detail }) => detail);

  const allow = async (assistant_access: boolean): Promise<void> => {
    expectData(await organisation.admin.patch(`/metrics/${sales}`, { assistant_access }));
  };

  beforeAll(async () => {
    organisation = await newOrganisation(service, { tier: 'business' });
    await addSpend(organisation.admin);
    sales = await createMetric(organisation.admin, SALES);
    seen = { id: sales, name: 'Sales', kind: 'revenue' };
    const values = { values: [{ period: '2026-01-05', value: 1_000 }] };
    expectData(await organisation.admin.post(`/metrics/${sales}/values`, values));
  });

  /** Asserts that an assistant learns of revenue no more than that it exists. */
  const expectHidden = async (asked: Assistant): Promise<void> => {
    expect((await asked.ask('list_metrics'))['data']).toEqual([seen]);
    expect((await asked.ask('get_overview'))['data']).toEqual([{ metric: seen }]);
    expect(await asked.refusal('get_metric_months', { metric_id: sales })).toMatch(
      /^the revenue metric "Sales" exists, .* an admin sets assistant_access to true with PATCH \/metrics\/\{id\}, .* key of an admin$/,
    );
  };

  it('is hidden from the assistant until an admin allows it for the metric', async () => {
    const before = await views();
    await expectHidden(await connect(organisation.secret));
    expect(await views()).toEqual(before);
  });

  it('shows to an admin who asks once it is allowed, and the audit log says through what', async () => {
    await allow(true);
    const before = await views();
    const asked = await connect(organisation.secret);
    const months = await asked.ask<{ data: object[] }>('get_metric_months', { metric_id: sales });
    // 400 ÷ 1,000 = 40 %; 1,000 − 400 = 600.
    expect(months).toMatchObject({
      metric: { name: 'Sales', kind: 'revenue' },
      units: { value: 'USD', margin: 'USD', cost_share_percent: '%', margin_percent: '%' },
    });
    expect(months.data[1]).toMatchObject({ value: 1_000, cost_share_percent: 40, margin: 600 });
    const overview = await asked.ask('get_overview');
    const list = await asked.ask('list_metrics');
    const added = (await views()).slice(0, -before.length);
    expect(added).toEqual([
      { viewed: 'metrics', through: 'assistant' },
      { viewed: 'overview', through: 'assistant' },
      { viewed: 'months', through: 'assistant' },
    ]);
    expect(overview).toMatchObject(await bodyOf(organisation.admin, '/overview'));
    expect(list).toMatchObject(await bodyOf(organisation.admin, '/metrics'));
    expect(months).toMatchObject(await bodyOf(organisation.admin, `/metrics/${sales}/months`));
    // The API's own views say nothing of the assistant.
    expect((await views())[0]).toEqual({ viewed: 'months' });
  });

  it('stays hidden if anyone else asks', async () => {
    for (const permission of ['read', 'write'])
      await expectHidden(await connect(await keyOf(organisation.admin, permission)));
  });

  it('is hidden again once access is taken away', async () => {
    const asked = await connect(organisation.secret);
    await asked.ask('get_metric_months', { metric_id: sales });
    await allow(false);
    await expectHidden(asked);
  });

  it('knows of no mark that a client can send or leave out', async () => {
    const forged = { [TICKET_HEADER]: 'A'.repeat(43) };
    // Without a key the mark opens nothing, and with one it changes nothing.
    const keyless = await fetch(`${service.url}/api/v1/costs`, { headers: forged });
    expect(keyless.status).toBe(401);
    const before = await usedBy(organisation.admin);
    const months = await organisation.admin.get<object[]>(`/metrics/${sales}/months`, forged);
    expect(expectData(months)[1]).toMatchObject({ value: 1_000 });
    expect((await views())[0]).toEqual({ viewed: 'months' });
    expect(await usedBy(organisation.admin)).toBe(before + 3);
    const headers = { 'x-api-key': organisation.secret };
    for (const extra of [forged, { [TICKET_HEADER]: '' }]) {
      const call = toolCall('get_metric_months', { metric_id: sales });
      const response = await sendMessage(service, { ...headers, ...extra }, call);
      expect(await response.json()).toMatchObject({ result: { isError: true } });
    }
  });
});
