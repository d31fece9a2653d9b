import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createPrivateKey, generateKeyPairSync, randomBytes } from 'node:crypto';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { startBareProcess } from '../bare/bare-process.ts';
import { as, ingestSource, newMetric, newOrganisation, newSource } from '../client/client.ts';
import { focusExport } from '../data/focus-export.ts';
import type { LightReads, LightReadTimes } from '../bare/light-reads.ts';
import { startHostilePlatform } from '../data/hostile-platform.ts';
import { longLabels } from '../data/long-labels.ts';
import { alone, compared, describe, type Measurement } from '../measurement.ts';
import type { RunOptions } from '../run-options.ts';
import { say } from '../say.ts';
import { mostMemoryDuring, startService, type Service } from '../client/service.ts';
import { percentile } from '../statistics.ts';

const CLOCK = '2026-02-20T12:00:00Z';
const BYTES_PER_MIB = 2 ** 20;
/** Almost the largest upload. */
const UPLOAD_BYTES = 62 * BYTES_PER_MIB;
const YEAR = 'start_date=2025-02-20&end_date=2026-02-20';

/** A request of an organisation that may harm its neighbours. It is repeated, and returns its outcome. */
interface Attack {
  name: string;
  once: () => Promise<string>;
  /** How many run at once. */
  atOnce: number;
  /** How many times the quiet p99 the other organisation's may be. Without it, the attack takes its fair share of the machine. */
  most?: number;
}

/** Attacks that a service must hardly notice, because they do no work that a plan pays for. */
const HARDLY_NOTICED = 5;

/**
 * Measures the service's memory and the latency of a second organisation's light reads while the first sends its worst inputs.
 * It sends each of them for some seconds, many at once, and finally all of them together.
 */
export async function neighbours(options: RunOptions): Promise<Measurement[]> {
  const directory = await mkdtemp(join(tmpdir(), 'cost-analytics-bench-'));
  // Reads in another process, because the attackers keep this one busy.
  const reader = startBareProcess<LightReads, LightReadTimes>('light-reads');
  const platform = await startHostilePlatform();
  const service = await (
    await startService(directory, {
      CLOCK,
      SOURCE_ROOTS: `${directory}:${tmpdir()}`,
      STRIPE_API_BASE: platform.url,
      BIGQUERY_API_ENDPOINT: platform.url,
    })
  ).ready;
  try {
    const [attacker, victim] = [await newOrganisation(service), await newOrganisation(service)];
    const bill = await focusExport(options.quick ? 20_000 : 200_000, 'parquet');
    for (const secret of [attacker, victim]) {
      const admin = as(service, secret);
      await ingestSource(admin, await newSource(admin, bill));
    }
    const urls = await lightReads(service, victim);
    const milliseconds = options.quick ? 3_000 : 20_000;
    const attacks = [
      ...(await worstInputs(service, attacker, directory, options)),
      ...(await endlessWork(service, attacker)),
    ];
    let quiet: LightReadTimes | null = null;
    const measurements: Measurement[] = [];
    const measure = async (name: string, some: readonly Attack[]): Promise<void> => {
      const reading = reader.ask({ urls, secret: victim, milliseconds });
      const found = await underAttack(service, reading, some);
      quiet ??= found;
      const target = some.length === 1 ? (some[0]?.most ?? null) : null;
      const named = { benchmark: 'neighbours', target: null } as const;
      measurements.push(
        alone({ ...named, name: `${name}: p50 of a light read`, unit: 'ms' }, percentile(found.times, 50)),
        compared(
          { ...named, target, name: `${name}: p99 of a light read`, unit: 'ms' },
          { ours: [percentile(found.times, 99)], limit: [percentile(quiet.times, 99)] },
        ),
        alone({ ...named, name: `${name}: light reads that failed`, unit: 'count', target: 0 }, found.failed),
        alone({ ...named, name: `${name}: most memory`, unit: 'MiB' }, found.memory / BYTES_PER_MIB),
      );
      say(`${name}: ${found.times.length} reads; the attacker got ${found.answers}`);
      for (const measurement of measurements.slice(-4)) say(describe(measurement));
    };
    await measure('nothing', []);
    for (const attack of attacks) await measure(attack.name, [attack]);
    await measure('all at once', attacks);
    await measure('nothing, afterwards', []);
    return measurements;
  } finally {
    await reader.stop();
    await service.stop();
    platform.close();
    await rm(directory, { recursive: true, force: true });
  }
}

async function lightReads(service: Service, secret: string): Promise<string[]> {
  const metric = await newMetric(as(service, secret), 'orders');
  return ['/auth/info', '/costs?start_date=2026-01-01&end_date=2026-01-31', `/metrics/${metric}/months`].map(
    (path) => `${service.url}/api/v1${path}`,
  );
}

