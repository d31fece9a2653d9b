import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { randomFrom, type Random } from '../../bench/data/random.ts';
import { MUTATED_INPUTS, SEED } from '../support/effort.ts';
import { create, createMetric } from '../support/service/create.ts';
import { ingest, newOrganisation, type Api, type Run } from '../support/service/api-client.ts';
import { openDuckDb } from '../support/warehouse/engines.ts';
import { expectData } from '../support/service/envelope.ts';
import { withService } from '../support/service/with-service.ts';
import { layGood } from './hostile-files.ts';
import { answersIn, faultsOf, sendBytes } from './http-answers.ts';
import { mutatedBytes, mutatedJson, mutatedRequest, oneOf } from './mutate.ts';
import { MUTATED_ROWS, prepareLoads, type MutatedLoads } from './mutated-loads.ts';
import { Tally } from './tally.ts';
import { validBodies, type Things } from './valid-bodies.ts';
import { COUNTED_TEST_MS, WAIT_MS } from '../support/patience.ts';
import { withOpened } from '../support/with-opened.ts';

/** Inputs between two looks at the other organisation, and the time limit for one look. */
const BETWEEN_LOOKS = 500;

/** How much the memory of the service may grow after its first inputs. */
const MOST_MEMORY_GROWTH_MB = 1_500;

/** The share of each kind in the inputs. All kinds take about the same time. */
const SHARES = {
  rows: 0.1,
  csv: 0.006,
  'csv.gz': 0.005,
  parquet: 0.008,
  runs: 0.001,
  uploads: 0.1,
  json: 0.47,
  http: 0.31,
} as const;
type Kind = keyof typeof SHARES;

/** Kinds that share a lane, and how many inputs a lane sends at once. */
const LANES: readonly { kinds: readonly Kind[]; width: number }[] = [
  { kinds: ['rows', 'csv', 'csv.gz', 'parquet'], width: 1 },
  { kinds: ['runs'], width: 1 },
  { kinds: ['uploads'], width: 2 },
  { kinds: ['json', 'http'], width: 6 },
];

