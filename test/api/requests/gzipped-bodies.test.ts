import { once } from 'node:events';
import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { gunzip, gzipSync } from 'node:zlib';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { gunzipped } from '../../../api/requests/gzipped-body.ts';
import { as, type Api } from '../../support/service/api-client.ts';
import { expectData } from '../../support/service/envelope.ts';
import { openRaw, startLocalApi } from '../../support/service/local-api.ts';
import { WAIT_MS } from '../../support/patience.ts';
import { newMetric } from '../../support/warehouse/tenant.ts';
import { withOpened } from '../../support/with-opened.ts';

/** Gzipped bodies, as JSON and as CSV: what they hold counts, and so do the limits of what they hold. */

const MIB = 2 ** 20;
const VALUES = JSON.stringify({
  values: [
    { period: '2026-01-05', value: 1200 },
    { period: '2026-01-31', value: 601 },
  ],
});
const ALL_DAYS = Array.from(
  { length: 31 },
  (_, day) => `2026-01-${String(day + 1).padStart(2, '0')},${day + 1}\n`,
);

const api = withOpened(startLocalApi);
let secret: string;
let admin: Api;
let metric: string;

beforeAll(async () => {
  const tenant = await api.newTenant();
  ({ secret } = tenant);
  admin = as(api, secret);
  ({ id: metric } = await newMetric(api.warehouse, tenant.orgId));
});

interface Sent {
  encoding?: string;
  path?: string;
  type?: string;
}

async function send(
  body: Buffer,
  { encoding = 'gzip', path = 'values', type = 'application/json' }: Sent = {},
) {
  const response = await fetch(`${api.url}/api/v1/metrics/${metric}/${path}`, {
    method: 'POST',
    headers: { 'x-api-key': secret, 'content-type': type, 'content-encoding': encoding },
    body: new Uint8Array(body),
  });
  return { status: response.status, body: (await response.json()) as { error?: string; data?: unknown } };
}

const CSV: Sent = { path: 'values/csv', type: 'text/csv' };

/** The values of January: their number and their sum. */
async function january() {
  const { body } = await admin.get<{ value: number }[]>(
    `/metrics/${metric}/values?start=2026-01-01&end=2026-01-31`,
  );
  return { values: body.data.length, sum: body.data.reduce((sum, { value }) => sum + value, 0) };
}

describe('a gzipped body', () => {
  it('of JSON is read as what it holds, whatever the encoding’s spelling', async () => {
    expect(await send(gzipSync(VALUES))).toMatchObject({ status: 200, body: { data: { created: 2 } } });
    // 1200 + 601 orders.
    expect(await january()).toEqual({ values: 2, sum: 1801 });
    for (const encoding of ['GZIP', 'x-gzip', ' gzip '])
      expect(await send(gzipSync(VALUES), { encoding })).toMatchObject({ body: { data: { unchanged: 2 } } });
    expect(await send(Buffer.from(VALUES), { encoding: 'identity' })).toMatchObject({ status: 200 });
  });

  it('of CSV is read as what it holds, also in several members', async () => {
    // 1 + 2 + … + 31 = 496, of which two days replace values.
    const members = Buffer.concat(
      [ALL_DAYS.slice(0, 10), ALL_DAYS.slice(10)].map((lines) => gzipSync(lines.join(''))),
    );
    expect(await send(members, CSV)).toMatchObject({
      status: 200,
      body: { data: { created: 29, replaced: 2 } },
    });
    expect(await january()).toEqual({ values: 31, sum: 496 });
    expect(await send(gzipSync('2026-01-05,x'), CSV)).toMatchObject({
      status: 400,
      body: { error: /line 1/ },
    });
  });

  it('is read in the routes of the operator, of the sign-in and of changes, too', async () => {
    const headers = { 'content-type': 'application/json', 'content-encoding': 'gzip' };
    const signIn = await fetch(`${api.url}/api/v1/session`, {
      method: 'POST',
      headers,
      body: new Uint8Array(gzipSync(JSON.stringify({ key: secret }))),
    });
    expect(signIn.status).toBe(200);
    const renamed = await fetch(`${api.url}/api/v1/organisation`, {
      method: 'PATCH',
      headers: { ...headers, 'x-api-key': secret },
      body: new Uint8Array(gzipSync('{"name":"Packed"}')),
    });
    expect(renamed.status).toBe(200);
    expect(expectData(await admin.get('/organisation'))).toMatchObject({ name: 'Packed' });
    const nowhere = await fetch(`${api.url}/api/v1/nowhere`, {
      method: 'POST',
      headers: { ...headers, 'x-api-key': secret },
      body: new Uint8Array(gzipSync('{}')),
    });
    expect(nowhere.status).toBe(404);
  });

  it('that is damaged, incomplete or followed by other bytes is a 400, and stores nothing', async () => {
    const before = await january();
    const whole = gzipSync(ALL_DAYS.join('').replaceAll(',', ',9'));
    const flipped = Buffer.from(whole);
    flipped.writeUInt8(flipped.readUInt8(flipped.length - 6) ^ 1, flipped.length - 6);
    const error = 'body: expected gzip, got bytes that are damaged or incomplete';
    for (const how of [CSV, {}])
      for (const body of [
        whole.subarray(0, -1),
        whole.subarray(0, 12),
        flipped,
        Buffer.from('no gzip'),
        Buffer.concat([whole, Buffer.from('more')]),
      ])
        expect(await send(body, how)).toEqual({ status: 400, body: { success: false, error } });
    expect(await january()).toEqual(before);
  });

  it('is the only encoding: another one, or two, are a 415 that names it', async () => {
    for (const encoding of ['br', 'deflate', 'zstd', 'gzip, gzip', 'gzip, identity', 'identity, gzip'])
      for (const how of [CSV, {}])
        expect(await send(gzipSync(VALUES), { ...how, encoding })).toEqual({
          status: 415,
          body: { success: false, error: `content-encoding: expected gzip or none, got "${encoding}"` },
        });
  });

  it('that is broken off by its client is forgotten', async () => {
    const before = await january();
    const body = gzipSync(ALL_DAYS.join('').replaceAll(',', ',8'));
    for (const { path, type } of [{ path: 'values', type: 'application/json' }, CSV]) {
      const { socket } = openRaw(
        api.port,
        Buffer.concat([
          Buffer.from(
            `POST /api/v1/metrics/${metric}/${path} HTTP/1.1\r\nHost: x\r\nX-API-Key: ${secret}\r\n` +
              `Content-Type: ${type}\r\nContent-Encoding: gzip\r\nContent-Length: ${body.length}\r\n\r\n`,
          ),
          body.subarray(0, 30),
        ]),
      );
      await once(socket, 'ready');
      socket.destroy();
    }
    expect(await january()).toEqual(before);
  });
});

