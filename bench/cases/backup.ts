import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { copyFile, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sealBills } from '../../warehouse/teams/bills/bill-sealing.ts';
import type { BareResult, BareStatement } from '../bare/bare-duckdb.ts';
import { startBareProcess } from '../bare/bare-process.ts';
import type { LightReads, LightReadTimes } from '../bare/light-reads.ts';
import { as, newMetric, newOrganisation, type Client } from '../client/client.ts';
import { COMMAND, startService, type Service } from '../client/service.ts';
import { addTeams } from '../data/bills-organisation.ts';
import { writeManyMetrics } from '../data/many-metrics.ts';
import type { SentValue } from '../data/crash-journal.ts';
import { NOW, openBench, ORG } from '../data/months-organisation.ts';
import { alone, compared, secondsOf, type Measurement } from '../measurement.ts';
import type { RunOptions } from '../run-options.ts';
import { say } from '../say.ts';
import { percentile } from '../statistics.ts';

const CLOCK = NOW.toISOString();
const BATCH = 5;
const READ_MS = { quick: 1_000, full: 4_000 };
const MILLISECONDS_PER_DAY = 86_400_000;
const FIRST_DAY = Date.UTC(1000, 0, 1);

/**
 * Backs a running service up while another organisation writes, and restores the copy. Compares the time with a bare copy of the
 * same file, and everything that both services show. The busy organisation must have a prefix of what was sent.
 */
export async function backup({ quick }: RunOptions): Promise<Measurement[]> {
  const rows = quick ? 100_000 : 10_000_000;
  const directory = await mkdtemp(join(tmpdir(), 'cost-analytics-bench-'));
  const [original, copy, restored] = ['original', 'copy', 'restored'].map((name) => join(directory, name));
  if (original === undefined || copy === undefined || restored === undefined) throw new Error('no folders');
  const bare = startBareProcess<BareStatement, BareResult>('bare-duckdb', ['2GB', directory]);
  const reader = startBareProcess<LightReads, LightReadTimes>('light-reads');
  try {
    await mkdir(original);
    say(`backup: writing ${rows} rows of spend`);
    const { secret, metrics } = await prepare(original, rows, quick);
    const bareSeconds = await bareCopy(
      bare,
      join(original, 'warehouse.duckdb'),
      join(directory, 'bare.duckdb'),
    );
    await bare.stop();

    const service = await (await startService(original, { CLOCK })).ready;
    const shown = await digestsOf(service, secret, metrics);
    const busySecret = await newOrganisation(service);
    const busy = as(service, busySecret);
    const writer = new PrefixWriter(busy, await newMetric(busy, 'busy'));
    const urls = [`/metrics/${metrics[0] ?? ''}`, '/costs?start_date=2025-12-01&end_date=2025-12-31'].map(
      (path) => `${service.url}/api/v1${path}`,
    );
    const read = (): Promise<LightReadTimes> =>
      reader.ask({ urls, secret, milliseconds: quick ? READ_MS.quick : READ_MS.full });
    await read();
    const quiet = await read();
    const times: number[] = [];
    let failed = 0;
    const load = new AbortController();
    const writing = writer.write(load.signal);
    const reading = (async () => {
      while (!load.signal.aborted) {
        const some = await reader.ask({ urls, secret, milliseconds: 500 });
        times.push(...some.times);
        failed += some.failed;
      }
    })();
    const before = writer.acknowledged;
    const backupSeconds = await secondsOf(() =>
      command(['backup', '--to', copy, '--url', service.url], original),
    );
    const after = writer.sent;
    load.abort();
    await Promise.all([writing, reading]);
    say(`backup: ${after - before} values were written while it took ${backupSeconds.toFixed(1)} s`);
    await service.stop();

    await mkdir(restored);
    for (const key of ['master.key', 'operator.key'])
      await copyFile(join(original, key), join(restored, key));
    const restoreSeconds = await secondsOf(() => command(['restore', '--from', copy], restored));
    const begun = performance.now();
    const other = await (await startService(restored, { CLOCK })).ready;
    const startSeconds = (performance.now() - begun) / 1000;
    const now = await digestsOf(other, secret, metrics);
    const differing = [...shown].flatMap(([path, digest]) => (now.get(path) === digest ? [] : [path]));
    const values = await as(other, busySecret).all<SentValue>(`/metrics/${writer.metricId}/values`);
    const isPrefix = values.every(
      ({ period, value }, index) => period === periodOf(index) && value === index,
    );
    if (!isPrefix || values.length % BATCH > 0 || values.length < before || values.length > after)
      differing.push(`${values.length} values, no prefix of what was sent between ${before} and ${after}`);
    await other.stop();
    for (const what of differing) say(`backup: DIFFERENT ${what}`);

    const named = { benchmark: 'backup', unit: 's', target: null } as const;
    const name = `${rows / 1_000_000} M rows`;
    const latency = (part: number) => ({
      ours: [percentile(times, part)],
      limit: [percentile(quiet.times, part)],
    });
    return [
      compared(
        { ...named, name: `${name}: backup under load, with its comparison` },
        { ours: [backupSeconds], limit: [bareSeconds] },
      ),
      alone({ ...named, name: `${name}: restore` }, restoreSeconds),
      alone({ ...named, name: `${name}: start of the restored service` }, startSeconds),
      compared({ ...named, unit: 'ms', name: 'light reads during the backup: p50' }, latency(50)),
      compared({ ...named, unit: 'ms', name: 'light reads during the backup: p99' }, latency(99)),
      alone({ ...named, unit: 'count', name: 'light reads that failed', target: 0 }, failed),
      alone({ ...named, unit: 'count', name: 'values written meanwhile' }, after - before),
      alone({ ...named, unit: 'count', name: 'answers compared' }, shown.size),
      alone({ ...named, unit: 'count', name: 'answers that differ', target: 0 }, differing.length),
    ];
  } finally {
    await bare.stop();
    await reader.stop();
    await rm(directory, { recursive: true, force: true });
  }
}

