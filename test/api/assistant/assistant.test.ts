import { TICKET_HEADER } from '../../../api/access/tickets.ts';
import { once } from 'node:events';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { openRaw, startLocalApi, type LocalApi } from '../../support/service/local-api.ts';
import { newMetric } from '../../support/warehouse/tenant.ts';
import { sendMessage, toolCall } from '../../support/service/assistant-client.ts';
import { WAIT_MS } from '../../support/patience.ts';

/** The assistant under load, and what it leaves in the log. Heavy routes run twice for an organisation, and 20 wait (503). */
const RUNNING = 2;
const WAITING = 20;

const BREAKDOWN = { start_date: '2026-01-01', end_date: '2026-01-31', group_by: ['account'] };

let api: LocalApi;
let orgId: string;
let secret: string;

beforeEach(async () => {
  api = await startLocalApi();
  ({ orgId, secret } = await api.newTenant());
});

afterEach(async () => {
  vi.restoreAllMocks();
  await api.close();
});

interface ToolAnswer {
  result: { isError?: boolean; content: { text: string }[] };
}

async function breakdown(signal?: AbortSignal): Promise<ToolAnswer['result']> {
  const call = toolCall('get_cost_breakdown', BREAKDOWN);
  const response = await sendMessage(api, { 'x-api-key': secret }, call, signal);
  return ((await response.json()) as ToolAnswer).result;
}

const BUSY = { isError: true, content: [{ type: 'text', text: 'busy; try again' }] };

describe('the overview', () => {
  interface Overview {
    data: { metric: { id: string } }[];
    next_cursor: string | null;
  }

  const overview = async (page: object): Promise<Overview> => {
    const response = await sendMessage(api, { 'x-api-key': secret }, toolCall('get_overview', page));
    return JSON.parse(((await response.json()) as ToolAnswer).result.content[0]?.text ?? '') as Overview;
  };

  it('comes in pages, and names the argument for a cursor of another list', async () => {
    const ids: string[] = [];
    for (const _ of Array(3).keys()) ids.push((await newMetric(api.warehouse, orgId)).id);
    const first = await overview({ limit: 2 });
    expect(first.data.map(({ metric }) => metric.id)).toEqual(ids.slice(0, 2));
    const last = await overview({ limit: 2, cursor: first.next_cursor });
    expect([last.data.map(({ metric }) => metric.id), last.next_cursor]).toEqual([ids.slice(2), null]);
    const wrong = toolCall('get_overview', { cursor: 'met_of_nobody' });
    const { result } = (await (await sendMessage(api, { 'x-api-key': secret }, wrong)).json()) as ToolAnswer;
    expect([result.isError, result.content[0]?.text]).toEqual([
      true,
      'cursor: expected next_cursor of the answer before, got another text; begin with the first page',
    ]);
  });
});

describe('the address of the assistant', () => {
  const status = async (at: LocalApi, key: string, headers: object): Promise<[number, string]> => {
    const { statusCode, payload } = await at.app.inject({
      method: 'POST',
      url: '/mcp',
      headers: { 'content-type': 'application/json', 'x-api-key': key, ...headers },
      payload: toolCall('list_teams'),
    });
    return [statusCode, payload];
  };

  it('is the one of PUBLIC_URL, for clients and for pages', async () => {
    const named = await startLocalApi({ publicUrl: new URL('https://costs.example.com') });
    const { secret: key } = await named.newTenant();
    for (const headers of [
      { host: 'costs.example.com' },
      { host: 'costs.example.com:443', origin: 'https://costs.example.com' },
    ])
      expect((await status(named, key, headers))[0]).toBe(200);
    for (const [headers, words] of [
      [{ host: 'rebound.example.net' }, 'Host: expected costs.example.com, the host of PUBLIC_URL'],
      [{ host: '' }, 'Host: expected'],
      [{ host: 'costs.example.com', origin: 'https://rebound.example.net' }, 'Origin: expected'],
      [{ host: 'costs.example.com', origin: 'null' }, 'Origin: expected'],
    ] as const)
      expect(await status(named, key, headers)).toEqual([403, expect.stringContaining(words)]);
    await named.close();
  });

  it('is any name without PUBLIC_URL, but for pages of other sites', async () => {
    expect((await status(api, secret, { host: 'localhost:8080' }))[0]).toBe(200);
    expect((await status(api, secret, { host: 'a.example.com', origin: 'https://a.example.com' }))[0]).toBe(
      200,
    );
    const other = { host: 'localhost:8080', origin: 'https://rebound.example.net' };
    expect((await status(api, secret, other))[0]).toBe(403);
  });
});

