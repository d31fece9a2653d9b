import { copyFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { newSecret } from '../../api/access/api-key.ts';
import { dayOf, firstDay, monthOf } from '../../domain/shared/calendar.ts';
import { factsFrom } from '../../domain/months/shown-months.ts';
import { createKey, newKeyId } from '../../warehouse/organisations/api-keys.ts';
import { computeSpend } from '../../warehouse/spend/compute-spend.ts';
import { startBareProcess } from '../bare/bare-process.ts';
import type { BareReads } from '../bare/bare-reads.ts';
import type { Measurement } from '../measurement.ts';
import { addMetrics, fillOrganisation, NOW, openBench, ORG } from '../data/months-organisation.ts';
import { measureRoute } from '../client/route-latency.ts';
import type { RunOptions } from '../run-options.ts';
import { say } from '../say.ts';
import { startService } from '../client/service.ts';

const SHOWN_MONTHS = 12;

/** Prepares a data directory with an organisation of many metrics and its computed months. Returns the secret of a key. */
const prepare = async (directory: string, size: { rows: number; metrics: number }) => {
  const warehouse = await openBench(directory);
  try {
    await fillOrganisation(warehouse, size.rows);
    const metrics = await addMetrics(warehouse, size.metrics);
    await computeSpend(warehouse, ORG, NOW);
    const id = newKeyId();
    const { secret, secretHash } = newSecret(id);
    const key = { id, name: 'Bench', permission: 'read', expires_at: null, secretHash } as const;
    await warehouse.session((session) => createKey(session, ORG, key, NOW));
    return { metrics, secret };
  } finally {
    warehouse.close();
  }
};

/** `overview`: compares the overview of all metrics with a bare route that runs its one statement. */
export const overview = async (options: RunOptions): Promise<Measurement[]> => {
  const size = options.quick ? { rows: 50_000, metrics: 50 } : { rows: 1_000_000, metrics: 1_000 };
  const directory = await mkdtemp(join(tmpdir(), 'cost-analytics-overview-'));
  say(`overview: writing ${size.metrics} metrics`);
  const { metrics, secret } = await prepare(directory, size);
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
