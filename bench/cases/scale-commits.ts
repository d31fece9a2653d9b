import { Client as TemporalClient, Connection } from '@temporalio/client';
import { as, newMetric, newOrganisation, type Client } from '../client/client.ts';
import { cpuDuring } from '../client/process-cpu.ts';
import { alone, compared, secondsOf, type Measurement } from '../measurement.ts';
import { addCommits, ageSnapshots, catalogSize, type CatalogSize } from '../nodes/grow-catalog.ts';
import type { ScaledOut } from '../nodes/scaled-out.ts';
import type { RunOptions } from '../run-options.ts';
import { say } from '../say.ts';
import { median } from '../statistics.ts';

const PERIOD = '2026-01-05';
const WRITERS = 8;
/** Older than the seven days for which the maintenance keeps snapshots. */
const OLD_DAYS = 8;

/**
 * Measures writes of one value: many at once, and how long one takes and a read after it as the catalog grows, before and after
 * the maintenance.
 */
export const commits = async (service: ScaledOut, { quick }: RunOptions): Promise<Measurement[]> => {
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
  await maintain(cluster.temporal.address);

  const named = { benchmark: 'scale', target: null } as const;
  const measurements: Measurement[] = [];
  const processes = { api: apis.map(({ pid }) => pid), Postgres: [postgres.pid()] };
  const each = quick ? 10 : 100;
  const one = await secondsOf(() => writeSeveral(admin, metric, each));
  const { result: many, cpu } = await cpuDuring(processes, () =>
    secondsOf(() =>
      Promise.all(metrics.map((id, at) => writeSeveral(admins[at % admins.length] ?? admin, id, each))),
    ),
  );
  measurements.push(
    compared(
      {
        ...named,
        name: `writes of one value a second, ${WRITERS} writers through 3 APIs beside 1`,
        unit: '1/s',
      },
      { ours: [(WRITERS * each) / many], limit: [each / one] },
    ),
    ...(['api', 'Postgres'] as const).map((kind) =>
      alone(
        { ...named, name: `writes of one value: CPU of ${kind} for 1,000`, unit: 's' },
        (cpu[kind] * 1_000) / (WRITERS * each),
      ),
    ),
  );

  await maintain(cluster.temporal.address);
  let first: Times | null = null;
  const measureAt = async (when: string): Promise<void> => {
    const size = await catalogSize(cluster);
    // The first statements of each API read what is new.
    await timesOf(admin, metric, 3);
    const times = await timesOf(admin, metric, quick ? 7 : 51);
    say(`scale: ${when}: ${shown(size)}, a write takes ${median(times.writes).toFixed(1)} ms`);
    first ??= times;
    const label = `${when} (${shown(size)})`;
    measurements.push(
      compared(
        { ...named, name: `write of one value ${label}`, unit: 'ms' },
        { ours: times.writes, limit: first.writes },
      ),
      compared(
        { ...named, name: `GET /metrics/{id} after it ${label}`, unit: 'ms' },
        { ours: times.reads, limit: first.reads },
      ),
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

  const writers = writeUntil(admins, metrics);
  const seconds = await secondsOf(() => maintain(cluster.temporal.address));
  const { longest, failed } = await writers.stop();
  measurements.push(
    alone(
      { ...named, name: `maintenance after ${added} commits, while ${WRITERS} write`, unit: 's' },
      seconds,
    ),
    alone({ ...named, name: 'longest write meanwhile', unit: 'ms' }, longest),
    alone({ ...named, name: 'failed writes meanwhile', unit: 'count', target: 0 }, failed),
  );
  await measureAt('after the maintenance');
  await ageSnapshots(cluster, OLD_DAYS);
  const later = await secondsOf(() => maintain(cluster.temporal.address));
  measurements.push(alone({ ...named, name: `maintenance ${OLD_DAYS} days later`, unit: 's' }, later));
  await measureAt(`after the maintenance ${OLD_DAYS} days later`);
  say(`scale: peak memory of the worker ${((await worker.peakMemory()).service / 2 ** 20).toFixed(0)} MiB`);
  return measurements;
};

const shown = ({ snapshots, inlined, files }: CatalogSize): string =>
  `${snapshots} snapshots, ${inlined} rows inlined, ${files} files`;

/** Each write has another number, so that each changes something. */
let number = 0;

const write = (admin: Client, metric: string): Promise<unknown> =>
  admin.post(`/metrics/${metric}/values`, { values: [{ period: PERIOD, value: (number += 1) }] });

const writeSeveral = async (admin: Client, metric: string, count: number): Promise<void> => {
  for (let each = 1; each <= count; each += 1) await write(admin, metric);
};

/** Milliseconds of writes, and of a read after each. */
interface Times {
  writes: number[];
  reads: number[];
}

const timesOf = async (admin: Client, metric: string, count: number): Promise<Times> => {
  const times: Times = { writes: [], reads: [] };
  for (let each = 1; each <= count; each += 1) {
    times.writes.push(1_000 * (await secondsOf(() => write(admin, metric))));
    times.reads.push(1_000 * (await secondsOf(() => admin.get(`/metrics/${metric}`))));
  }
  return times;
};

/** Writes all the time, each writer its own metric, through all APIs. */
const writeUntil = (admins: readonly Client[], metrics: readonly string[]) => {
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
};

/** Runs the nightly maintenance now, as an operator does. */
const maintain = async (address: string): Promise<void> => {
  const connection = await Connection.connect({ address });
  try {
    const start = { taskQueue: 'cost-analytics', workflowId: 'maintain-warehouse', args: [] };
    await new TemporalClient({ connection }).workflow.execute('maintainWarehouse', start);
  } finally {
    await connection.close();
  }
};