describe('the assistant', () => {
  it('keeps the limits of heavy routes, and the places of clients that leave are free once their work has ended', async () => {
    let release: () => void = () => undefined;
    const held = new Promise<void>((resolve) => (release = resolve));
    const { warehouse } = api;
    const onOneState = warehouse.onOneState.bind(warehouse);
    let begun = 0;
    const spy = vi.spyOn(warehouse, 'onOneState').mockImplementation(async (run, ...more) => {
      begun += 1;
      if (begun <= RUNNING) await held;
      return onOneState(run, ...more);
    });
    const leave = new AbortController();
    const calls = Array.from({ length: RUNNING + WAITING }, () =>
      breakdown(leave.signal).catch(() => 'left'),
    );
    await vi.waitFor(async () => {
      expect(spy).toHaveBeenCalledTimes(RUNNING);
      expect(await breakdown(AbortSignal.timeout(1_000))).toEqual(BUSY);
    }, WAIT_MS);
    leave.abort();
    expect(await Promise.all(calls)).toEqual(Array<string>(RUNNING + WAITING).fill('left'));
    // The first two hold their places until the warehouse is done with them.
    release();
    await vi.waitFor(async () => {
      expect((await breakdown()).isError).toBeUndefined();
    }, WAIT_MS);
    expect(api.lines.join('')).not.toContain('unexpected error');
  });

  it.each([
    'application/json',
    '*/*',
    'text/csv, application/*;q=0.8',
    'application/json, text/event-stream',
  ])('answers JSON to a client that accepts %s', async (accept) => {
    const response = await sendMessage(api, { 'x-api-key': secret, accept }, toolCall('list_teams'));
    expect([response.status, response.headers.get('content-type')]).toEqual([
      200,
      'application/json; charset=utf-8',
    ]);
    expect(await response.json()).toMatchObject({ id: 1, result: { structuredContent: { data: [] } } });
  });

  it('answers JSON to a client without an Accept header', async () => {
    const body = JSON.stringify(toolCall('list_teams'));
    const { answer } = openRaw(
      api.port,
      `POST /mcp HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nX-API-Key: ${secret}\r\nConnection: close\r\n` +
        `Content-Length: ${body.length}\r\n\r\n${body}`,
    );
    expect(await answer).toMatch(/^HTTP\/1\.1 200 [^]*"structuredContent"/);
  });

  it.each(['text/html', 'text/event-stream', 'application/json;q=0', '*/*; q=0.0'])(
    'refuses a client that accepts %s only, because all answers are JSON',
    async (accept) => {
      const response = await sendMessage(api, { 'x-api-key': secret, accept }, toolCall('list_teams'));
      expect(response.status).toBe(406);
    },
  );

  it('reads `arguments: null` as no arguments', async () => {
    const call = (name: string) => ({ ...toolCall(name), params: { name, arguments: null } });
    const ofTeams = await sendMessage(api, { 'x-api-key': secret }, call('list_teams'));
    expect(await ofTeams.json()).toMatchObject({ result: { structuredContent: { data: [] } } });
    // A tool with mandatory arguments still asks for them.
    const ofCosts = (await (
      await sendMessage(api, { 'x-api-key': secret }, call('get_costs'))
    ).json()) as ToolAnswer;
    expect(ofCosts.result).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining('start_date') as string }],
    });
  });

  it('leaves no key and no argument in the log', async () => {
    const given = { ...BREAKDOWN, cursor: 'secret-cursor', colour: 'secret-colour' };
    for (const call of [
      toolCall('get_cost_breakdown', given),
      toolCall('get_cost_breakdown', { ...BREAKDOWN, cursor: 'secret-cursor' }),
      toolCall('secret-tool'),
    ])
      await sendMessage(api, { authorization: `Bearer ${secret}` }, call);
    const log = api.lines.join('');
    expect(log).toContain('"url":"/mcp"');
    expect(log).toContain('"url":"/api/v1/costs/breakdown"');
    expect(log).not.toMatch(/secret-(cursor|colour|tool)/);
    expect(log).not.toContain(secret);
    expect(log).not.toContain(TICKET_HEADER);
  });

  it('reveals nothing of an unexpected error, which the log has', async () => {
    vi.spyOn(api.warehouse, 'onOneState').mockRejectedValueOnce(new Error('Catalog Error: hidden_table'));
    expect(await breakdown()).toEqual({
      isError: true,
      content: [{ type: 'text', text: 'internal server error' }],
    });
    const logged = api.lines.filter((line) => line.includes('hidden_table'));
    expect(logged).toHaveLength(1);
    expect(logged[0]).toContain('"through":"assistant"');
  });

  it('answers a call whose body arrives while the service stops', async () => {
    const body = JSON.stringify(toolCall('get_cost_breakdown', BREAKDOWN));
    const head =
      'POST /mcp HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n' +
      `Accept: application/json, text/event-stream\r\nX-API-Key: ${secret}\r\n`;
    const arrived = once(api.app.server, 'request');
    const { socket, answer } = openRaw(
      api.port,
      `${head}Content-Length: ${body.length}\r\n\r\n${body.slice(0, 10)}`,
    );
    await arrived;
    const closed = api.app.close();
    await vi.waitUntil(() => !api.app.server.listening, WAIT_MS);
    socket.write(body.slice(10));
    expect(await answer).toMatch(/^HTTP\/1\.1 200 [^]*"text":"busy; try again"/);
    await closed;
  });
});
