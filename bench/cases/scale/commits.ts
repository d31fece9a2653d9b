import { as, newMetric, newOrganisation, type Client } from '../../client/client.ts';
import { cpuDuring } from '../../client/process-cpu.ts';
import { alone, compared, secondsOf, type Measurement } from '../../measurement.ts';
import { addCommits, ageSnapshots, catalogSize, type CatalogSize } from '../../nodes/grow-catalog.ts';
import type { ScaledOut } from '../../nodes/scaled-out.ts';
import { withTemporal } from '../../nodes/with-temporal.ts';
import type { RunOptions } from '../../run-options.ts';
import { say } from '../../say.ts';
import { median } from '../../statistics.ts';

const PERIOD = '2026-01-05';
const WRITERS = 8;
/** Older than the seven days for which the maintenance keeps snapshots. */
const OLD_DAYS = 8;

/**
 * Measures writes of one value while the catalog grows: one write and the read after it are timed at each size. The flush of every ten minutes and the nightly maintenance follow, each with the same times after it.
 */
export async function commits(service: ScaledOut, { quick }: RunOptions): Promise<Measurement[]> {
  const { cluster, apis, worker } = service;
  const { dataDir, postgres } = cluster;
  const sizes = quick ? [500, 2_000] : [1_000, 10_000, 30_000, 100_000];
  const [secret, other] = [
    await newOrganisation({ url: apis[0].url, dataDir }),
    await newOrganisation({ url: apis[0].url, dataDir }),
  ];
  const admins = apis.map((api) => as(api, secret));
  const [admin] = admins;
  if (admin === undefined) throw new Error('expected an API');
  const metrics: string[] = [];
  for (let each = 1; each <= WRITERS; each += 1) metrics.push(await newMetric(admin, `metric ${each}`));
  const [metric = ''] = metrics;
  const crowd = await newMetric(as(apis[0], other), 'orders');
  await write(as(apis[0], other), crowd);
  await pauseFlushes(cluster.temporal.address);
  await runNow(cluster.temporal.address, 'maintainWarehouse');

  const named = { benchmark: 'scale', target: null } as const;
  const measurements: Measurement[] = [];
  const processes = { api: apis.map(({ pid }) => pid), Postgres: [postgres.pid()] };
  await runNow(cluster.temporal.address, 'maintainWarehouse');
  let first: Times | null = null;
  const measureAt = async (when: string): Promise<void> => {
    const size = await catalogSize(cluster);
    const count = quick ? 7 : 51;
    // The first statements of each API read what is new.
    await timesOf(admin, metric, 3);
    const { result: times, cpu: used } = await cpuDuring(processes, () => timesOf(admin, metric, count));
    first ??= times;
    const label = `${when} (${shown(size)})`;
    const both = ((used.api + used.Postgres) * 1_000) / count;
    say(
      `scale: ${label}: a write takes ${median(times.writes).toFixed(1)} ms, with a read ${both.toFixed(0)} ms of CPU`,
    );
    measurements.push(
      compared(
        { ...named, name: `write of one value ${label}`, unit: 'ms' },
        { ours: times.writes, limit: first.writes },
      ),
      compared(
        { ...named, name: 'GET /metrics/{id} after it', unit: 'ms' },
        { ours: times.reads, limit: first.reads },
      ),
      alone({ ...named, name: 'CPU of api and Postgres for both', unit: 'ms' }, both),
    );
  };
  await measureAt('at first');
  // The maintenance has written the one before to a file.
  await write(as(apis[0], other), crowd);
  let added = 0;
  for (const size of sizes) {
    await addCommits(cluster, crowd, size - added);
    added = size;
    await measureAt(`${size} commits later`);
  }
  const stored = (await as(apis[0], other).all(`/metrics/${crowd}/values`)).length;
  if (stored !== added + 1) throw new Error(`${stored} values are stored, expected ${added + 1}`);

  const runWhileWriting = async (what: string, workflow: MaintenanceWorkflow): Promise<void> => {
    const writers = writeUntil(admins, metrics);
    const seconds = await secondsOf(() => runNow(cluster.temporal.address, workflow));
    const { longest, failed } = await writers.stop();
    const meanwhile = `${what}, while ${WRITERS} write`;
    measurements.push(
      alone({ ...named, name: meanwhile, unit: 's' }, seconds),
      alone({ ...named, name: `${meanwhile}: longest write`, unit: 'ms' }, longest),
      alone({ ...named, name: `${meanwhile}: failed writes`, unit: 'count', target: 0 }, failed),
    );
    await measureAt(`after the ${what}`);
  };
  await runWhileWriting('flush', 'flushWarehouse');
  await runWhileWriting('maintenance', 'maintainWarehouse');
  await ageSnapshots(cluster, OLD_DAYS);
  await runWhileWriting(`maintenance ${OLD_DAYS} days later`, 'maintainWarehouse');
  const peak = (await worker.peakMemory()).service / 2 ** 20;
  measurements.push(alone({ ...named, name: 'peak memory of the worker', unit: 'MiB' }, peak));
  return measurements;
}

const shown = ({ snapshots, inlined, files }: CatalogSize): string =>
  `${snapshots} snapshots, ${inlined} rows inlined, ${files} files`;

/** Each write has another number, so that each changes something. */
let number = 0;

const write = (admin: Client, metric: string): Promise<unknown> =>
  admin.post(`/metrics/${metric}/values`, { values: [{ period: PERIOD, value: (number += 1) }] });

/** Milliseconds of writes, and of a read after each. */
interface Times {
  writes: number[];
  reads: number[];
}

async function timesOf(admin: Client, metric: string, count: number): Promise<Times> {
  const times: Times = { writes: [], reads: [] };
  for (let each = 1; each <= count; each += 1) {
    times.writes.push(1_000 * (await secondsOf(() => write(admin, metric))));
    times.reads.push(1_000 * (await secondsOf(() => admin.get(`/metrics/${metric}`))));
  }
  return times;
}

/** Writes all the time, each writer its own metric, through all APIs. */
function writeUntil(admins: readonly Client[], metrics: readonly string[]) {
  let isOver = false;
  let [longest, failed] = [0, 0];
  const writeAll = async (admin: Client, metric: string): Promise<void> => {
    while (!isOver) {
      const seconds = await secondsOf(() =>
        write(admin, metric).catch(() => {
          failed += 1;
        }),
      );
      longest = Math.max(longest, 1_000 * seconds);
    }
  };
  const all = metrics.flatMap((metric, at) => {
    const admin = admins[at % admins.length];
    return admin === undefined ? [] : [writeAll(admin, metric)];
  });
  return {
    stop: async (): Promise<{ longest: number; failed: number }> => {
      isOver = true;
      await Promise.all(all);
      return { longest, failed };
    },
  };
}

type MaintenanceWorkflow = 'maintainWarehouse' | 'flushWarehouse';

const WORKFLOW_IDS = { maintainWarehouse: 'maintain-warehouse', flushWarehouse: 'flush-warehouse' } as const;

/** Runs a workflow of the maintenance now, as an operator does. */
const runNow = (address: string, workflow: MaintenanceWorkflow): Promise<void> =>
  withTemporal(address, async (client) => {
    const start = { taskQueue: 'cost-analytics', workflowId: WORKFLOW_IDS[workflow], args: [] };
    await client.workflow.execute(workflow, start);
  });

/** Pauses the schedule of the flush, because the catalog would not grow with it. */
const pauseFlushes = (address: string): Promise<void> =>
  withTemporal(address, (client) => client.schedule.getHandle(WORKFLOW_IDS.flushWarehouse).pause());
