import { copyFile, mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { as, ingestSource, newOrganisation, newSource, type Client, type Run } from '../client/client.ts';
import { startCountingProxy } from '../client/counting-proxy.ts';
import { startService } from '../client/service.ts';
import { BILL_MONTHS, writeBillMonths } from '../data/bill-months.ts';
import { alone, compared, describe, type Measurement } from '../measurement.ts';
import { startObjectStore, VERSITYGW } from '../nodes/object-store.ts';
import type { RunOptions } from '../run-options.ts';
import { say } from '../say.ts';
import { median } from '../statistics.ts';

/** All billing months have ended and settled. */
const CLOCK = '2026-03-20T12:00:00Z';
const MOST_UNCHANGED_S = 2;
const MOST_RATIO = 1.2;

/** A folder of files with a month each, and another with only the newest month. */
interface Folders {
  all: string;
  newest: string;
  /** Writes the newest month again, in both. */
  change: () => Promise<void>;
  /** Returns the bytes of data files that were sent since the last call; null if nothing counts them. */
  taken: () => number | null;
}

/** Measures runs of a folder of 24 months of which nothing has changed, or one month, on this machine and over S3. */
export async function changed(options: RunOptions): Promise<Measurement[]> {
  const directory = await mkdtemp(join(tmpdir(), 'cost-analytics-bench-'));
  try {
    const exports = join(directory, 'exports');
    const names = await writeBillMonths(join(exports, 'all'), Math.ceil(options.rows / BILL_MONTHS.length));
    const newest = names.at(-1) ?? '';
    const local = await onFiles(exports, newest, options, directory);
    if (VERSITYGW === null) {
      say('changed: S3 SKIPPED, set VERSITYGW to what scripts/fetch-versitygw.sh prints');
      return local;
    }
    return [...local, ...(await onObjects(exports, newest, options, directory))];
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

/** Replaces a file by its own copy, as an export that is written again. */
async function rewrite(file: string, to: string): Promise<void> {
  await copyFile(file, `${to}.unfinished`);
  await rename(`${to}.unfinished`, to);
}

async function onFiles(
  exports: string,
  newest: string,
  options: RunOptions,
  directory: string,
): Promise<Measurement[]> {
  const alone = join(exports, 'newest');
  await mkdir(alone);
  const change = async (): Promise<void> => {
    await rewrite(join(exports, 'all', newest), join(alone, newest));
    await rewrite(join(alone, newest), join(exports, 'all', newest));
  };
  await change();
  const folders = { all: 'all', newest: 'newest', change, taken: () => null };
  return measure('files', folders, options, join(directory, 'files'), { SOURCE_ROOTS: exports });
}

/** The S3 server keeps objects as files of a folder, so that a file that is written there is a new object. */
async function onObjects(
  exports: string,
  newest: string,
  options: RunOptions,
  directory: string,
): Promise<Measurement[]> {
  const stored = join(directory, 'objects');
  const bucket = join(stored, 'bills');
  await mkdir(bucket, { recursive: true });
  await rename(join(exports, 'all'), join(bucket, 'all'));
  await rename(join(exports, 'newest'), join(bucket, 'newest'));
  const store = await startObjectStore(stored);
  const proxy = await startCountingProxy(store.url);
  const change = async (): Promise<void> => {
    await rewrite(join(bucket, 'all', newest), join(bucket, 'newest', newest));
    await rewrite(join(bucket, 'newest', newest), join(bucket, 'all', newest));
  };
  const { WAREHOUSE_DATA: _, ...environment } = store.environment;
  const folders = { all: 's3://bills/all/', newest: 's3://bills/newest/', change, taken: proxy.take };
  try {
    return await measure('S3', folders, options, join(directory, 's3'), {
      ...environment,
      AWS_ENDPOINT_URL_S3: proxy.url,
      SOURCE_BUCKETS: 's3://bills/',
      PRIVATE_TARGETS: '127.0.0.1',
    });
  } finally {
    proxy.stop();
    await store.stop();
  }
}

async function measure(
  place: string,
  folders: Folders,
  { rows, repetitions }: RunOptions,
  dataDir: string,
  environment: Record<string, string>,
): Promise<Measurement[]> {
  await mkdir(dataDir);
  const service = await (await startService(dataDir, { CLOCK, ...environment })).ready;
  try {
    // Each source has an organisation of its own, so that no charges count twice.
    const connect = async (folder: string): Promise<{ admin: Client; source: string }> => {
      const admin = as(service, await newOrganisation(service));
      return { admin, source: await newSource(admin, folder) };
    };
    const [all, newest] = [await connect(folders.all), await connect(folders.newest)];
    const first = await ingestSource(all.admin, all.source);
    await ingestSource(newest.admin, newest.source);
    folders.taken();
    say(`changed ${place}: all ${rows} lines in ${first.seconds.toFixed(2)} s`);
    const samples = { unchanged: [] as number[], changed: [] as number[], newest: [] as number[] };
    const bytes = { unchanged: 0, changed: [] as number[], newest: [] as number[] };
    for (let repetition = 1; repetition <= repetitions; repetition += 1) {
      const unchanged = await ingestSource(all.admin, all.source, undefined, false);
      expectFiles(unchanged.run, 0);
      bytes.unchanged += folders.taken() ?? unchanged.run.bytes_read ?? 0;
      samples.unchanged.push(unchanged.seconds);
      await folders.change();
      for (const [{ admin, source }, of] of [
        [all, 'changed'],
        [newest, 'newest'],
      ] as const) {
        const { run, seconds } = await ingestSource(admin, source, undefined, false);
        expectFiles(run, 1);
        bytes[of].push(folders.taken() ?? run.bytes_read ?? 0);
        samples[of].push(seconds);
      }
      say(
        `changed ${place}: nothing ${unchanged.seconds.toFixed(2)} s, one month ${samples.changed.at(-1)?.toFixed(2)} s, that month alone ${samples.newest.at(-1)?.toFixed(2)} s`,
      );
    }
    const name = `24 months, ${rows / 1e6} M rows, ${place}`;
    const measurements = [
      {
        ...alone(
          { benchmark: 'changed', name: `${name}: nothing has changed`, unit: 's', target: MOST_UNCHANGED_S },
          median(samples.unchanged),
        ),
        samples: { ours: samples.unchanged, limit: [] },
      },
      alone(
        {
          benchmark: 'changed',
          name: `${name}: bytes read if nothing has changed`,
          unit: 'count',
          target: 0,
        },
        bytes.unchanged,
      ),
      compared(
        {
          benchmark: 'changed',
          name: `${name}: one month against a folder of it`,
          unit: 's',
          target: MOST_RATIO,
        },
        { ours: samples.changed, limit: samples.newest },
      ),
      compared(
        { benchmark: 'changed', name: `${name}: bytes read of one month`, unit: 'count', target: null },
        { ours: bytes.changed, limit: bytes.newest },
      ),
    ];
    for (const measurement of measurements) say(describe(measurement));
    return measurements;
  } finally {
    await service.stop();
  }
}

function expectFiles({ files_read: files }: Run, expected: number): void {
  if (files !== expected) throw new Error(`the run read ${String(files)} files, expected ${expected}`);
}
