import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BareAnswers } from '../bare/bare-answers.ts';
import { startBareProcess } from '../bare/bare-process.ts';
import { keepAliveClient } from '../client/keep-alive-client.ts';
import { measureRoute } from '../client/route-latency.ts';
import { startService, type Service } from '../client/service.ts';
import { dailyValues, makeYear, newAnswersOrganisation } from '../data/answers-organisation.ts';
import { alone, compared, describe, secondsOf, type Measurement } from '../measurement.ts';
import type { RunOptions } from '../run-options.ts';
import { say } from '../say.ts';
import { median } from '../statistics.ts';

const CLOCK = '2026-01-10T12:00:00Z';

/** A route, and how much longer than `GET /livez` it may take. */
interface Route {
  name: string;
  path: string;
  mostLivez: number | null;
  /** How many milliseconds more it may take after a change of one value, and how much longer than `GET /livez`. */
  changed?: { more: number; mostLivez: number };
}

/**
 * `answers`: compares reads of an unchanged organisation with a bare route that sends the same bytes from memory, and with
 * `GET /livez`. Then reads again after each change of one value.
 */
export async function answers(options: RunOptions): Promise<Measurement[]> {
  const count = options.quick ? 50 : 1_000;
  const directory = await mkdtemp(join(tmpdir(), 'cost-analytics-answers-'));
  const file = await makeYear(directory);
  const service = await (await startService(directory, { CLOCK, SOURCE_ROOTS: directory })).ready;
  const bare = startBareProcess<BareAnswers, string>('bare-answers');
  try {
    say(`answers: creating ${count} metrics`);
    const { secret, metric, team, seconds } = await newAnswersOrganisation(service, file, count);
    const named = { benchmark: 'answers', name: `${count} metrics created one by one` };
    const created = alone({ ...named, unit: 's', target: 20 }, seconds);
    say(`answers: ${describe(created)}`);
    const routes: Route[] = [
      { name: 'GET /auth/info', path: '/auth/info', mostLivez: 4 },
      {
        name: 'GET /metrics/{id}',
        path: `/metrics/${metric}`,
        mostLivez: 5,
        changed: { more: 15, mostLivez: 20 },
      },
      { name: 'GET /metrics/{id}/months', path: `/metrics/${metric}/months`, mostLivez: 5 },
      { name: 'GET /costs, a year', path: '/costs?start_date=2025-01-01&end_date=2025-12-31', mostLivez: 8 },
      {
        name: `GET /overview, ${count} metrics`,
        path: '/overview',
        mostLivez: 40,
        changed: { more: 100, mostLivez: 120 },
      },
      { name: 'GET /teams/{id}/bills', path: `/teams/${team}/bills`, mostLivez: null },
    ];
    return [
      created,
      ...(await unchanged(service, bare, { secret, routes }, options)),
      ...(await afterChanges(service, { secret, metric }, routes, options)),
    ];
  } finally {
    await bare.stop();
    await service.stop();
    await rm(directory, { recursive: true, force: true });
  }
}

async function unchanged(
  service: Service,
  bare: { ask: (request: BareAnswers) => Promise<string> },
  { secret, routes }: { secret: string; routes: readonly Route[] },
  options: RunOptions,
): Promise<Measurement[]> {
  const measurements: Measurement[] = [];
  for (const { name, path, mostLivez } of routes) {
    const url = `/api/v1${path}`;
    const body = await (await fetch(`${service.url}${url}`, { headers: { 'x-api-key': secret } })).text();
    const bareUrl = await bare.ask({ secret, answers: [{ path: url, body }] });
    const route = { benchmark: 'answers', name, ours: `${service.url}${url}`, secret, requests: 1_000 };
    for (const connections of [1, 10, 50])
      measurements.push(
        ...(await measureRoute({ ...route, bare: `${bareUrl}${url}`, connections, most: 2 }, options)),
      );
    if (mostLivez === null) continue;
    const livez = { ...route, name: `${name} beside /livez`, bare: `${service.url}/livez` };
    measurements.push(...(await measureRoute({ ...livez, connections: 1, most: mostLivez }, options)));
  }
  return measurements;
}

/**
 * Compares the change of one value with a bare route that stores a row. Then compares each read after it with a second one,
 * which finds nothing changed, and with `GET /livez`.
 */
async function afterChanges(
  service: Service,
  { secret, metric }: { secret: string; metric: string },
  routes: readonly Route[],
  { quick }: RunOptions,
): Promise<Measurement[]> {
  const bare = startBareProcess<object, string>('bare-values', [join(service.dataDir, 'bare.duckdb')]);
  const client = keepAliveClient();
  try {
    const bareUrl = await bare.ask({});
    const headers = { 'x-api-key': secret };
    const milliseconds = async (url: string): Promise<number> =>
      (await secondsOf(async () => (await fetch(url, { headers })).arrayBuffer())) * 1_000;
    const writes = { ours: [] as number[], bare: [] as number[] };
    const reads = routes.flatMap(({ changed, ...route }) =>
      changed === undefined
        ? []
        : [
            {
              ...route,
              ...changed,
              changed: [] as number[],
              unchanged: [] as number[],
              livez: [] as number[],
            },
          ],
    );
    for (let change = 1; change <= (quick ? 3 : 50); change += 1) {
      for (const [turn, { path, changed, unchanged, livez }] of reads.entries()) {
        const value = 2_000 + change * reads.length + turn;
        const body = Buffer.from(JSON.stringify({ values: dailyValues(1, value) }));
        writes.bare.push(await client.post(`${bareUrl}/stored`, {}, body));
        writes.ours.push(await client.post(`${service.url}/api/v1/metrics/${metric}/values`, headers, body));
        const url = `${service.url}/api/v1${path}`;
        changed.push(await milliseconds(url));
        unchanged.push(await milliseconds(url));
        livez.push(await milliseconds(`${service.url}/livez`));
      }
    }
    const named = (name: string, target: number) =>
      ({ benchmark: 'answers', name, unit: 'ms', target }) as const;
    return [
      alone(
        named('POST of one value: more than a bare commit', MOST_ABOVE_COMMIT),
        median(writes.ours) - median(writes.bare),
      ),
      ...reads.flatMap(({ name, more, mostLivez, changed, unchanged, livez }) => [
        alone(
          named(`${name} after a change: more than unchanged`, more),
          median(changed) - median(unchanged),
        ),
        compared(named(`${name} after a change, beside /livez`, mostLivez), { ours: changed, limit: livez }),
      ]),
    ];
  } finally {
    client.close();
    await bare.stop();
  }
}

/** How much longer the change of one value may take than a commit, in milliseconds. */
const MOST_ABOVE_COMMIT = 10;
