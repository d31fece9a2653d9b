import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { Readable } from 'node:stream';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import type { Api } from '../../api/http/api-type.ts';
import { openDuckDb } from '../support/warehouse/engines.ts';
import { openRaw, OPERATOR_KEY, startLocalApi } from '../support/service/local-api.ts';
import { newMetric } from '../support/warehouse/tenant.ts';
import { WAIT_MS } from '../support/patience.ts';
import { withOpened } from '../support/with-opened.ts';

/**
 * Answers if a dependency fails: the envelope reveals nothing, and the log has the reason. The warehouse is a real one that is
 * closed. Temporal is an address without a server.
 */
const OPERATOR = { 'x-operator-key': OPERATOR_KEY };
const INTERNAL = { success: false, error: 'internal server error' };

describe('the API without its warehouse', () => {
  const api = withOpened(async () => {
    const shared = await openDuckDb();
    const started = await startLocalApi({ shared });
    await shared.close();
    return started;
  });

  it('returns 500 without details, to a tenant and to the operator', async () => {
    const key = `ca_${'0'.repeat(32)}_${'a'.repeat(43)}`;
    for (const [url, headers] of [
      ['/api/v1/organisation', { 'x-api-key': key }],
      ['/api/v1/costs?start_date=2026-01-01&end_date=2026-01-31', { 'x-api-key': key }],
      ['/api/v1/nothing', { 'x-api-key': key }],
      ['/operator/organisations', OPERATOR],
    ] as const) {
      const answer = await api.app.inject({ method: 'GET', url, headers });
      expect({ url, status: answer.statusCode, body: answer.json<unknown>() }).toEqual({
        url,
        status: 500,
        body: INTERNAL,
      });
      expect(answer.headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/);
      // The log has the reason, under the request's id, and not the key.
      const logged = api.lines.filter((line) =>
        line.includes(`"reqId":"${String(answer.headers['x-request-id'])}"`),
      );
      expect(logged.some((line) => line.includes('"stack"'))).toBe(true);
    }
    expect(api.lines.join('')).not.toContain('a'.repeat(43));
    expect(api.lines.join('')).not.toContain(OPERATOR_KEY);
  });

  it('stays alive, and reports that it is not ready', async () => {
    expect((await api.app.inject('/livez')).statusCode).toBe(200);
    const ready = await api.app.inject('/readyz');
    expect(ready.statusCode).toBe(503);
    expect(ready.json()).toMatchObject({ warehouse: 'unreachable', temporal: 'unreachable' });
    expect(ready.body).not.toMatch(/\.duckdb|127\.0\.0\.1|Error/);
  });
});

/** Messages of DuckDB, by the path whose handler throws them. */
const NO_MEMORY = {
  '/pin': 'TransactionContext Error: Failed to commit: failed to pin block of size 256.0 KiB',
  '/allocate-block': 'TransactionContext Error: Failed to commit: could not allocate block of size 256.0 KiB',
  '/allocate-data': 'Invalid Error: failed to allocate data of size 16.0 MiB',
  '/offload': 'TransactionContext Error: Failed to commit: failed to offload data block of size 256.0 KiB',
};

describe('the API without memory or disk space', () => {
  const addRoutes = (app: Api): void => {
    app.get('/full-disk', () => {
      throw new Error('IO Error: Could not write file "/data/spill/x": No space left on device');
    });
    app.get('/failed-checkpoint', () => {
      throw new Error(
        'TransactionContext Error: Failed to commit: Checkpoint failed for database "warehouse". The database has been invalidated.',
      );
    });
    for (const [path, words] of Object.entries(NO_MEMORY))
      app.get(path, () => {
        throw new Error(`${words} (953.5 MiB/953.6 MiB used)`);
      });
    app.get('/large', () => api.warehouse.query(`SELECT len(list(range)) AS length FROM range(10000000)`));
  };
  const api = withOpened(() => startLocalApi({ prepare: addRoutes }));

  beforeAll(() => api.warehouse.run(`SET memory_limit = '50MB'`));

  it('returns 503 with Retry-After, reveals nothing and logs the reason', async () => {
    for (const [url, reason] of [
      ['/large', 'Out of Memory Error'],
      ['/full-disk', 'No space left on device'],
      ['/failed-checkpoint', 'Checkpoint failed'],
      ...Object.entries(NO_MEMORY),
    ] as const) {
      const answer = await api.app.inject({ method: 'GET', url, headers: OPERATOR });
      expect({ url, status: answer.statusCode, body: answer.json<unknown>() }).toEqual({
        url,
        status: 503,
        body: {
          success: false,
          error:
            url === '/full-disk'
              ? 'the disk is full: nothing can be stored until the operator of the service frees space'
              : 'busy; try again',
        },
      });
      expect(answer.headers['retry-after']).toMatch(/^\d+$/);
      expect(api.lines.filter((line) => line.includes(reason))).toHaveLength(1);
    }
  });
});