describe('mutated inputs', () => {
  const tally = new Tally(join(tmpdir(), `cost-analytics-attack-${SEED}`), SEED);
  const service = withService({
    CLOCK: '2026-02-07T06:00:00Z',
    PRIVATE_TARGETS: '127.0.0.1',
    LOG_LEVEL: 'error',
  });
  const test = withOpened(openDuckDb);
  let loads: MutatedLoads;
  let admin: Api;
  let secret: string;
  let things: Things;
  let bystander: { admin: Api; metric: string };
  /** Method and path of every route that takes JSON, from the service's own description. */
  let jsonRoutes: string[];
  let quiet: unknown;

  beforeAll(async () => {
    loads = await prepareLoads(test, tally);
    const location = join(service.dataDir, 'exports', 'f.csv');
    await layGood(location, '1111');
    const readBill = async (api: Api): Promise<string> => {
      const source = await create(api, '/cost-sources', { name: 'Bill', kind: 'focus', location });
      expect(await ingest(api, source)).toMatchObject({ status: 'completed', cost_total: 200 });
      return source;
    };
    const quietOne = (await newOrganisation(service, { name: 'Bystander' })).admin;
    await readBill(quietOne);
    const metric = await createMetric(quietOne, {}, [{ period: '2026-01-10', value: 8 }]);
    bystander = { admin: quietOne, metric };
    ({ admin, secret } = await newOrganisation(service));
    const source = await readBill(admin);
    const team = await create(admin, '/teams', { name: 'Kept', ownership: [] });
    things = {
      source,
      team,
      location,
      metric: await createMetric(admin, { name: 'Kept' }),
      labelled: await createMetric(admin, { name: 'Labelled', label_key: 'shop' }),
      shared: await create(admin, '/shared-costs', {
        name: 'Kept',
        spend: [{ source: 'host', host: 'db-1' }],
        split: { type: 'even', team_ids: [team] },
      }),
      webhook: await create(admin, '/webhooks', { url: 'http://127.0.0.1:9/hook' }),
    };
    jsonRoutes = await routesWithJson(service.url);
    quiet = await look();
  });
  afterAll(async () => {
    await service.stop();
    await tally.keep('service.log', service.logs());
  });

  /** Returns what the other organisation reads about itself. */
  const look = async (): Promise<unknown> => {
    const begun = Date.now();
    const [costs, months, info] = await Promise.all([
      bystander.admin.get('/costs?start_date=2026-01-01&end_date=2026-01-31'),
      bystander.admin.get(`/metrics/${bystander.metric}/months`),
      bystander.admin.get<{ organisation: object; key: object }>('/auth/info'),
    ]);
    const { organisation, key } = expectData(info);
    expect(Date.now() - begun).toBeLessThan(WAIT_MS);
    return [expectData(costs), expectData(months), organisation, key];
  };

  const pathFor = (route: string): string => {
    const [path = ''] = route.split(' ').slice(1);
    const ids: Record<string, string> = {
      '/metrics': things.metric,
      '/teams': things.team,
      '/cost-sources': things.source,
      '/shared-costs': things.shared,
      '/webhooks': things.webhook,
    };
    return path
      .replace('{id}', ids[path.slice(0, path.indexOf('/', 1))] ?? '')
      .replace('{month}', '2026-01')
      .replace('{period}', '2026-01-05');
  };

  /** Sends a body and checks the answer. Deletes what the request made, so that the organisation does not grow. */
  const send = async (
    kind: Kind,
    index: number,
    request: { method: string; path: string; type: string; body: Buffer },
  ): Promise<void> => {
    const { method, path, type, body } = request;
    const response = await fetch(`${service.url}/api/v1${path}`, {
      method,
      headers: { 'x-api-key': secret, 'content-type': type },
      body: new Uint8Array(body),
    });
    const text = Buffer.from(await response.arrayBuffer());
    const answer = { status: response.status, headers: new Map(response.headers), body: text };
    tally.add(`${kind} answers`, String(answer.status));
    for (const fault of faultsOf(answer, { isEnveloped: true }))
      await tally.fault(kind, index, `${method} ${path}: ${fault}`, body);
    if (response.status !== 200 || method !== 'POST') return;
    const { data } = JSON.parse(text.toString()) as { data: { id?: string } | null };
    if (data?.id !== undefined) tally.add('made and deleted', path, 1);
    if (data?.id !== undefined) await admin.delete(`${path}/${data.id}`);
  };

  const sendJson = async (index: number, random: Random): Promise<void> => {
    const route = oneOf(random, jsonRoutes as [string, ...string[]]);
    const [method = ''] = route.split(' ');
    const type =
      random.next() < 0.97
        ? 'application/json'
        : oneOf(random, [
            'text/plain',
            'application/json; charset=utf-16',
            'text/csv',
            'application/json;',
            ';',
          ]);
    const body = mutatedJson(validBodies(things)[route], random);
    await send('json', index, { method, path: pathFor(route), type, body });
  };

  const CSV = Buffer.from(
    'period,value\n' +
      Array.from({ length: 28 }, (_, day) => `2026-01-${String(day + 1).padStart(2, '0')},${day}.5\n`).join(
        '',
      ),
  );
  const LABELLED_CSV = Buffer.from(
    '\ufeffperiod,label,value\r\n2026-01-01,"Shop ""A""",1\r\n2026-01-01,B,2\r\n2026-01-02,"C, D",3\r\n',
  );
  const upload = async (index: number, random: Random): Promise<void> => {
    const isLabelled = random.next() < 0.5;
    const mutated = mutatedBytes(isLabelled ? LABELLED_CSV : CSV, random);
    const body =
      random.next() < 0.02
        ? Buffer.concat(Array.from({ length: random.between(2, 2_000) }, () => mutated))
        : mutated;
    const path = `/metrics/${isLabelled ? things.labelled : things.metric}/values/csv`;
    await send('uploads', index, { method: 'POST', path, type: 'text/csv', body });
  };

  const sendHttp = async (index: number, random: Random): Promise<void> => {
    const bytes = mutatedRequest(secret, random);
    try {
      const answers = answersIn(
        await sendBytes(service.url, bytes),
        bytes.subarray(0, 5).toString() === 'HEAD ',
      );
      tally.add(
        'http answers',
        answers.length === 0 ? 'none' : answers.map(({ status }) => status).join('+'),
      );
      for (const answer of answers) {
        const isEnveloped =
          answer.headers.get('content-type')?.startsWith('application/json') === true || answer.status >= 400;
        const isOperations = /^[A-Z]+ \/(livez|readyz|openapi\.json)/.test(bytes.subarray(0, 100).toString());
        for (const fault of faultsOf(answer, { isEnveloped: isEnveloped && !isOperations }))
          await tally.fault('http', index, fault, bytes);
      }
    } catch (error) {
      await tally.fault('http', index, String(error), bytes);
    }
  };

  /** Has the service itself ingest a mutated file. */
  const runIngest = async (index: number, random: Random): Promise<void> => {
    const kind = oneOf(random, ['csv', 'csv.gz', 'parquet'] as const);
    const bytes = loads.mutatedFile(kind, random);
    const location = join(service.dataDir, 'exports', 'runs', `f.${kind}`);
    await mkdir(join(location, '..'), { recursive: true });
    await writeFile(location, bytes);
    const source = await create(admin, '/cost-sources', { name: `Run ${index}`, kind: 'focus', location });
    try {
      const run: Run & { rows_left_out?: number } = await ingest(admin, source);
      tally.add('runs', `${kind} ${run.status}`);
      if (run.status === 'failed' && (run.error ?? '') === '')
        await tally.fault('runs', index, 'failed without a reason', bytes);
      if (/^(INTERNAL|FATAL) Error/.test(run.error ?? ''))
        await tally.fault('runs', index, run.error ?? '', bytes);
    } catch (error) {
      await tally.fault('runs', index, String(error), bytes);
    }
    await admin.delete(`/cost-sources/${source}`);
  };

  const ATTACKS: Record<Kind, (index: number, random: Random) => Promise<void>> = {
    rows: (index, random) => loads.loadRows(index, random),
    csv: (index, random) => loads.loadBytes('csv', index, random),
    'csv.gz': (index, random) => loads.loadBytes('csv.gz', index, random),
    parquet: (index, random) => loads.loadBytes('parquet', index, random),
    runs: runIngest,
    uploads: upload,
    json: sendJson,
    http: sendHttp,
  };

  it(
    'get an answer or an error, do not affect another organisation, and leak no memory',
    async () => {
      const begun = Date.now();
      let looks = 0;
      let memory: number | null = null;
      let progress = begun;
      const afterInput = async (): Promise<void> => {
        const sent = tally.total('inputs');
        if (sent >= (looks + 1) * BETWEEN_LOOKS) {
          looks = Math.floor(sent / BETWEEN_LOOKS);
          expect(await look()).toEqual(quiet);
        }
        if (memory === null && sent >= Math.min(5_000, MUTATED_INPUTS / 2))
          memory = await memoryOf(service.pid);
        if (Date.now() - progress < 30_000) return;
        progress = Date.now();
        process.stdout.write(
          `${Math.round((progress - begun) / 1000)} s, memory ${await memoryOf(service.pid)} MB, seed ${SEED}\n${tally.report()}\n`,
        );
      };
      const attackWith = async (kinds: readonly Kind[], width: number): Promise<void> => {
        const todo = kinds.flatMap((kind) => {
          const inputs = Math.ceil(MUTATED_INPUTS * SHARES[kind]);
          return Array.from(
            { length: kind === 'rows' ? Math.ceil(inputs / MUTATED_ROWS) : inputs },
            (_, index) => ({ kind, index }),
          );
        });
        // Mixes the kinds evenly, from the first input to the last.
        const order = randomFrom(SEED);
        const mixed = todo
          .map((input) => ({ ...input, place: order.next() }))
          .sort((one, other) => one.place - other.place);
        const next = mixed.values();
        await Promise.all(
          Array.from({ length: width }, async () => {
            for (const { kind, index } of next) {
              await ATTACKS[kind](
                index,
                randomFrom(SEED * 31 + index * 8 + Object.keys(SHARES).indexOf(kind)),
              );
              tally.add('inputs', kind, kind === 'rows' ? MUTATED_ROWS : 1);
              await afterInput();
            }
          }),
        );
      };
      await Promise.all(LANES.map(({ kinds, width }) => attackWith(kinds, width)));
      expect(await look()).toEqual(quiet);
      const after = await memoryOf(service.pid);
      process.stdout.write(
        `${tally.total('inputs')} inputs of seed ${SEED} in ${Math.round((Date.now() - begun) / 1000)} s, ` +
          `memory ${String(memory)} MB, then ${after} MB\n${tally.report()}\n`,
      );
      expect(tally.faults()).toEqual([]);
      expect(after - Number(memory)).toBeLessThan(MOST_MEMORY_GROWTH_MB);
    },
    COUNTED_TEST_MS,
  );

  it('start from a valid body of every route', () => {
    expect(Object.keys(validBodies(things)).sort()).toEqual([...jsonRoutes].sort());
  });
});

async function routesWithJson(url: string): Promise<string[]> {
  const { paths } = (await (await fetch(`${url}/openapi.json`)).json()) as {
    paths: Record<string, Record<string, { requestBody?: { content: Record<string, unknown> } }>>;
  };
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, { requestBody }]) =>
      path.startsWith('/api/v1') && requestBody?.content['application/json'] !== undefined
        ? [`${method.toUpperCase()} ${path.slice('/api/v1'.length)}`]
        : [],
    ),
  );
}

/** Returns the resident memory of a process, in MB. */
async function memoryOf(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Math.round(Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1]) / 1024);
}
