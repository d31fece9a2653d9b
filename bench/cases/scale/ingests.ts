import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { BareResult, BareStatement } from '../../bare/bare-duckdb.ts';
import { startBareProcess } from '../../bare/bare-process.ts';
import { as, ingestSource, newOrganisation, newSource, type Client, type Run } from '../../client/client.ts';
import { cpuDuring } from '../../client/process-cpu.ts';
import { focusExport } from '../../data/focus-export.ts';
import { alone, compared, secondsOf, type Measurement } from '../../measurement.ts';
import { addFiles, catalogSize, newestSnapshot } from '../../nodes/grow-catalog.ts';
import type { ScaledOut } from '../../nodes/scaled-out.ts';
import { withTemporal } from '../../nodes/with-temporal.ts';
import type { RunOptions } from '../../run-options.ts';
import { say } from '../../say.ts';

const POLL_MS = 250;

/** Organisations that ingest the same export, all at once. */
interface Sources {
  rows: number;
  ingests: number;
  /** Runs one ingest of each. Returns the seconds. Throws if a run has not all lines, or another total than bare DuckDB. */
  ingestAll: () => Promise<number>;
  /** Runs the ingest of one of them; see {@link Sources.ingestAll}. */
  ingestOne: (organisation: number) => Promise<number>;
}

/**
 * Measures the CPU time of small and of large ingests. Compares lines per second of two workers with those of one. Many
 * organisations ingest at once.
 */
export async function ingests(
  service: ScaledOut,
  { quick, repetitions }: RunOptions,
): Promise<Measurement[]> {
  const { cluster, apis, worker } = service;
  const { postgres, store, temporal } = cluster;
  const processes = {
    worker: [worker.pid],
    Postgres: [postgres.pid()],
    'object store': [store.pid],
    Temporal: [temporal.pid],
    api: apis.map(({ pid }) => pid),
  };
  const named = { benchmark: 'scale', target: null } as const;
  /** Returns the seconds of each repetition, and the CPU time for a number of them. */
  const repeat = async ({ ingestAll }: Sources) => {
    // The first ingest of a source replaces nothing.
    await ingestAll();
    const seconds: number[] = [];
    const { cpu } = await cpuDuring(processes, async () => {
      for (let repetition = 1; repetition <= repetitions; repetition += 1) seconds.push(await ingestAll());
    });
    const cpuFor = (what: string, count: number): Measurement[] =>
      (Object.keys(processes) as (keyof typeof processes)[]).map((kind) =>
        alone({ ...named, name: `CPU of ${kind} for ${what}`, unit: 's' }, cpu[kind] / count),
      );
    return { seconds, cpuFor };
  };

  const small = await newSources(service, quick ? 4 : 16, 1_000);
  const before = await catalogSize(cluster);
  const ofSmall = await repeat(small);
  const after = await catalogSize(cluster);
  const crowded = await amongFiles(service, small, quick ? 300 : 3_000);
  const smallRuns = small.ingests * (repetitions + 1);
  const large = await newSources(service, quick ? 4 : 8, quick ? 20_000 : 1_000_000);
  const ofLarge = await repeat(large);
  const ofTwo: number[] = [];
  let most = 0;
  for (let repetition = 1; repetition <= repetitions; repetition += 1) {
    const other = await (await cluster.start('worker')).ready;
    const begun = new Date();
    ofTwo.push(await large.ingestAll().finally(() => other.stop()));
    most += await mostLoadsOfOneWorker(temporal.address, begun);
  }
  const lines = large.ingests * large.rows;
  const perSecond = (seconds: readonly number[]): number[] => seconds.map((each) => lines / each);
  const what = `${large.ingests} ingests of ${large.rows} lines at once`;
  const rate = compared(
    { ...named, name: `${what}: lines a second, 2 workers beside 1`, unit: '1/s' },
    { ours: perSecond(ofTwo), limit: perSecond(ofLarge.seconds) },
  );
  say(`scale: ${what}: ${rate.ours.toFixed(0)} lines a second, ${rate.limit?.toFixed(0)} with one worker`);
  return [
    ...ofSmall.cpuFor('an ingest of 1,000 lines', small.ingests * repetitions),
    alone(
      { ...named, name: 'snapshots that it adds', unit: 'count' },
      (after.snapshots - before.snapshots) / smallRuns,
    ),
    alone({ ...named, name: 'files that it adds', unit: 'count' }, (after.files - before.files) / smallRuns),
    ...crowded,
    rate,
    compared(
      { ...named, name: `${what}: loads of the busier of 2 workers beside all`, unit: 'count' },
      { ours: [most / repetitions], limit: [large.ingests] },
    ),
    ...ofLarge.cpuFor('a million lines', (repetitions * lines) / 1_000_000),
  ];
}

