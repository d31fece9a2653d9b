import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { runQuery } from '../../activities/imports/bigquery/query-import.ts';
import { readNetSales } from '../../activities/imports/stripe/read-net-sales.ts';
import { openCostApi } from '../../activities/sources/opencost-api.ts';
import { stripeApiBase } from '../../domain/imports/stripe/api-base.ts';
import { Outage, ServiceError } from '../../domain/shared/errors.ts';
import { exportTarget, placeOf } from '../../egress/exports/export-target.ts';
import { guardedRequest } from '../../egress/requests/guarded-request.ts';
import { parsePrivateTargets } from '../../egress/requests/private-targets.ts';
import { newServiceAccount } from '../support/fakes/bigquery/service-account.ts';
import { listenLocally, type LocalServer } from '../support/fakes/file-server.ts';
import { TEST_KEY } from '../support/fakes/stripe/key-parts.ts';

/** Platforms that answer without end, too slowly, too deeply, in other shapes, or with a redirect, to each client of the service. */
const LIMIT_MS = 1_000;
/** Longer than six tries. */
const WORK_MS = 10 * LIMIT_MS;
const targets = parsePrivateTargets('127.0.0.1');
const account = newServiceAccount();
const noWait = async (): Promise<void> => undefined;
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'hostile-platforms-'));
  await writeFile(join(folder, 'export.parquet'), 'PAR1');
});
afterAll(() => rm(folder, { recursive: true }));

/** Work of a client. */
type Client = (url: string, signal: AbortSignal) => Promise<unknown>;

const CLIENTS: Record<string, Client> = {
  Stripe: (url, signal) =>
    readNetSales({
      apiBase: stripeApiBase(url),
      apiKey: TEST_KEY,
      currency: 'USD',
      from: '2026-01-01',
      to: '2026-02-01',
      signal,
      wait: noWait,
      timeoutMs: LIMIT_MS,
    }),
  BigQuery: async (url, signal) => {
    const run = runQuery({
      projectId: 'acme-analytics',
      credentials: account.key,
      query: 'SELECT day, value FROM t WHERE day BETWEEN @start AND @end',
      labelled: false,
      start: '2026-01-01',
      end: '2026-01-31',
      jobId: 'run-1',
      apiEndpoint: url,
      signal,
      wait: noWait,
      timeoutMs: LIMIT_MS,
    });
    for await (const page of run) expect(page).toBeDefined();
  },
  OpenCost: (url, signal) =>
    openCostApi(url, {
      privateTargets: targets,
      signal,
      timeoutMs: LIMIT_MS,
      mostBytes: 2 ** 24,
    }).allocations('2026-01-01'),
  'the receiver of a webhook': async (url, signal) => {
    const rules = {
      privateTargets: targets,
      timeoutMs: LIMIT_MS,
      mostBytes: 1_000,
      longer: 'cut',
      signal,
    } as const;
    const { text } = await guardedRequest(new URL(url), { method: 'POST', body: '{}' }, rules);
    expect(text.length).toBeLessThanOrEqual(1_000);
  },
  'a bucket of exports': async (url, signal) => {
    const objectStorage = { keyId: 'AKID', secret: 's', sessionToken: null, region: null, endpoint: url };
    const target = exportTarget('s3://bucket');
    const place = placeOf(target, 'org_1', { objectStorage, privateTargets: targets });
    await place.put('spend.parquet', join(folder, 'export.parquet'), signal);
  },
};

const MEBIBYTE = 'x'.repeat(2 ** 20);
/** Sends blocks until the client has gone. */
function withoutEnd(response: ServerResponse, block: string): void {
  const more = (): void => {
    while (!response.destroyed && response.write(block));
    if (!response.destroyed) response.once('drain', more);
  };
  more();
}

const opened = '['.repeat(100_000);
const ATTACKS: Record<string, (response: ServerResponse) => void> = {
  'a body without end': (response) => {
    withoutEnd(response, MEBIBYTE);
  },
  'an error without end': (response) => {
    response.statusCode = 400;
    withoutEnd(response, MEBIBYTE);
  },
  'JSON without end': (response) => {
    response.write('{"data":[');
    withoutEnd(response, '{},'.repeat(50_000));
  },
  'headers without end': ({ socket }) => {
    socket?.write('HTTP/1.1 200 OK\r\n');
    const more = (): void => {
      while (socket !== null && !socket.destroyed && socket.write(`x-a: ${'y'.repeat(1_000)}\r\n`));
      socket?.once('drain', more);
    };
    more();
  },
  'interim answers without end': (response) => {
    const timer = setInterval(() => {
      if (!response.destroyed) response.writeProcessing();
    }, 10);
    response.once('close', () => {
      clearInterval(timer);
    });
  },
  'a byte now and then': (response) => {
    const timer = setInterval(() => response.write(' '), 50);
    response.once('close', () => {
      clearInterval(timer);
    });
  },
  silence: () => undefined,
  '100,000 levels': (response) => response.end(`{"code":200,"data":${opened}${']'.repeat(100_000)}}`),
  '100,000 levels that do not close': (response) => response.end(opened),
  ...Object.fromEntries(
    [
      'null',
      '5',
      '"x"',
      '[]',
      '{"error":5}',
      '{"error":[]}',
      '{"error":{"errors":7}}',
      '{"__proto__":5}',
      '',
    ].map((body) => [`the body ${body}`, (response: ServerResponse) => response.end(body)]),
  ),
  'text that is not UTF-8': (response) => response.end(Buffer.from([0xff, 0xfe, 0x7b, 0xc3])),
};

describe.each(Object.entries(CLIENTS))('%s', (name, work) => {
  const closers: LocalServer[] = [];
  afterEach(async () => {
    await Promise.all(closers.splice(0).map((server) => server.close()));
  });
  const listening = async (answer: (response: ServerResponse) => void): Promise<LocalServer> => {
    const server = await listenLocally((_request, response) => {
      answer(response);
    });
    closers.push(server);
    return server;
  };
  /** Whether the client is done with a status, or with the beginning of a text. */
  const readsStatusOnly = name.startsWith('the receiver') || name.startsWith('a bucket');

  it.each(Object.entries(ATTACKS))('survives %s', async (what, attack) => {
    const server = await listening(attack);
    // A client without a limit of time of its own waits as long as the work may take.
    const signal = AbortSignal.timeout(WORK_MS);
    const failure = await work(server.url, signal).then(
      () => null,
      (error: unknown) => error,
    );
    if (failure === null) expect([what, readsStatusOnly]).toEqual([what, true]);
    else {
      const isOwn = failure instanceof Outage || failure instanceof ServiceError;
      expect([what, isOwn || (readsStatusOnly && signal.aborted), failure]).toEqual([what, true, failure]);
      expect((failure as Error).message).not.toMatch(/call stack|undefined|Unexpected token|of null/);
    }
  });

  it('follows no redirect to another port', async () => {
    const other = await listening((response) => response.end('{}'));
    for (const status of [301, 302, 303, 307, 308]) {
      const server = await listening((response) => response.writeHead(status, { location: other.url }).end());
      await work(server.url, AbortSignal.timeout(WORK_MS)).catch((error: unknown) => error);
      expect(server.requests.length).toBeGreaterThan(0);
    }
    expect(other.requests).toEqual([]);
  });
});