async function underAttack(
  service: Service,
  reading: Promise<LightReadTimes>,
  attacks: readonly Attack[],
): Promise<LightReadTimes & { memory: number; answers: string }> {
  const answers = new Map<string, number>();
  let isOver = false;
  const attackers = attacks.flatMap(({ once, atOnce }) =>
    Array.from({ length: atOnce }, async () => {
      while (!isOver) {
        const answer = await once().catch((error: unknown) =>
          error instanceof Error ? error.message : 'gone',
        );
        answers.set(answer, (answers.get(answer) ?? 0) + 1);
      }
    }),
  );
  const { result, most } = await mostMemoryDuring(service, async () => {
    try {
      return await reading;
    } finally {
      isOver = true;
      await Promise.all(attackers);
    }
  });
  const counts = [...answers].map(([answer, count]) => `${count} × ${answer}`).join(', ');
  return { ...result, memory: most, answers: counts || 'nothing' };
}

/** Returns the worst inputs that an organisation's key can send. */
async function worstInputs(
  service: Service,
  secret: string,
  directory: string,
  { quick }: RunOptions,
): Promise<Attack[]> {
  const admin = as(service, secret);
  const metric = await newMetric(admin, 'orders');
  const send = async (
    method: string,
    path: string,
    body?: Uint8Array<ArrayBuffer> | string,
    type = 'application/json',
  ): Promise<string> => {
    const answer = await ask(service, path, {
      method,
      headers: { 'x-api-key': secret, ...(body === undefined ? { accept: type } : { 'content-type': type }) },
      ...(body === undefined ? {} : { body }),
    });
    return answer.status.toString();
  };
  /** Uploads the files in turn. */
  const upload = (name: string, metricId: string, ...files: Uint8Array<ArrayBuffer>[]): Attack => {
    let sent = 0;
    return {
      name,
      atOnce: 4,
      once: () => send('POST', `/metrics/${metricId}/values/csv`, files[sent++ % files.length], 'text/csv'),
    };
  };
  const filled = (text: string): Uint8Array<ArrayBuffer> =>
    new Uint8Array(Buffer.alloc(quick ? BYTES_PER_MIB : UPLOAD_BYTES, text));
  const source = async (name: string, content: Buffer): Promise<Attack> => {
    const path = join(directory, name);
    await writeFile(path, content);
    const { id } = await admin.post<{ id: string }>('/cost-sources', {
      name,
      kind: 'focus',
      location: path,
      schedule_paused: true,
    });
    return {
      name: `an ingest of ${name}`,
      atOnce: 1,
      once: () => ingestSource(admin, id).then(() => 'completed'),
    };
  };
  const header =
    'BilledCost,EffectiveCost,BillingCurrency,BillingPeriodStart,ChargePeriodStart,ChargePeriodEnd,ProviderName,SubAccountId,ServiceCategory,ResourceId\n';
  const line = (index: number): string =>
    `1,1,USD,2026-01-01T00:00:00Z,2026-01-${String(1 + (index % 31)).padStart(2, '0')}T00:00:00Z,2026-02-01T00:00:00Z,AWS,${index},Compute,i-${index}\n`;
  const labelled = await newMetric(admin, 'orders by region', 'region');
  const labels = [0, 1].map((value) => longLabels(quick ? 4_000 : 200_000, value));
  const groups = quick ? 20_000 : 500_000;
  const values = Array.from({ length: 10_000 }, (_, index) => ({
    period: new Date(Date.UTC(1990, 0, 1 + index)).toISOString().slice(0, 10),
    value: index,
  }));
  return [
    upload('an upload of line ends', metric, filled('\n')),
    upload('an upload of a quote that never closes', metric, filled('"2026-01-01,1\n')),
    upload('an upload of lone carriage returns', metric, filled('2026-01-01,1\r')),
    upload('uploads of long labels that are stored', labelled, ...labels),
    {
      name: 'ten thousand values at once',
      atOnce: 16,
      once: () => send('POST', `/metrics/${metric}/values`, JSON.stringify({ values })),
    },
    {
      name: '8 MiB of brackets',
      atOnce: 16,
      once: () => send('POST', `/metrics/${metric}/values`, '['.repeat(8 * BYTES_PER_MIB - 1)),
    },
    {
      name: 'a breakdown of a year',
      atOnce: 40,
      once: () => send('GET', `/costs/breakdown?${YEAR}&group_by=day,account&limit=1000`),
    },
    {
      name: 'exports that nobody reads',
      atOnce: 40,
      once: () => stalled(service, secret, `/api/v1/costs/breakdown?${YEAR}&group_by=day,account`),
    },
    await source(
      'groups.csv',
      Buffer.from(header + Array.from({ length: groups }, (_, at) => line(at)).join('')),
    ),
    await source('bomb.csv.gz', gzipSync(header + line(1).repeat(quick ? 100_000 : 3_000_000))),
    {
      name: 'connections that say nothing',
      atOnce: 200,
      once: () => silent(service),
    },
  ];
}

