import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { as, newMetric, newOrganisation } from '../client/client.ts';
import { keepAliveClient } from '../client/keep-alive-client.ts';
import { cpuDuring } from '../client/process-cpu.ts';
import { startService, type Service } from '../client/service.ts';
import { alone, compared, describe, secondsOf, type Measurement } from '../measurement.ts';
import { VERSITYGW } from '../nodes/object-store.ts';
import { startScaledOut } from '../nodes/scaled-out.ts';
import type { RunOptions } from '../run-options.ts';
import { say } from '../say.ts';
import { percentile } from '../statistics.ts';

const CLOCK = '2026-03-20T12:00:00Z';
const PERIOD = '2026-01-05';
const WRITERS = 64;

/**
 * Compares writes of one value by 64 clients, each to a metric of its own, with those of one client: embedded, and on a DuckLake
 * through one API and through three.
 */
export const writers = async (options: RunOptions): Promise<Measurement[]> => [
  ...(await embedded(options)),
  ...(await scaledOut(options)),
];

async function embedded(options: RunOptions): Promise<Measurement[]> {
  const directory = await mkdtemp(join(tmpdir(), 'cost-analytics-writers-'));
  const service = await (await startService(directory, { CLOCK })).ready;
  try {
    const named = { of: 'embedded', mostOfOne: 1 / 4, mostMs: null };
    return await manyBesideOne([service], { api: [service.pid] }, named, options);
  } finally {
    await service.stop();
    await rm(directory, { recursive: true, force: true });
  }
}

async function scaledOut(options: RunOptions): Promise<Measurement[]> {
  if (VERSITYGW === null) {
    say('writers: SKIPPED on a DuckLake, set VERSITYGW to what scripts/fetch-versitygw.sh prints');
    return [];
  }
  const { cluster, apis, stop } = await startScaledOut({ CLOCK });
  try {
    const [first] = apis;
    const processes = { api: apis.map(({ pid }) => pid), Postgres: [cluster.postgres.pid()] };
    const on = (service: Service): Service => ({ ...service, dataDir: cluster.dataDir });
    const measurements = await manyBesideOne(
      [on(first)],
      processes,
      { of: 'DuckLake', mostOfOne: 1 / 15, mostMs: 500 },
      options,
    );
    return [...measurements, await threeBesideOne(apis.map(on), options)];
  } finally {
    await stop();
  }
}

/** Compares writes of 64 clients for each of three APIs with as many clients of one API. */
async function threeBesideOne(
  apis: readonly Service[],
  { quick, repetitions }: RunOptions,
): Promise<Measurement> {
  const writers = WRITERS * apis.length;
  const crowds = {
    ours: await newCrowd(apis, writers),
    limit: await newCrowd(apis.slice(0, 1), writers),
  };
  const times = { ours: [] as number[], limit: [] as number[] };
  for (let each = 0; each <= repetitions; each += 1)
    for (const side of ['ours', 'limit'] as const) {
      const written = await crowds[side].write(writers, quick ? 3 : 20);
      // The first statements of a process take longer.
      if (each > 0) times[side].push(written.each);
    }
  crowds.ours.close();
  crowds.limit.close();
  const beside = compared(
    {
      benchmark: 'writers',
      name: `DuckLake: a write of one value, ${writers} clients through ${apis.length} APIs beside 1`,
      unit: 'ms',
      target: 1 / 1.5,
    },
    times,
  );
  say(`writers: ${describe(beside)}`);
  return beside;
}

/** How long a write takes, if many come at once: milliseconds for each, and from the first byte of each to its answer. */
interface Written {
  each: number;
  latencies: number[];
}

async function manyBesideOne(
  apis: readonly Service[],
  processes: Readonly<Record<string, readonly number[]>>,
  { of, mostOfOne, mostMs }: { of: string; mostOfOne: number; mostMs: number | null },
  { quick, repetitions }: RunOptions,
): Promise<Measurement[]> {
  const crowd = await newCrowd(apis, WRITERS);
  // The first statements of a process take longer.
  await crowd.write(WRITERS, 3);
  const [one, many] = [
    { each: [] as number[], latencies: [] as number[] },
    { each: [] as number[], latencies: [] as number[] },
  ];
  const cpus = { one: new Map<string, number>(), many: new Map<string, number>() };
  const counts = { one: quick ? 20 : 200, many: quick ? 3 : 50 };
  for (let each = 1; each <= repetitions; each += 1)
    for (const [into, writersNow, count, side] of [
      [one, 1, counts.one, 'one'],
      [many, WRITERS, counts.many, 'many'],
    ] as const) {
      const { result, cpu } = await cpuDuring(processes, () => crowd.write(writersNow, count));
      into.each.push(result.each);
      into.latencies.push(...result.latencies);
      for (const [kind, seconds] of Object.entries(cpu))
        cpus[side].set(kind, (cpus[side].get(kind) ?? 0) + seconds);
    }
  crowd.close();
  const named = { benchmark: 'writers', unit: 'ms', target: null } as const;
  const perWrite = (seconds = 0, count: number): number => (seconds * 1_000) / (count * repetitions);
  const measurements = [
    compared(
      { ...named, name: `${of}: a write of one value, ${WRITERS} clients beside 1`, target: mostOfOne },
      { ours: many.each, limit: one.each },
    ),
    alone(
      { ...named, name: `${of}: a write of one value, ${WRITERS} clients: p99`, target: mostMs },
      percentile(many.latencies, 99),
    ),
    ...Object.keys(processes).map((kind) =>
      compared(
        { ...named, name: `${of}: CPU of ${kind} for a write of one value, ${WRITERS} clients beside 1` },
        {
          ours: [perWrite(cpus.many.get(kind), counts.many * WRITERS)],
          limit: [perWrite(cpus.one.get(kind), counts.one)],
        },
      ),
    ),
  ];
  for (const measurement of measurements) say(`writers: ${describe(measurement)}`);
  return measurements;
}

/** Creates metrics, and for each a client that writes to it through one of the APIs. */
async function newCrowd(apis: readonly Service[], writers: number) {
  const [first] = apis;
  if (first === undefined) throw new Error('expected an API');
  const secret = await newOrganisation(first);
  const metrics: string[] = [];
  for (let each = 1; each <= writers; each += 1)
    metrics.push(await newMetric(as(first, secret), `metric ${each}`));
  const clients = metrics.map(() => keepAliveClient());
  let number = 0;
  const writeSeveral = async (writer: number, count: number): Promise<number[]> => {
    const latencies: number[] = [];
    const api = apis[writer % apis.length] ?? first;
    for (let each = 1; each <= count; each += 1) {
      // Each write has another number, so that each changes something.
      const body = Buffer.from(JSON.stringify({ values: [{ period: PERIOD, value: (number += 1) }] }));
      const url = `${api.url}/api/v1/metrics/${metrics[writer] ?? ''}/values`;
      latencies.push((await clients[writer]?.post(url, { 'x-api-key': secret }, body)) ?? 0);
    }
    return latencies;
  };
  return {
    write: async (writersNow: number, count: number): Promise<Written> => {
      const latencies: number[] = [];
      const seconds = await secondsOf(async () => {
        const all = await Promise.all(
          Array.from({ length: writersNow }, (_, writer) => writeSeveral(writer, count)),
        );
        latencies.push(...all.flat());
      });
      return { each: (seconds * 1_000) / (writersNow * count), latencies };
    },
    close: () => {
      for (const client of clients) client.close();
    },
  };
}
