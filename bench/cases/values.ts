import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startBareProcess } from '../bare/bare-process.ts';
import { as, newMetric, newOrganisation } from '../client/client.ts';
import { keepAliveClient } from '../client/keep-alive-client.ts';
import { compared, describe, type Measurement } from '../measurement.ts';
import type { RunOptions } from '../run-options.ts';
import { say } from '../say.ts';
import { startService } from '../client/service.ts';

const VALUES = 10_000;
const MOST_RATIO = 2;
const MILLISECONDS_PER_DAY = 86_400_000;
/** Ten thousand days are 27 years. The days of the bodies begin in the year 1000 and do not overlap. */
const FIRST_DAY = Date.UTC(1000, 0, 1) / MILLISECONDS_PER_DAY;
const WARM_UP = 3;

/** The bare routes append either the body's columns of each value, or all columns that the product stores. */
const LIMITS = { sent: 'what was sent', stored: 'what we store' };

/** Returns the body of one request: the days of a block, with whole numbers that depend on the version. */
const body = (block: number, version: number): Buffer =>
  Buffer.from(
    JSON.stringify({
      values: Array.from({ length: VALUES }, (_, index) => ({
        period: new Date((FIRST_DAY + block * VALUES + index) * MILLISECONDS_PER_DAY)
          .toISOString()
          .slice(0, 10),
        value: ((index * 7919) % 100_000) + version,
      })),
    }),
  );

/** Compares requests of 10,000 values, as new ones and as replacements, with a bare route that appends them. */
export async function values(options: RunOptions): Promise<Measurement[]> {
  const directory = await mkdtemp(join(tmpdir(), 'cost-analytics-bench-'));
  const service = await (await startService(directory)).ready;
  const bare = startBareProcess<object, string>('bare-values', [join(directory, 'bare.duckdb')]);
  const [ours, limit] = [keepAliveClient(), keepAliveClient()];
  try {
    const bareUrl = await bare.ask({});
    const measurements: Measurement[] = [];
    for (const tier of ['enterprise', 'business'] as const) {
      const secret = await newOrganisation(service, tier);
      const metricId = await newMetric(as(service, secret), 'orders');
      const oursUrl = `${service.url}/api/v1/metrics/${metricId}/values`;
      const samples = {
        created: [] as number[],
        replaced: [] as number[],
        sent: [] as number[],
        stored: [] as number[],
      };
      const repetitions = options.quick ? 3 : options.repetitions * 6;
      // More blocks do not fit between the year 1000 and today.
      for (let block = 0; block < Math.min(repetitions + WARM_UP, 35); block += 1) {
        const [fresh, again] = [body(block, 0), body(block, 1)];
        const measured = {
          sent: await limit.post(`${bareUrl}/sent`, {}, fresh),
          stored: await limit.post(`${bareUrl}/stored`, {}, fresh),
          created: await ours.post(oursUrl, { 'x-api-key': secret }, fresh),
          replaced: await ours.post(oursUrl, { 'x-api-key': secret }, again),
        };
        if (block < WARM_UP) continue;
        samples.sent.push(measured.sent);
        samples.stored.push(measured.stored);
        samples.created.push(measured.created);
        samples.replaced.push(measured.replaced);
      }
      for (const kind of ['created', 'replaced'] as const) {
        for (const rows of ['sent', 'stored'] as const) {
          const measurement = compared(
            {
              benchmark: 'values',
              name: `${VALUES} ${kind}, ${tier} tier: against appending ${LIMITS[rows]}`,
              unit: 'ms',
              target: MOST_RATIO,
            },
            { ours: samples[kind], limit: samples[rows] },
          );
          say(`values: ${describe(measurement)}`);
          measurements.push(measurement);
        }
      }
    }
    return measurements;
  } finally {
    ours.close();
    limit.close();
    await bare.stop();
    await service.stop();
    await rm(directory, { recursive: true, force: true });
  }
}
