import { setTimeout as sleep } from 'node:timers/promises';
import { CLOCK, CrashWorld } from '../../data/crash-world.ts';
import { randomFrom } from '../../data/random.ts';
import { alone, type Measurement } from '../../measurement.ts';
import { startCluster, type Role } from '../../nodes/cluster.ts';
import { VERSITYGW } from '../../nodes/object-store.ts';
import { Processes } from '../../nodes/processes.ts';
import { withTemporal } from '../../nodes/with-temporal.ts';
import type { RunOptions } from '../../run-options.ts';
import { say } from '../../say.ts';
import { median } from '../../statistics.ts';

const ROLES: readonly Role[] = ['api', 'api', 'api', 'worker', 'worker'];
const ROWS = 20_000;
const MOST_AT_ONCE = 4;
const PAUSE_MS = { low: 0, high: 1_000 };
/** Temporal retries a dead worker's step after 15 s. One round of ten lasts that long before the first kill. */
const LONG_LIFE_MS = { low: 15_000, high: 20_000 };
const LAST_WORKFLOW_SECONDS = 120;

/**
 * Kills random processes of a scaled-out service with `kill -9`, some of them while they start, and starts others in their place.
 * Checks the same as `crash` through every node, and that all nodes show the same. A round is one kill.
 */
export async function crashNodes({ seed, rounds }: RunOptions): Promise<Measurement[]> {
  if (VERSITYGW === null) {
    say('crash-nodes: SKIPPED, set VERSITYGW to what scripts/fetch-versitygw.sh prints');
    return [];
  }
  const random = randomFrom(seed);
  const cluster = await startCluster({ CLOCK });
  const processes = new Processes(cluster);
  try {
    say(`crash-nodes: ${rounds} kills, seed ${seed}`);
    for (const role of ROLES) await processes.start(role);
    const [death] = await processes.allServe();
    const [first] = processes.apis;
    if (first === undefined) throw new Error(death ?? 'expected an API');
    const { dataDir } = cluster;
    const place = { directory: dataDir, rows: ROWS, random };
    const world = await CrashWorld.create({ url: first.url, dataDir }, place);
    for (let kills = 0; kills < rounds;) {
      const violation = (text: string): void => {
        world.violations.push(`after kill ${kills}: ${text}`);
      };
      const load = startLoad(world, processes, violation);
      if (random.between(1, 10) === 1) await sleep(random.between(LONG_LIFE_MS.low, LONG_LIFE_MS.high));
      for (let left = Math.min(random.between(1, MOST_AT_ONCE), rounds - kills); left > 0; left -= 1) {
        await sleep(random.between(PAUSE_MS.low, PAUSE_MS.high));
        await processes.replaceOne(random);
        kills += 1;
        if (kills % 10 === 0) say(`crash-nodes: ${kills} kills, ${world.summary}`);
      }
      (await processes.allServe()).forEach(violation);
      await load.stop();
      await world.check(processes.apis, violation);
    }
    const violation = (text: string) => world.violations.push(`at the end: ${text}`);
    await world.finish(processes.apis, violation);
    const workflows = await endedWorkflows(cluster.temporal.address, violation);
    say(`crash-nodes: ${rounds} kills, ${world.summary}`);
    const named = { benchmark: 'crash-nodes', unit: 'count', target: null } as const;
    return [
      alone({ ...named, name: 'kills of 3 api and 2 worker processes' }, rounds),
      alone({ ...named, name: 'restart until ready, median', unit: 'ms' }, median(processes.starts)),
      alone({ ...named, name: 'workflows completed' }, workflows),
      ...world.measurements('crash-nodes'),
    ];
  } finally {
    await processes.kill();
    await cluster.stop();
  }
}

/** Loads random nodes. `stop` waits for the last answers. */
function startLoad(world: CrashWorld, processes: Processes, violation: (text: string) => void) {
  let isOver = false;
  const load = world.load({
    node: () => {
      const all = processes.apis;
      // Not the seeded numbers, because the count of requests depends on the moment.
      return all[Math.floor(Math.random() * all.length)] ?? null;
    },
    isOver: () => isOver,
    mayRefuse: true,
    violation,
  });
  return {
    stop: async (): Promise<void> => {
      isOver = true;
      await load;
    },
  };
}

/** Waits until no workflow runs. Returns how many were completed, and reports all others. */
const endedWorkflows = (address: string, violation: (text: string) => void): Promise<number> =>
  withTemporal(address, async ({ workflow }) => {
    const count = async (query: string): Promise<number> => (await workflow.count(query)).count;
    const late = performance.now() + LAST_WORKFLOW_SECONDS * 1000;
    while ((await count(`ExecutionStatus = 'Running'`)) > 0 && performance.now() < late) await sleep(500);
    for await (const { workflowId, status } of workflow.list({ query: `ExecutionStatus != 'Completed'` }))
      violation(`the workflow ${workflowId} is ${status.name}`);
    return await count(`ExecutionStatus = 'Completed'`);
  });
