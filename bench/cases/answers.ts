import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BareAnswers } from '../bare/bare-answers.ts';
import { startBareProcess } from '../bare/bare-process.ts';
import { keepAliveClient } from '../client/keep-alive-client.ts';
import { measureRoute } from '../client/route-latency.ts';
import type { Service } from '../client/service.ts';
import { addTeams, dailyValues, makeYear, newAnswersOrganisation } from '../data/answers-organisation.ts';
import { alone, compared, describe, secondsOf, type Measurement } from '../measurement.ts';
import type { RunOptions } from '../run-options.ts';
import { say } from '../say.ts';
import { median } from '../statistics.ts';
import { firstAnswers, startAgain } from './first-answers.ts';

const FIRST_START = '2026-01-10T12:00:00Z';

/** A route, and how much longer than `GET /livez` it may take. */
interface Route {
  name: string;
  path: string;
  mostLivez: number | null;
}

const A_YEAR = '/costs?start_date=2025-01-01&end_date=2025-12-31';

/**
 * `answers`: compares reads of an unchanged organisation with a bare route that sends the same bytes from memory, and with
 * `GET /livez`. Then reads again after each change of one value, and after each start.
 */
export async function answers(options: RunOptions): Promise<Measurement[]> {
  const count = options.quick ? 50 : 1_000;
  const [fewer, teams] = options.quick ? [20, 30] : [300, 700];
  const directory = await mkdtemp(join(tmpdir(), 'cost-analytics-answers-'));
  const file = await makeYear(directory);
  const start = startAgain(directory, FIRST_START, { SOURCE_ROOTS: directory });
  const service = await start();
  const bare = startBareProcess<BareAnswers, string>('bare-answers');
  try {
    say(`answers: creating ${count} metrics`);
    const { secret, metric, team, seconds } = await newAnswersOrganisation(service, file, count);
    const named = { benchmark: 'answers', name: `${count} metrics created one by one` };
    const created = alone({ ...named, unit: 's', target: 20 }, seconds);
    say(`answers: ${describe(created)}`);
    const routes: Route[] = [
      { name: 'GET /auth/info', path: '/auth/info', mostLivez: 4 },
      { name: 'GET /metrics/{id}', path: `/metrics/${metric}`, mostLivez: 5 },
      { name: 'GET /metrics/{id}/months', path: `/metrics/${metric}/months`, mostLivez: 5 },
      { name: 'GET /costs, a year', path: A_YEAR, mostLivez: 8 },
      { name: `GET /overview, ${count} metrics`, path: '/overview', mostLivez: 40 },
      { name: 'GET /teams/{id}/bills', path: `/teams/${team}/bills`, mostLivez: null },
    ];
    const same = await unchanged(service, bare, { secret, routes }, options);
    say(`answers: creating ${fewer} metrics and ${teams} teams`);
    const other = await newAnswersOrganisation(service, file, fewer);
    await addTeams(service, other.secret, teams);
    const changed = await afterChanges(service, other, fewer, options);
    await service.stop();
    const first = [
      { name: `GET /overview, ${count} metrics`, path: '/overview', secret },
      { name: `GET /waiting, ${count} metrics`, path: '/waiting', secret },
      { name: `GET /teams/bills, ${teams} teams`, path: '/teams/bills', secret: other.secret },
    ];
    return [created, ...same, ...changed, ...(await firstAnswers(start, first, options))];
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
 * Compares the change of one value with a bare route that stores a row. Then compares each read after it with `GET /livez`. The
 * changed metric splits no costs.
 */
async function afterChanges(
  service: Service,
  { secret, metric, team }: { secret: string; metric: string; team: string },
  metrics: number,
  { quick }: RunOptions,
): Promise<Measurement[]> {
  const routes = [
    { name: 'GET /metrics/{id}', path: `/metrics/${metric}`, mostLivez: 8 },
    { name: `GET /overview, ${metrics} metrics`, path: '/overview', mostLivez: 40 },
    { name: 'GET /teams/{id}/bills', path: `/teams/${team}/bills`, mostLivez: 10 },
    { name: 'GET /costs, a year', path: A_YEAR, mostLivez: 10 },
  ];
  const bare = startBareProcess<object, string>('bare-values', [join(service.dataDir, 'bare.duckdb')]);
  const client = keepAliveClient();
  try {
    const bareUrl = await bare.ask({});
    const headers = { 'x-api-key': secret };
    const milliseconds = async (url: string): Promise<number> =>
      (await secondsOf(async () => (await fetch(url, { headers })).arrayBuffer())) * 1_000;
    const writes = { ours: [] as number[], bare: [] as number[] };
    const reads = routes.map((route) => ({ ...route, changed: [] as number[], livez: [] as number[] }));
    // The first reads bring spend and bills up to date, which changes what the others are made of.
    for (const { path } of [...reads, ...reads]) await milliseconds(`${service.url}/api/v1${path}`);
    for (let change = 1; change <= (quick ? 3 : 50); change += 1) {
      for (const [turn, { path, changed, livez }] of reads.entries()) {
        const value = 2_000 + change * reads.length + turn;
        const body = Buffer.from(JSON.stringify({ values: dailyValues(1, value) }));
        writes.bare.push(await client.post(`${bareUrl}/stored`, {}, body));
        writes.ours.push(await client.post(`${service.url}/api/v1/metrics/${metric}/values`, headers, body));
        changed.push(await milliseconds(`${service.url}/api/v1${path}`));
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
      ...reads.map(({ name, mostLivez, changed, livez }) =>
        compared(named(`${name} after a change, beside /livez`, mostLivez), { ours: changed, limit: livez }),
      ),
    ];
  } finally {
    client.close();
    await bare.stop();
  }
}

/** How much longer the change of one value may take than a commit, in milliseconds. */
const MOST_ABOVE_COMMIT = 10;