it('a gzipped body that stalls gets its 408 like any other', async () => {
  const hurried = await startLocalApi({ patienceMs: 200 });
  const { orgId, secret: key } = await hurried.newTenant();
  const { id } = await newMetric(hurried.warehouse, orgId);
  for (const [path, type] of [
    ['values', 'application/json'],
    ['values/csv', 'text/csv'],
  ] as const) {
    const { answer } = openRaw(
      hurried.port,
      Buffer.concat([
        Buffer.from(
          `POST /api/v1/metrics/${id}/${path} HTTP/1.1\r\nHost: x\r\nX-API-Key: ${key}\r\nContent-Type: ${type}\r\n` +
            'Content-Encoding: gzip\r\nContent-Length: 100\r\n\r\n',
        ),
        gzipSync(ALL_DAYS.join('')).subarray(0, 30),
      ]),
    );
    expect(await answer).toMatch(/^HTTP\/1\.1 408 .*body: expected all of it/s);
  }
  await hurried.close();
});

describe('a bomb', () => {
  /** 1 GiB of zeros in 1 MiB: 16 members of 64 MiB. */
  const zeros = gzipSync(Buffer.alloc(64 * MIB), { level: 9 });
  const bomb = Buffer.concat(Array.from({ length: 16 }, () => zeros));

  it('is a 413 that names the limit', async () => {
    expect(bomb.length).toBeLessThan(1.1 * MIB);
    for (const [how, limit] of [
      [{}, '8 MiB'],
      [CSV, '64 MiB'],
    ] as const) {
      expect(await send(bomb, how)).toEqual({
        status: 413,
        body: { success: false, error: `body: too large, expected at most ${limit}` },
      });
    }
  });

  it('is unpacked no further than to the limit', async () => {
    const body = gunzipped(requestWith(bomb), MIB);
    let bytes = 0;
    body.on('data', (chunk: Buffer) => (bytes += chunk.length));
    await vi.waitUntil(() => bytes > MIB, WAIT_MS);
    // Another member of the bomb shows how far it would have come meanwhile.
    expect(await promisify(gunzip)(zeros)).toHaveLength(64 * MIB);
    expect(bytes).toBeLessThan(MIB + 128 * 1024);
  });

  it('of a stranger is refused on every path, and the service goes on', async () => {
    const body = new Uint8Array(bomb);
    for (const [path, status] of [
      ['/api/v1/session', 413],
      ['/api/v1/metrics', 401],
      ['/api/v1/nothing', 401],
      ['/operator/organisations', 401],
      ['/nothing', 413],
    ] as const) {
      // The service may close the connection before it has read all of the body.
      const answer = await fetch(`${api.url}${path}`, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          'content-encoding': 'gzip',
          'x-requested-with': 'cost-analytics',
        },
        body,
      }).then(
        (response) => response.status,
        () => status,
      );
      expect([path, answer]).toEqual([path, status]);
    }
    // An error that nothing catches would fail this file.
    expect((await fetch(`${api.url}/livez`)).status).toBe(200);
  });

  it('of many empty members is a 413, too, because its own bytes count', async () => {
    // A member that holds nothing has 20 bytes.
    const empty = Buffer.concat(Array.from({ length: 60 }, () => gzipSync('')));
    expect(empty.length).toBe(1_200);
    await expect(text(gunzipped(requestWith(empty), 1_200))).resolves.toBe('');
    await expect(text(gunzipped(requestWith(empty), 1_199))).rejects.toThrow('body: too large');
  });
});

/** A request that has arrived. */
function requestWith(body: Buffer): IncomingMessage {
  const raw = new IncomingMessage(new Socket());
  raw.push(body);
  raw.push(null);
  raw.complete = true;
  return raw;
}
