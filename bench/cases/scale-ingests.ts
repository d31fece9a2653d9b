import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Client, Connection } from '@temporalio/client';
import type { BareResult, BareStatement } from '../bare/bare-duckdb.ts';
import { startBareProcess } from '../bare/bare-process.ts';
import {
  as,
  ingestSource,
  newOrganisation,
  newSource,
  type Client as ApiClient,
  type Run,
} from '../client/client.ts';
import { cpuDuring } from '../client/process-cpu.ts';
import { focusExport } from '../data/focus-export.ts';
import { alone, compared, secondsOf, type Measurement } from '../measurement.ts';
import type { ScaledOut } from '../nodes/scaled-out.ts';
import type { RunOptions } from '../run-options.ts';
import { say } from '../say.ts';

const POLL_MS = 250;

/**
 * Compares lines per second of two workers with those of one, by turns. Many organisations ingest at once. Fails if a run has not
 * all lines, or another total than bare DuckDB.
 */
export const ingests = async (
  { cluster, apis, worker }: ScaledOut,
  { quick, repetitions }: RunOptions,
): Promise<Measurement[]> => {
  const [sources, rows] = quick ? [4, 20_000] : [8, 1_000_000];
  const { dataDir, postgres, store, temporal } = cluster;
  const service = { url: apis[0].url, dataDir };
  const file = join(dataDir, 'export.parquet');
  await copyFile(await focusExport(rows, 'parquet'), file);
  const expected = await totalOf(file);
  const organisations: { admin: ApiClient; source: string }[] = [];
  for (let each = 1; each <= sources; each += 1) {
    const admin = as(service, await newOrganisation(service));
    organisations.push({ admin, source: await newSource(admin, file) });
  }
  const ingestAll = async (): Promise<number> => {
    let runs: Run[] = [];
    const seconds = await secondsOf(async () => {
      const all = organisations.map(({ admin, source }) => ingestSource(admin, source, POLL_MS));
      runs = (await Promise.all(all)).map(({ run }) => run);
    });
    for (const { rows_read, cost_total } of runs)
      if (rows_read !== rows || Math.abs((cost_total ?? 0) - expected) > 1e-6 * Math.abs(expected))
        throw new Error(`a run read ${rows_read} rows and ${cost_total}, expected ${rows} and ${expected}`);
    return (sources * rows) / seconds;
  };
  // The first ingest of a source replaces nothing.
  await ingestAll();
  const perSecond = { one: [] as number[], two: [] as number[] };
  let most = 0;
  const second = await (await cluster.start('worker')).ready;
  await second.stop();
  const processes = {
    worker: [worker.pid],
    Postgres: [postgres.pid()],
    'object store': [store.pid],
    Temporal: [temporal.pid],
    api: [apis[0].pid],
  };
  const { cpu } = await cpuDuring(processes, async () => {
    for (let repetition = 1; repetition <= repetitions; repetition += 1)
      perSecond.one.push(await ingestAll());
  });
  for (let repetition = 1; repetition <= repetitions; repetition += 1) {
    const other = await (await cluster.start('worker')).ready;
    const begun = new Date();
    perSecond.two.push(await ingestAll().finally(() => other.stop()));
    most += await mostLoadsOfOneWorker(temporal.address, begun);
  }
  const named = { benchmark: 'scale', target: null } as const;
  const millions = (repetitions * sources * rows) / 1_000_000;
  const what = `${sources} ingests at once`;
  const rate = compared(
    { ...named, name: `${what}: lines a second, 2 workers beside 1`, unit: '1/s' },
    { ours: perSecond.two, limit: perSecond.one },
  );
  say(`scale: ${what}: ${rate.ours.toFixed(0)} lines a second, ${rate.limit?.toFixed(0)} with one worker`);
  return [
    rate,
    compared(
      { ...named, name: `${what}: loads of the busier of 2 workers beside all`, unit: 'count' },
      { ours: [most / repetitions], limit: [sources] },
    ),
    ...(Object.keys(processes) as (keyof typeof processes)[]).map((kind) =>
      alone(
        { ...named, name: `${what}: CPU of ${kind} for a million lines`, unit: 's' },
        cpu[kind] / millions,
      ),
    ),
  ];
};

const totalOf = async (file: string): Promise<number> => {
  const duckDb = startBareProcess<BareStatement, BareResult>('bare-duckdb');
  const { rows } = await duckDb
    .ask({ sql: `SELECT CAST(sum(EffectiveCost) AS DOUBLE) AS total FROM read_parquet('${file}')` })
    .finally(() => duckDb.stop());
  return Number(rows[0]?.['total']);
};

/** Returns how many exports the busiest worker has loaded since an instant, by the histories in Temporal. */
const mostLoadsOfOneWorker = async (address: string, since: Date): Promise<number> => {
  const connection = await Connection.connect({ address });
  try {
    const { workflow } = new Client({ connection });
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
  } finally {
    await connection.close();
  }
};
