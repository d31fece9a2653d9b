import { copyFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { factsFrom } from '../../domain/months/shown-months.ts';
import type { BareResult, BareStatement } from '../bare/bare-duckdb.ts';
import { startBareProcess } from '../bare/bare-process.ts';
import type { BareReads } from '../bare/bare-reads.ts';
import { as, ingestSource, newMetric, newOrganisation, newSource } from '../client/client.ts';
import { CACHE_DIR } from '../data/focus-export.ts';
import type { Measurement } from '../measurement.ts';
import { measureRoute } from '../client/route-latency.ts';
import type { RunOptions } from '../run-options.ts';
import { say } from '../say.ts';
import { startService } from '../client/service.ts';

const CLOCK = '2026-01-10T12:00:00Z';
const TODAY = '2026-01-10';
/** The range that `GET /costs` reads, and the first day of the range before, with which its answer compares. */
const YEAR = { previousStart: '2024-01-01', start: '2025-01-01', end: '2025-12-31' };
const SHOWN_MONTHS = 12;
const METRIC_DAYS = 730;
const MILLISECONDS_PER_DAY = 86_400_000;

/** Returns the SQL that writes an export of two years: 200 accounts, with ten lines for each day and account. */
const exportSql = (path: string): string => `
COPY (
  SELECT CAST(day AS TIMESTAMP) AS ChargePeriodStart, CAST(day AS TIMESTAMP) + INTERVAL 1 DAY AS ChargePeriodEnd,
    date_trunc('month', day) AS BillingPeriodStart, date_trunc('month', day) + INTERVAL 1 MONTH AS BillingPeriodEnd,
    'USD' AS BillingCurrency, 'AWS' AS ProviderName, 'Storage' AS ServiceCategory, 'S3' AS ServiceName,
    CAST(account AS VARCHAR) AS SubAccountId, 'Account ' || account AS SubAccountName,
    'bucket-' || account || '-' || line AS ResourceId,
    CAST(hash(day, account, line) % 100000 / 10000.0 AS DOUBLE) AS EffectiveCost, EffectiveCost AS BilledCost
  FROM generate_series(TIMESTAMP '2024-01-01', TIMESTAMP '2025-12-31', INTERVAL 1 DAY) AS days(day),
    range(200) AS accounts(account), range(10) AS lines(line)
) TO '${path}' (FORMAT parquet)`;

/** Loads spend and values into a new organisation. Then stops the service, so that its warehouse file is complete. */
const prepare = async (directory: string, environment: Record<string, string>) => {
  const file = join(directory, 'two-years.parquet');
  const duckDb = startBareProcess<BareStatement, BareResult>('bare-duckdb', ['2GB', CACHE_DIR]);
  await duckDb.ask({ sql: exportSql(file) }).finally(() => duckDb.stop());
  const service = await (await startService(directory, environment)).ready;
  try {
    const secret = await newOrganisation(service);
    const admin = as(service, secret);
    await ingestSource(admin, await newSource(admin, file));
    const metricId = await newMetric(admin, 'orders');
    const lastDay = Date.parse('2025-12-31') / MILLISECONDS_PER_DAY;
    await admin.post(`/metrics/${metricId}/values`, {
      values: Array.from({ length: METRIC_DAYS }, (_, index) => ({
        period: new Date((lastDay - index) * MILLISECONDS_PER_DAY).toISOString().slice(0, 10),
        value: 1000 + (index % 97),
      })),
    });
    const { organisation } = await admin.get<{ organisation: { id: string } }>('/auth/info');
    return { secret, metricId, orgId: organisation.id };
  } finally {
    await service.stop();
  }
};

/**
 * Compares GET /costs of a year and GET /metrics/{id} with bare routes, which only run the same statement on a copy of the
 * warehouse file.
 */
export const reads = async (options: RunOptions): Promise<Measurement[]> => {
  const directory = await mkdtemp(join(tmpdir(), 'cost-analytics-bench-'));
  const environment = { CLOCK, SOURCE_ROOTS: directory };
  say('reads: loading two years of spend');
  const { secret, metricId, orgId } = await prepare(directory, environment);
  const copy = join(directory, 'copy.duckdb');
  await copyFile(join(directory, 'warehouse.duckdb'), copy);
  const service = await (await startService(directory, environment)).ready;
  const bare = startBareProcess<BareReads, string>('bare-reads', [copy]);
  try {
    const bareUrl = await bare.ask({
      org: orgId,
      metrics: [metricId],
      ...YEAR,
      firstMonth: factsFrom(TODAY.slice(0, 7), SHOWN_MONTHS),
      lastMonth: `${TODAY.slice(0, 7)}-01`,
    });
    const routes = [
      {
        name: 'GET /costs, a year',
        ours: `${service.url}/api/v1/costs?start_date=${YEAR.start}&end_date=${YEAR.end}`,
        bare: `${bareUrl}/costs`,
      },
      {
        name: 'GET /metrics/{id}',
        ours: `${service.url}/api/v1/metrics/${metricId}`,
        bare: `${bareUrl}/metric`,
      },
    ];
    const measurements: Measurement[] = [];
    for (const route of routes) {
      for (const connections of [1, 50]) {
        measurements.push(
          ...(await measureRoute(
            { ...route, benchmark: 'reads', connections, secret, requests: 200 * (connections > 1 ? 3 : 1) },
            options,
          )),
        );
      }
    }
    return measurements;
  } finally {
    await bare.stop();
    await service.stop();
    await rm(directory, { recursive: true, force: true });
  }
};