/** Compares an ingest with the same ingest while the catalog also has the files of many others, which nothing has merged yet. */
async function amongFiles(
  { cluster, worker }: ScaledOut,
  { ingestOne }: Sources,
  others: number,
): Promise<Measurement[]> {
  const processes = { worker: [worker.pid], Postgres: [cluster.postgres.pid()] };
  const before = await newestSnapshot(cluster);
  await ingestOne(1);
  const usual = await cpuDuring(processes, () => ingestOne(0));
  const remove = await addFiles(cluster, before, others);
  const among = await cpuDuring(processes, () => ingestOne(0));
  await remove();
  const named = { benchmark: 'scale', target: null } as const;
  const what = `an ingest of 1,000 lines after ${others} others`;
  return [
    compared({ ...named, name: what, unit: 's' }, { ours: [among.result], limit: [usual.result] }),
    ...(['worker', 'Postgres'] as const).map((kind) =>
      compared(
        { ...named, name: `CPU of ${kind} for ${what}`, unit: 's' },
        { ours: [among.cpu[kind]], limit: [usual.cpu[kind]] },
      ),
    ),
  ];
}

async function newSources({ cluster, apis }: ScaledOut, ingests: number, rows: number): Promise<Sources> {
  const service = { url: apis[0].url, dataDir: cluster.dataDir };
  const file = join(cluster.dataDir, `export-${rows}.parquet`);
  await copyFile(await focusExport(rows, 'parquet'), file);
  const expected = await totalOf(file);
  const organisations: { admin: Client; source: string }[] = [];
  for (let each = 1; each <= ingests; each += 1) {
    const admin = as(service, await newOrganisation(service));
    organisations.push({ admin, source: await newSource(admin, file) });
  }
  const ingest = async (some: readonly { admin: Client; source: string }[]): Promise<number> => {
    let runs: Run[] = [];
    const seconds = await secondsOf(async () => {
      const all = some.map(({ admin, source }) => ingestSource(admin, source, POLL_MS));
      runs = (await Promise.all(all)).map(({ run }) => run);
    });
    for (const { rows_read, cost_total } of runs)
      if (rows_read !== rows || Math.abs((cost_total ?? 0) - expected) > 1e-6 * Math.abs(expected))
        throw new Error(`a run read ${rows_read} rows and ${cost_total}, expected ${rows} and ${expected}`);
    return seconds;
  };
  return {
    rows,
    ingests,
    ingestAll: () => ingest(organisations),
    ingestOne: (organisation) => ingest(organisations.slice(organisation, organisation + 1)),
  };
}

async function totalOf(file: string): Promise<number> {
  const duckDb = startBareProcess<BareStatement, BareResult>('bare-duckdb');
  const { rows } = await duckDb
    .ask({ sql: `SELECT CAST(sum(EffectiveCost) AS DOUBLE) AS total FROM read_parquet('${file}')` })
    .finally(() => duckDb.stop());
  return Number(rows[0]?.['total']);
}

/** Returns how many exports the busiest worker has loaded since an instant, by the histories in Temporal. */
const mostLoadsOfOneWorker = (address: string, since: Date): Promise<number> =>
  withTemporal(address, async ({ workflow }) => {
    const loads = new Map<string, number>();
    const query = `WorkflowType = 'ingestCosts' AND StartTime >= '${since.toISOString()}'`;
    for await (const { workflowId, runId } of workflow.list({ query })) {
      const { events } = await workflow.getHandle(workflowId, runId).fetchHistory();
      const load = events?.find(
        ({ activityTaskScheduledEventAttributes: scheduled }) =>
          scheduled?.activityType?.name === 'loadExport',
      );
      for (const { activityTaskStartedEventAttributes: started } of events ?? []) {
        if (load === undefined || started?.scheduledEventId?.toString() !== load.eventId?.toString())
          continue;
        const identity = started?.identity ?? '';
        loads.set(identity, (loads.get(identity) ?? 0) + 1);
      }
    }
    return Math.max(0, ...loads.values());
  });