/** The header of the service's own pages. */
const OWN_PAGE = { 'x-requested-with': 'cost-analytics' };

/** Sends a request, and reads its answer to the end. */
async function ask(service: Service, path: string, request: RequestInit): Promise<Response> {
  const answer = await fetch(`${service.url}/api/v1${path}`, request);
  await answer.arrayBuffer();
  return answer;
}

/** Returns attacks on what the service computes, waits for or keeps for a caller, each of which was once without a limit. */
async function endlessWork(service: Service, secret: string): Promise<Attack[]> {
  const admin = as(service, secret);
  const metric = await newMetric(admin, 'imported');
  const most = HARDLY_NOTICED;
  const json = { 'content-type': 'application/json' };
  // Without a revenue metric, a check of Stripe is refused before it reaches the platform.
  const { id: sales } = await admin.post<{ id: string }>('/metrics', {
    name: 'Card sales',
    kind: 'revenue',
    currency: 'USD',
    unit: 'USD',
    aggregation: 'total',
    frequency: 'daily',
    scope: { type: 'organisation' },
  });
  const check =
    (connection: object, metricId = metric) =>
    async (): Promise<string> => {
      const answer = await ask(service, `/metrics/${metricId}/import/check`, {
        method: 'POST',
        body: JSON.stringify(connection),
        headers: { ...json, 'x-api-key': secret },
      });
      return answer.status.toString();
    };
  const bigQuery = (privateKey: string) => ({
    type: 'bigquery',
    project_id: 'acme-analytics',
    query: 'SELECT 1 AS value, CURRENT_DATE() AS day',
    credentials: {
      type: 'service_account',
      project_id: 'acme-analytics',
      private_key_id: '0',
      client_id: '1',
      client_email: 'importer@acme-analytics.iam.gserviceaccount.com',
      private_key: privateKey,
      token_uri: 'https://oauth2.googleapis.com/token',
    },
  });
  const signIn = async (): Promise<string> => {
    const answer = await ask(service, '/session', {
      method: 'POST',
      body: JSON.stringify({ key: secret }),
      headers: { ...json, ...OWN_PAGE },
    });
    return answer.headers.getSetCookie()[0]?.split(';', 1)[0] ?? '';
  };
  const cookie = await signIn();
  return [
    { name: 'keys of 49,152 bits', atOnce: 16, most, once: check(bigQuery(forgedKey(49_152))) },
    { name: 'keys of 4,096 bits', atOnce: 16, most, once: check(bigQuery(forgedKey(4_096))) },
    {
      name: 'a platform without end, too deep, too slow, with redirects',
      atOnce: 16,
      most,
      once: check({ type: 'stripe', api_key: `rk_test_${'a1'.repeat(20)}` }, sales),
    },
    {
      name: 'sign-ins',
      atOnce: 16,
      most,
      once: async () => ((await signIn()) === '' ? 'refused' : 'signed in'),
    },
    {
      name: 'calls of a session',
      atOnce: 4,
      most,
      once: async () =>
        (await ask(service, '/auth/info', { headers: { cookie, ...OWN_PAGE } })).status.toString(),
    },
    { name: 'a thousand connections that say nothing', atOnce: 1_000, most, once: () => silent(service) },
  ];
}

/** Returns a key with this many bits in its modulus, which is no product of its primes. */
function forgedKey(bits: number): string {
  const jwk = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({ format: 'jwk' });
  const modulus = randomBytes(bits / 8);
  modulus[0] = 0xff;
  modulus[modulus.length - 1] = 0xff;
  const large = modulus.toString('base64url');
  return createPrivateKey({ format: 'jwk', key: { ...jwk, n: large, d: large } })
    .export({ format: 'pem', type: 'pkcs8' })
    .toString();
}

const SILENCE_MS = 2_000;

const silent = (service: Service): Promise<string> =>
  new Promise((resolve) => {
    const { hostname, port } = new URL(service.url);
    const socket = connect(Number(port), hostname, () => socket.write('GET /api/v1/costs HTTP/1.1\r\nX-'));
    const end = (answer: string) => () => {
      socket.destroy();
      resolve(answer);
    };
    setTimeout(end('held'), SILENCE_MS);
    socket.on('error', end('refused'));
    socket.on('close', end('closed'));
  });

const stalled = (service: Service, secret: string, path: string): Promise<string> =>
  new Promise((resolve) => {
    const { hostname, port } = new URL(service.url);
    const socket = connect(Number(port), hostname, () => {
      socket.write(`GET ${path} HTTP/1.1\r\nHost: a\r\nX-API-Key: ${secret}\r\nAccept: text/csv\r\n\r\n`);
    });
    let status = 'no answer';
    socket.once('data', (bytes) => {
      status = bytes.toString().slice(9, 12);
      socket.pause();
    });
    const end = (): void => {
      socket.destroy();
      resolve(status);
    };
    setTimeout(end, SILENCE_MS);
    socket.on('error', end);
  });