/** Writes an organisation with a year of spend, 100 metrics, 50 teams with their bills and 100 shared costs. */
async function prepare(directory: string, rows: number, quick: boolean) {
  const many = await writeManyMetrics(directory, { rows, metrics: quick ? 10 : 100 });
  const warehouse = await openBench(directory);
  try {
    await addTeams(warehouse, quick ? { teams: 5, sharedCosts: 10 } : { teams: 50, sharedCosts: 100 });
    await sealBills(warehouse, ORG, NOW);
  } finally {
    warehouse.close();
  }
  return many;
}

/** Returns how long DuckDB takes to copy all tables of a file to another one. */
async function bareCopy(
  bare: { ask: (statement: BareStatement) => Promise<BareResult> },
  from: string,
  to: string,
): Promise<number> {
  await bare.ask({ sql: `ATTACH '${from}' AS original (READ_ONLY)` });
  await bare.ask({ sql: `ATTACH '${to}' AS copied` });
  const { seconds } = await bare.ask({ sql: 'COPY FROM DATABASE original TO copied' });
  return seconds;
}

/** Runs the command as an operator does. */
async function command(words: readonly string[], dataDir: string): Promise<void> {
  const child = spawn(process.execPath, [COMMAND, ...words], {
    env: { ...process.env, DATA_DIR: dataDir },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const [code] = (await once(child, 'exit')) as [number | null];
  if (code !== 0) throw new Error(`${words.join(' ')}: exit code ${String(code)}`);
}

/** Returns a digest of everything that the API shows of the large organisation, by path. */
async function digestsOf(
  service: Pick<Service, 'url'>,
  secret: string,
  metrics: readonly string[],
): Promise<Map<string, string>> {
  const year = 'start_date=2025-01-01&end_date=2025-12-31';
  const paths = [
    ...['/overview', '/teams?limit=1000', '/shared-costs?limit=1000', `/costs?${year}`],
    ...['day,account', 'month,service', 'team', 'cluster,namespace', 'host,host_service'].map(
      (group) => `/costs/breakdown?${year}&group_by=${group}`,
    ),
    ...['months', 'bills', 'values', 'spend'].map(
      (subject) => `/export/${subject}?start=2025-01&end=2025-12`,
    ),
    ...metrics.flatMap((id) => [`/metrics/${id}/months`, `/metrics/${id}/values?limit=1000`]),
  ];
  const digests = new Map<string, string>();
  for (const path of paths) digests.set(path, await digestOf(`${service.url}/api/v1${path}`, secret));
  return digests;
}

async function digestOf(url: string, secret: string): Promise<string> {
  const isTable = /breakdown|export/.test(url);
  const accept = isTable ? 'text/csv' : 'application/json';
  const answer = await fetch(url, { headers: { 'x-api-key': secret, accept } });
  if (answer.status !== 200 || answer.body === null)
    throw new Error(`${url}: ${answer.status} ${await answer.text()}`);
  const hash = createHash('sha256');
  for await (const part of answer.body as AsyncIterable<Uint8Array>) hash.update(part);
  return hash.digest('hex');
}

/** Sends a value for one day after the other, so that the stored ones tell how many were sent before an instant. */
class PrefixWriter {
  readonly #client: Client;
  readonly metricId: string;
  acknowledged = 0;
  sent = 0;

  constructor(client: Client, metricId: string) {
    this.#client = client;
    this.metricId = metricId;
  }

  async write(over: AbortSignal): Promise<void> {
    while (!over.aborted) {
      const values = Array.from({ length: BATCH }, (_, index): SentValue => ({
        period: periodOf(this.sent + index),
        value: this.sent + index,
      }));
      this.sent += BATCH;
      await this.#client.post(`/metrics/${this.metricId}/values`, { values });
      this.acknowledged += BATCH;
    }
  }
}

const periodOf = (index: number): string =>
  new Date(FIRST_DAY + index * MILLISECONDS_PER_DAY).toISOString().slice(0, 10);
