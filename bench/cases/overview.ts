import { copyFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { dayOf, firstDay, monthOf } from '../../domain/shared/calendar.ts';
import { factsFrom } from '../../domain/months/shown-months.ts';
import { startBareProcess } from '../bare/bare-process.ts';
import type { BareReads } from '../bare/bare-reads.ts';
import type { Measurement } from '../measurement.ts';
import { writeManyMetrics } from '../data/many-metrics.ts';
import { NOW, ORG } from '../data/months-organisation.ts';
import { measureRoute } from '../client/route-latency.ts';
import type { RunOptions } from '../run-options.ts';
import { say } from '../say.ts';
import { startService } from '../client/service.ts';

const SHOWN_MONTHS = 12;

/** `overview`: compares the overview of all metrics with a bare route that runs its one statement. */
export const overview = async (options: RunOptions): Promise<Measurement[]> => {
  const size = options.quick ? { rows: 50_000, metrics: 50 } : { rows: 1_000_000, metrics: 1_000 };
  const directory = await mkdtemp(join(tmpdir(), 'cost-analytics-overview-'));
  say(`overview: writing ${size.metrics} metrics`);
  const { metrics, secret } = await writeManyMetrics(directory, size);
  const copy = join(directory, 'copy.duckdb');
  await copyFile(join(directory, 'warehouse.duckdb'), copy);
  const service = await (await startService(directory, { CLOCK: NOW.toISOString() })).ready;
  const bare = startBareProcess<BareReads, string>('bare-reads', [copy]);
  try {
    const today = dayOf(NOW);
    const month = monthOf(today);
    const days = { previousStart: today, start: today, end: today };
    const range = { firstMonth: factsFrom(month, SHOWN_MONTHS), lastMonth: firstDay(month) };
    const bareUrl = await bare.ask({ org: ORG, metrics, ...days, ...range });
    const measurements: Measurement[] = [];
    for (const connections of [1, 10]) {
      const route = {
        benchmark: 'overview',
        name: `GET /overview, ${size.metrics} metrics`,
        ours: `${service.url}/api/v1/overview`,
        bare: `${bareUrl}/metric`,
        requests: 50,
      };
      measurements.push(...(await measureRoute({ ...route, secret, connections }, options)));
    }
    return measurements;
  } finally {
    await bare.stop();
    await service.stop();
    await rm(directory, { recursive: true, force: true });
  }
};
