import { generateKeyPairSync } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startBareProcess } from '../bare/bare-process.ts';
import { as, newMetric, newOrganisation, type Client } from '../client/client.ts';
import { mostMemoryDuring, startService, type Service } from '../client/service.ts';
import { NOW, ROWS, STRIPE_KEY, TRANSACTIONS } from '../data/imported-rows.ts';
import { alone, compared, describe, type Measurement } from '../measurement.ts';
import type { RunOptions } from '../run-options.ts';
import { say } from '../say.ts';

/** An import may take at most five times as long as bare DuckDB that stores the same rows. */
const MOST_RATIO = 5;
const POLL_MS = 50;
const BYTES_PER_MIB = 2 ** 20;

interface Import {
  last_run: { run_id: string; status: string; rows: number; error: string | null } | null;
}

/** Waits until a run has ended, and returns how many rows it has read. */
async function rowsOfRun(admin: Client, metricId: string, runId: string | null): Promise<number> {
  for (;;) {
    await new Promise((resume) => setTimeout(resume, POLL_MS));
    const { last_run: run } = await admin.get<Import>(`/metrics/${metricId}/import`);
    if (run === null || run.status === 'running' || (runId !== null && run.run_id !== runId)) continue;
    if (run.status === 'failed') throw new Error(`the import failed: ${run.error ?? ''}`);
    return run.rows;
  }
}

async function runNow(admin: Client, metricId: string): Promise<number> {
  const { run_id } = await admin.post<{ run_id: string }>(`/metrics/${metricId}/import/run`);
  return rowsOfRun(admin, metricId, run_id);
}

async function timed<Result>(work: () => Promise<Result>): Promise<{ result: Result; seconds: number }> {
  const started = performance.now();
  const result = await work();
  return { result, seconds: (performance.now() - started) / 1000 };
}

const credentials = (): Record<string, string> => ({
  type: 'service_account',
  project_id: 'bench',
  client_email: 'bench@bench.iam.gserviceaccount.com',
  private_key: generateKeyPairSync('rsa', { modulusLength: 2048 })
    .privateKey.export({ type: 'pkcs8', format: 'pem' })
    .toString(),
});

/** Measures runs of a query with 200,000 labelled rows: new values, and then others for each of them. */
async function queries(
  service: Service,
  admin: Client,
  repetitions: number,
  bareFile: string,
): Promise<Measurement[]> {
  const bare = startBareProcess<{ columns: 'sent' | 'stored' }, { seconds: number }>('bare-imports', [
    bareFile,
  ]);
  try {
    const metricId = await newMetric(admin, 'orders', 'customer');
    const query = 'SELECT day, label, value FROM shop.orders WHERE day BETWEEN @start AND @end';
    const samples = { ours: [] as number[], sent: [] as number[], stored: [] as number[] };
    await admin.put(`/metrics/${metricId}/import`, {
      type: 'bigquery',
      project_id: 'bench',
      query,
      credentials: credentials(),
    });
    let most = 0;
    const first = await mostMemoryDuring(service, () => rowsOfRun(admin, metricId, null));
    most = first.most;
    for (let round = 0; round < repetitions; round += 1) {
      for (const columns of ['sent', 'stored'] as const)
        samples[columns].push((await bare.ask({ columns })).seconds);
      const { result, seconds } = await timed(() => mostMemoryDuring(service, () => runNow(admin, metricId)));
      if (result.result !== ROWS) throw new Error(`the import has read ${result.result} rows`);
      most = Math.max(most, result.most);
      samples.ours.push(seconds);
    }
    const named = { benchmark: 'imports', unit: 's' } as const;
    const name = `${ROWS} rows of BigQuery, all replaced: against DuckDB appending them`;
    return [
      compared(
        { ...named, name: `${name}, as they are`, target: null },
        { ours: samples.ours, limit: samples.sent },
      ),
      compared(
        { ...named, name: `${name}, with what we store`, target: MOST_RATIO },
        { ours: samples.ours, limit: samples.stored },
      ),
      alone(
        {
          benchmark: 'imports',
          name: `${ROWS} rows of BigQuery: most memory of the service`,
          unit: 'MiB',
          target: null,
        },
        most / BYTES_PER_MIB,
      ),
    ];
  } finally {
    await bare.stop();
  }
}

/** Measures the first import of a million transactions of Stripe. */
async function transactions(service: Service, admin: Client): Promise<Measurement[]> {
  const metric = { unit: 'USD', kind: 'revenue', currency: 'USD', aggregation: 'total', frequency: 'daily' };
  const scope = { type: 'organisation' };
  const { id } = await admin.post<{ id: string }>('/metrics', { name: 'sales', ...metric, scope });
  const { result, seconds } = await timed(() =>
    mostMemoryDuring(service, async () => {
      await admin.put(`/metrics/${id}/import`, { type: 'stripe', api_key: STRIPE_KEY });
      return rowsOfRun(admin, id, null);
    }),
  );
  if (result.result !== TRANSACTIONS)
    throw new Error(`the import has read ${result.result} transactions of ${TRANSACTIONS}`);
  const name = `${TRANSACTIONS} transactions of Stripe`;
  return [
    alone({ benchmark: 'imports', name, unit: 's', target: null }, seconds),
    alone(
      { benchmark: 'imports', name: `${name}: most memory of the service`, unit: 'MiB', target: null },
      result.most / BYTES_PER_MIB,
    ),
  ];
}

/** Runs `measure` with a service of its own, which reads the benchmark's platforms. */
async function withService(
  urls: { stripe: string; bigQuery: string },
  measure: (service: Service, admin: Client, directory: string) => Promise<Measurement[]>,
): Promise<Measurement[]> {
  const directory = await mkdtemp(join(tmpdir(), 'cost-analytics-bench-'));
  const environment = { CLOCK: NOW, STRIPE_API_BASE: urls.stripe, BIGQUERY_API_ENDPOINT: urls.bigQuery };
  const service = await (await startService(directory, environment)).ready;
  try {
    return await measure(service, as(service, await newOrganisation(service)), directory);
  } finally {
    await service.stop();
    await rm(directory, { recursive: true, force: true });
  }
}

/** `imports`: compares runs of a query with bare DuckDB, and measures the import of a million transactions. */
export async function imports({ quick, repetitions }: RunOptions): Promise<Measurement[]> {
  const platforms = startBareProcess<object, { stripe: string; bigQuery: string }>('platforms');
  try {
    const urls = await platforms.ask({});
    const measurements = [
      ...(quick ? [] : await withService(urls, transactions)),
      ...(await withService(urls, (service, admin, directory) =>
        queries(service, admin, quick ? 2 : repetitions, join(directory, 'bare.duckdb')),
      )),
    ];
    for (const measurement of measurements) say(`imports: ${describe(measurement)}`);
    return measurements;
  } finally {
    await platforms.stop();
  }
}
