import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { latenciesOf } from '../bare/load-test.ts';
import { as, newMetric, newOrganisation } from '../client/client.ts';
import { startService } from '../client/service.ts';
import { alone, describe, type Measurement } from '../measurement.ts';
import type { RunOptions } from '../run-options.ts';
import { say } from '../say.ts';
import { percentile } from '../statistics.ts';

const CLOCK = '2026-01-10T12:00:00Z';
/** One look at the catalog, in milliseconds. */
const MOST_LOOK_MS = 5;

/**
 * Measures how much longer unchanged reads of a DuckLake take than `GET /livez`: one look at the catalog of Postgres. Runs only
 * under `scripts/with-postgres.sh`.
 */
export async function lake({ quick }: RunOptions): Promise<Measurement[]> {
  const postgres = process.env['TEST_POSTGRES'];
  if (postgres === undefined) {
    say('lake: SKIPPED, run it with scripts/with-postgres.sh');
    return [];
  }
  const directory = await mkdtemp(join(tmpdir(), 'cost-analytics-bench-'));
  const service = await (
    await startService(directory, {
      CLOCK,
      WAREHOUSE: `ducklake:postgres:${postgres} dbname=postgres`,
      WAREHOUSE_DATA: join(directory, 'lake'),
      MASTER_KEY: randomBytes(32).toString('base64'),
    })
  ).ready;
  try {
    const secret = await newOrganisation(service);
    const metric = await newMetric(as(service, secret), 'orders');
    const p50 = async (path: string): Promise<number> => {
      const test = { url: `${service.url}${path}`, headers: { 'x-api-key': secret }, connections: 1 };
      await latenciesOf({ ...test, requests: 20 });
      return percentile(await latenciesOf({ ...test, requests: quick ? 50 : 500 }), 50);
    };
    const measurements: Measurement[] = [];
    for (const path of ['/auth/info', `/metrics/${metric}`, '/overview']) {
      const name = `GET ${path.replace(metric, '{id}')} on DuckLake: p50 above /livez`;
      const named = { benchmark: 'lake', name, unit: 'ms', target: MOST_LOOK_MS } as const;
      const measurement = alone(named, (await p50(`/api/v1${path}`)) - (await p50('/livez')));
      say(`lake: ${describe(measurement)}`);
      measurements.push(measurement);
    }
    return measurements;
  } finally {
    await service.stop();
    await rm(directory, { recursive: true, force: true });
  }
}