describe('the close of the API', () => {
  it('waits neither for idle connections nor for a client that stops reading', async () => {
    const endless = function* (): Generator<string> {
      for (;;) yield 'x'.repeat(1_000);
    };
    const api = await startLocalApi({
      patienceMs: 300,
      prepare: (app) => app.get('/endless', (_request, reply) => reply.send(Readable.from(endless()))),
    });
    const asking = async (request: string): Promise<Socket> => {
      const socket = connect({ host: '127.0.0.1', port: api.port });
      await once(socket, 'connect');
      if (request !== '') {
        socket.write(`GET ${request} HTTP/1.1\r\nHost: x\r\n\r\n`);
        await once(socket, 'readable');
      }
      return socket;
    };
    const sockets = [await asking(''), await asking('/livez'), await asking('/endless')];
    // This must end within the test's time limit. The connections would stay for more than a minute, or for ever.
    await api.app.close();
    for (const socket of sockets) socket.destroy();
    await api.close();
  });
});

describe('a client', () => {
  const api = withOpened(() => startLocalApi({ patienceMs: 300 }));
  let head: (path: string) => string;

  beforeAll(async () => {
    const { orgId, secret } = await api.newTenant();
    const { id: metricId } = await newMetric(api.warehouse, orgId);
    head = (path) =>
      `POST /api/v1${path.replace(':id', metricId)} HTTP/1.1\r\nHost: x\r\nX-API-Key: ${secret}\r\nContent-Length: 1000\r\n`;
  });

  /** Sends some bytes, then one more every 50 ms until the connection closes. Returns the answer. */
  const dribble = async (bytes: string): Promise<string> => {
    const { socket, answer } = openRaw(api.port, bytes);
    const timer = setInterval(() => socket.write('x'), 50);
    try {
      return await answer;
    } finally {
      clearInterval(timer);
    }
  };

  it.each([
    ['headers', () => 'GET /livez HTTP/1.1\r\nHost: x\r\nX: '],
    ['JSON', () => `${head('/keys')}Content-Type: application/json\r\n\r\n`],
    ['an upload', () => `${head('/metrics/:id/values/csv')}Content-Type: text/csv\r\n\r\n`],
  ])('gets 408 if it sends %s too slowly, and loses its connection', async (_what, request) => {
    const [headers = '', body = ''] = (await dribble(request())).split('\r\n\r\n');
    expect(headers).toMatch(/^HTTP\/1\.1 408 /);
    expect(headers).toMatch(/connection: close/i);
    expect(JSON.parse(body)).toEqual({ success: false, error: expect.stringMatching(/\S/) as string });
  });

  it('loses its connection if the service has answered without its body', async () => {
    const answer = await dribble(head('/keys').replace(/X-API-Key[^\r]*\r\n/, '') + '\r\n');
    expect(answer).toMatch(/^HTTP\/1\.1 401 /);
  });

  it('leaves no label of its queries in any line of the log', async () => {
    for (const path of ['/api/v1/metrics?label=secret-label', '/api/v1/%ZZ?label=secret-label']) {
      await fetch(`${api.url}${path}`);
    }
    expect(api.lines.join('')).toContain('"url":"/api/v1/metrics"');
    expect(api.lines.join('')).not.toContain('secret-label');
  });
});

describe('a client that goes on sending after an error', () => {
  it.each(['CONNECT host:1 HTTP/1.1\r\nHost: x\r\n\r\n', 'NONSENSE\r\n\r\n'])(
    'loses its connection: %j',
    async (request) => {
      const api = await startLocalApi();
      const { app, port } = api;
      const gone = connect({ host: '127.0.0.1', port });
      const stays = connect({ host: '127.0.0.1', port });
      for (const socket of [gone, stays]) {
        socket.on('error', () => undefined);
        socket.write(request + 'x'.repeat(4_000_000));
        await once(socket, 'readable');
        expect(String(socket.read())).toMatch(/^HTTP\/1\.1 400 /);
      }
      gone.destroy();
      const held = (): Promise<number> =>
        new Promise((resolve, reject) => {
          app.server.getConnections((error, count) => {
            if (error === null) resolve(count);
            else reject(error);
          });
        });
      await vi.waitUntil(async () => (await held()) === 0, WAIT_MS);
      await app.close();
      stays.destroy();
      await api.close();
    },
  );
});

describe('the API without Temporal', () => {
  const api = withOpened(startLocalApi);

  it('returns 503 if a request needs it, and stores nothing', async () => {
    const created = await api.app.inject({
      method: 'POST',
      url: '/operator/organisations',
      headers: OPERATOR,
      payload: { name: 'Acme', tier: 'enterprise', currency: 'USD' },
    });
    expect(created.statusCode).toBe(503);
    expect(created.headers['retry-after']).toBe('5');
    expect(created.json()).toEqual({
      success: false,
      error: 'Temporal did not answer in time; try again',
    });
    const listed = await api.app.inject({ method: 'GET', url: '/operator/organisations', headers: OPERATOR });
    expect(listed.json()).toEqual({ success: true, data: [] });
  });
});
