import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startBareProcess } from '../bare/bare-process.ts';
import type { LightReads, LightReadTimes } from '../bare/light-reads.ts';
import { as, ingestSource, newMetric, newOrganisation, newSource, type Client } from '../client/client.ts';
import { startService } from '../client/service.ts';
import { CACHE_DIR, focusExport } from '../data/focus-export.ts';
import { alone, compared, type Measurement } from '../measurement.ts';
import type { RunOptions } from '../run-options.ts';
import { say } from '../say.ts';
import { percentile } from '../statistics.ts';

const CLOCK = '2026-03-20T12:00:00Z';
const MOST_RATIO = 5;
/** How much longer the longest light read may take than the longest one alone. */
const MOST_DELAY_MS = 50;

/** Compares light reads beside heavy work with the same reads on a quiet service, without and with traces. */
export async function fairness(options: RunOptions): Promise<Measurement[]> {
  const plain = await besideHeavyWork('', {}, options);
  const collector = createServer((request, response) => {
    request.resume().on('end', () => response.end());
  }).listen(0, '127.0.0.1');
  await once(collector, 'listening');
  const { port } = collector.address() as AddressInfo;
  try {
    const settings = { OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}` };
    return [...plain, ...(await besideHeavyWork(', traced', settings, options))];
  } finally {
    collector.close();
  }
}

/**
 * Measures the light reads of one organisation, alone, and while another organisation ingests four times the usual lines and reads
 * its overview all the time.
 */
async function besideHeavyWork(
  how: string,
  settings: Readonly<Record<string, string>>,
  options: RunOptions,
): Promise<Measurement[]> {
  const count = options.quick ? 20 : 1_000;
  const milliseconds = options.quick ? 1_000 : 8_000;
  const exports = {
    large: await focusExport(options.rows * 4, 'parquet'),
    small: await focusExport(200_000, 'parquet'),
  };
  const directory = await mkdtemp(join(tmpdir(), 'cost-analytics-bench-'));
  // Reads in another process, because this one also sends the requests of the other organisation.
  const reader = startBareProcess<LightReads, LightReadTimes>('light-reads');
  const service = await (
    await startService(directory, { CLOCK, SOURCE_ROOTS: CACHE_DIR, ...settings })
  ).ready;
  try {
    const [busy, secret] = [as(service, await newOrganisation(service)), await newOrganisation(service)];
    const quietOne = as(service, secret);
    await ingestSource(quietOne, await newSource(quietOne, exports.small));
    const metric = await newMetric(quietOne, 'orders');
    for (let index = 0; index < count; index += 1) await newMetric(busy, `metric ${index}`);
    const source = await newSource(busy, exports.large);
    const paths = ['/auth/info', `/metrics/${metric}`, '/costs?start_date=2026-01-01&end_date=2026-02-28'];
    const urls = paths.map((path) => `${service.url}/api/v1${path}`);
    const read = (): Promise<LightReadTimes> => reader.ask({ urls, secret, milliseconds });
    await read();
    const quiet = await read();
    let isOver = false;
    const ingested = ingestSource(busy, source).finally(() => {
      isOver = true;
    });
    const overviews = [1, 2].map(() => readUntil(busy, '/overview', () => isOver));
    const loud = await read();
    const { seconds } = await ingested;
    await Promise.all(overviews);
    say(`fairness${how}: ${loud.times.length} reads while the ingest took ${seconds.toFixed(1)} s`);
    const named = { benchmark: 'fairness', unit: 'ms' } as const;
    const both = (part: number): { ours: number[]; limit: number[] } => ({
      ours: [percentile(loud.times, part)],
      limit: [percentile(quiet.times, part)],
    });
    const beside = `light reads beside an ingest and overviews${how}`;
    const [longest, longestAlone] = [percentile(loud.times, 100), percentile(quiet.times, 100)];
    return [
      compared({ ...named, name: `${beside}: p50`, target: null }, both(50)),
      compared({ ...named, name: `${beside}: p99`, target: MOST_RATIO }, both(99)),
      alone(
        { ...named, name: `${beside}: longest, more than the longest alone`, target: MOST_DELAY_MS },
        longest - longestAlone,
      ),
      alone({ ...named, unit: 'count', name: `${beside}: failed`, target: 0 }, loud.failed),
    ];
  } finally {
    await reader.stop();
    await service.stop();
    await rm(directory, { recursive: true, force: true });
  }
}

async function readUntil(client: Client, path: string, isOver: () => boolean): Promise<void> {
  while (!isOver()) await client.get(path);
}
