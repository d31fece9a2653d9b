import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { as, newMetric, newOrganisation, newSource } from '../client/client.ts';
import { FIRST_DAY, LAST_DAY, makeRestatements, type Restatement } from '../data/crash-exports.ts';
import { RestatingProvider, ValueClient, type Life } from '../data/crash-load.ts';
import { alone, type Measurement } from '../measurement.ts';
import { randomFrom, type Random } from '../data/random.ts';
import type { RunOptions } from '../run-options.ts';
import { say } from '../say.ts';
import { killTemporal, startService, type Service } from '../client/service.ts';
import { median } from '../statistics.ts';

const CLIENTS = 4;
const VERSIONS = 8;
const CLOCK = '2026-04-10T12:00:00Z';
/** Temporal retries a dead worker's step after 15 s. Some rounds last that long. */
const SHORT_LIFE_MS = { low: 50, high: 4_000 };
const LONG_LIFE_MS = { low: 15_000, high: 22_000 };
const SHOWN_VIOLATIONS = 20;
const LAST_RUN_SECONDS = 180;

/**
 * Kills the service with `kill -9` at random moments under load, and starts it again. Checks that every acknowledged write is
 * stored, that spend equals a published restatement to the last digit, and that every run ends in the end.
 */
export const crash = async (options: RunOptions): Promise<Measurement[]> => {
  const random = randomFrom(options.seed);
  const directory = await mkdtemp(join(tmpdir(), 'cost-analytics-bench-'));
  const violations: string[] = [];
  const restarts: number[] = [];
  const start = async (): Promise<Service> => {
    const started = performance.now();
    const service = await (await startService(directory, { CLOCK, SOURCE_ROOTS: directory })).ready;
    restarts.push(performance.now() - started);
    return service;
  };
  let service: Service | null = null;
  try {
    say(`crash: ${options.rounds} rounds, seed ${options.seed}`);
    const versions = await makeRestatements(directory, options.quick ? 20_000 : 200_000, VERSIONS);
    service = await start();
    const world = await populate(service, directory, versions, random);
    for (let round = 1; round <= options.rounds; round += 1) {
      const report = (text: string): void => {
        violations.push(`round ${round}: ${text}`);
      };
      await liveAndDie(service, world, random, directory, report);
      service = await restart(directory, random, start);
      await check(service, world, report);
      if (round % 10 === 0 || options.quick) say(`crash: round ${round}, ${summary(world, violations)}`);
    }
    const report = (text: string): void => {
      violations.push(`at the end: ${text}`);
    };
    await finish(service, world, report);
    say(`crash: ${options.rounds} rounds, ${summary(world, violations)}`);
    for (const violation of violations.slice(0, SHOWN_VIOLATIONS)) say(`VIOLATION ${violation}`);
    const named = { benchmark: 'crash', unit: 'count', target: null } as const;
    return [
      alone({ ...named, name: 'rounds' }, options.rounds),
      alone({ ...named, name: 'acknowledged writes' }, writesOf(world)),
      alone({ ...named, name: 'ingests completed' }, world.provider.completed),
      alone({ ...named, name: 'restart until ready, median', unit: 'ms' }, median(restarts)),
      alone({ ...named, name: 'violations', target: 0 }, violations.length),
    ];
  } finally {
    await service?.kill();
    await killTemporal(directory);
    await rm(directory, { recursive: true, force: true });
  }
};

/** The clients and the provider that put load on the service. */
interface World {
  clients: ValueClient[];
  provider: RestatingProvider;
  secret: string;
}

const populate = async (
  service: Service,
  directory: string,
  versions: readonly Restatement[],
  random: Random,
): Promise<World> => {
  const secret = await newOrganisation(service);
  const admin = as(service, secret);
  const clients = [];
  for (let client = 1; client <= CLIENTS; client += 1) {
    clients.push(new ValueClient(await newMetric(admin, `metric ${client}`), secret, random));
  }
  const location = join(directory, 'export.csv');
  const source = await newSource(admin, location);
  return { clients, provider: new RestatingProvider(source, secret, location, versions), secret };
};

/** Loads the service until a random moment, then kills it with `kill -9`, with or without its Temporal server. */
const liveAndDie = async (
  service: Service,
  { clients, provider }: World,
  random: Random,
  directory: string,
  violation: (text: string) => void,
): Promise<void> => {
  let dead = false;
  const life: Life = { service, killed: () => dead, violation };
  const load = [...clients.map((client) => client.send(life)), provider.restate(life)];
  const { low, high } = random.between(1, 4) === 1 ? LONG_LIFE_MS : SHORT_LIFE_MS;
  await new Promise((resume) => setTimeout(resume, random.between(low, high)));
  dead = true;
  const wholeTree = random.between(1, 3) > 1;
  await Promise.all([service.kill(), wholeTree ? killTemporal(directory) : undefined]);
  await Promise.all(load);
};

/** Starts the service again. In one round of five, first kills it during the start. */
const restart = async (
  directory: string,
  random: Random,
  start: () => Promise<Service>,
): Promise<Service> => {
  if (random.between(1, 5) === 1) {
    const starting = await startService(directory, { CLOCK, SOURCE_ROOTS: directory });
    await new Promise((resume) => setTimeout(resume, random.between(50, 2_000)));
    await starting.kill();
    if (random.between(1, 2) === 1) await killTemporal(directory);
  }
  return start();
};

const check = async (service: Service, world: World, violation: (text: string) => void): Promise<void> => {
  for (const client of world.clients) {
    client.journal.check(await client.stored(service)).forEach(violation);
  }
  const possible = world.provider.possible;
  const costs = await as(service, world.secret).get<{
    total: number;
    by_day: { day: string; total: number }[];
  }>(`/costs?start_date=${FIRST_DAY}&end_date=${LAST_DAY}`);
  // There may be no spend before the first run is completed.
  if (costs.by_day.length === 0 && world.provider.completed === 0) return;
  const isWhole = possible.some(
    ({ byDay }) =>
      byDay.size === costs.by_day.length && costs.by_day.every(({ day, total }) => byDay.get(day) === total),
  );
  if (!isWhole) violation(`GET /costs returns ${costs.total}, which is not a published restatement`);
};

const finish = async (service: Service, world: World, violation: (text: string) => void): Promise<void> => {
  let late = false;
  const timer = setTimeout(() => {
    late = true;
    violation(`a run did not end within ${LAST_RUN_SECONDS} s`);
  }, LAST_RUN_SECONDS * 1000);
  await world.provider.restate({ service, killed: () => late, violation }, true);
  clearTimeout(timer);
  for (const run of await world.provider.unfinishedRuns(service)) violation(`run ${run} never ended`);
  await check(service, world, violation);
};

const writesOf = ({ clients }: World): number =>
  clients.reduce((writes, { journal }) => writes + journal.writes, 0);

const summary = (world: World, violations: readonly string[]): string =>
  `${writesOf(world)} acknowledged writes, ${world.provider.completed} ingests completed, ${violations.length} violations`;
