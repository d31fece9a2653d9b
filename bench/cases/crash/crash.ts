import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { killTemporal, startService, type Service } from '../../client/service.ts';
import { CLOCK, CrashWorld } from '../../data/crash-world.ts';
import { randomFrom, type Random } from '../../data/random.ts';
import { alone, type Measurement } from '../../measurement.ts';
import type { RunOptions } from '../../run-options.ts';
import { say } from '../../say.ts';
import { median } from '../../statistics.ts';

/** Temporal retries a dead worker's step after 15 s. Some rounds last that long. */
const SHORT_LIFE_MS = { low: 50, high: 4_000 };
const LONG_LIFE_MS = { low: 15_000, high: 22_000 };

/**
 * Kills the service with `kill -9` at random moments under load, and starts it again. Checks that every acknowledged write is
 * stored, that spend equals a published restatement to the last digit, and that every run ends in the end.
 */
export async function crash({ seed, rounds, quick }: RunOptions): Promise<Measurement[]> {
  const random = randomFrom(seed);
  const directory = await mkdtemp(join(tmpdir(), 'cost-analytics-bench-'));
  const restarts: number[] = [];
  const start = async (): Promise<Service> => {
    const started = performance.now();
    const service = await (await startService(directory, { CLOCK, SOURCE_ROOTS: directory })).ready;
    restarts.push(performance.now() - started);
    return service;
  };
  let kills = 0;
  const kill: Kill = async (victim, withTemporal) => {
    const [, hadTemporal] = await Promise.all([victim.kill(), withTemporal && killTemporal(directory)]);
    kills += hadTemporal ? 2 : 1;
  };
  let service: Service | null = null;
  try {
    say(`crash: ${rounds} rounds, seed ${seed}`);
    service = await start();
    const world = await CrashWorld.create(service, { directory, rows: quick ? 20_000 : 200_000, random });
    for (let round = 1; round <= rounds; round += 1) {
      const violation = (text: string): void => {
        world.violations.push(`round ${round}: ${text}`);
      };
      await liveAndDie(service, world, random, kill, violation);
      service = await restart(directory, random, kill, start);
      await world.check([service], violation);
      if (round % 10 === 0 || quick) say(`crash: round ${round}, ${world.summary}`);
    }
    await world.finish([service], (text) => world.violations.push(`at the end: ${text}`));
    say(`crash: ${kills} kills, ${world.summary}`);
    const named = { benchmark: 'crash', target: null };
    return [
      alone({ ...named, name: 'rounds', unit: 'count' }, rounds),
      alone({ ...named, name: 'kills of the service and of its Temporal server', unit: 'count' }, kills),
      alone({ ...named, name: 'restart until ready, median', unit: 'ms' }, median(restarts)),
      ...world.measurements('crash'),
    ];
  } finally {
    await service?.kill();
    await killTemporal(directory);
    await rm(directory, { recursive: true, force: true });
  }
}

/** Kills a service with `kill -9`, with or without its Temporal server. */
type Kill = (victim: Pick<Service, 'kill'>, withTemporal: boolean) => Promise<void>;

/** Loads the service until a random moment, then kills it, in two rounds of three with its Temporal server. */
async function liveAndDie(
  service: Service,
  world: CrashWorld,
  random: Random,
  kill: Kill,
  violation: (text: string) => void,
): Promise<void> {
  let dead = false;
  const node = { url: service.url, isKilled: () => dead };
  const load = world.load({ node: () => node, isOver: () => dead, mayRefuse: false, violation });
  const { low, high } = random.between(1, 4) === 1 ? LONG_LIFE_MS : SHORT_LIFE_MS;
  await sleep(random.between(low, high));
  dead = true;
  await kill(service, random.between(1, 3) > 1);
  await load;
}

/** Starts the service again. In one round of five, first kills it during the start. */
async function restart(
  directory: string,
  random: Random,
  kill: Kill,
  start: () => Promise<Service>,
): Promise<Service> {
  if (random.between(1, 5) === 1) {
    const starting = await startService(directory, { CLOCK, SOURCE_ROOTS: directory });
    await sleep(random.between(50, 2_000));
    await kill(starting, random.between(1, 2) === 1);
  }
  return start();
}
