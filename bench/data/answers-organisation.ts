import { join } from 'node:path';
import type { BareResult, BareStatement } from '../bare/bare-duckdb.ts';
import { startBareProcess } from '../bare/bare-process.ts';
import { as, ingestSource, newOrganisation, newSource } from '../client/client.ts';
import type { Service } from '../client/service.ts';
import { secondsOf } from '../measurement.ts';

const METRIC_DAYS = 60;
const LAST_DAY = Date.parse('2026-01-09');
const MILLISECONDS_PER_DAY = 86_400_000;

/** Returns the SQL that writes an export of a year: 200 accounts, with ten lines for each day and account. */
const exportSql = (path: string): string => `
COPY (
  SELECT CAST(day AS TIMESTAMP) AS ChargePeriodStart, CAST(day AS TIMESTAMP) + INTERVAL 1 DAY AS ChargePeriodEnd,
    date_trunc('month', day) AS BillingPeriodStart, date_trunc('month', day) + INTERVAL 1 MONTH AS BillingPeriodEnd,
    'USD' AS BillingCurrency, 'AWS' AS ProviderName, 'Storage' AS ServiceCategory, 'S3' AS ServiceName,
    CAST(account AS VARCHAR) AS SubAccountId, 'Account ' || account AS SubAccountName,
    'bucket-' || account || '-' || line AS ResourceId,
    CAST(hash(day, account, line) % 100000 / 10000.0 AS DOUBLE) AS EffectiveCost, EffectiveCost AS BilledCost
  FROM generate_series(TIMESTAMP '2025-01-01', TIMESTAMP '2026-01-09', INTERVAL 1 DAY) AS days(day),
    range(200) AS accounts(account), range(10) AS lines(line)
) TO '${path}' (FORMAT parquet)`;

/** Writes the export into a directory, and returns its path. */
export async function makeYear(directory: string): Promise<string> {
  const file = join(directory, 'year.parquet');
  const duckDb = startBareProcess<BareStatement, BareResult>('bare-duckdb', ['2GB', directory]);
  await duckDb.ask({ sql: exportSql(file) }).finally(() => duckDb.stop());
  return file;
}

/** Returns a value for each of the last days, newest first. */
export const dailyValues = (days: number, value: number) =>
  Array.from({ length: days }, (_, index) => ({
    period: new Date(LAST_DAY - index * MILLISECONDS_PER_DAY).toISOString().slice(0, 10),
    value: value + (index % 97),
  }));

/** Loads a year of spend in 200 accounts, and creates metrics, values and a team by the API, one after the other. */
export async function newAnswersOrganisation(
  service: Pick<Service, 'url' | 'dataDir'>,
  file: string, count: number) {
  const secret = await newOrganisation(service);
  const admin = as(service, secret);
  await ingestSource(admin, await newSource(admin, file));
  const metrics: string[] = [];
  const seconds = await secondsOf(async () => {
    for (let index = 0; index < count; index += 1) {
      const pick = { source: 'cloud', cloud: 'aws', account: (index % 200).toString() };
      const { id } = await admin.post<{ id: string }>('/metrics', {
        name: `metric ${index}`, unit: 'order', aggregation: 'total', frequency: 'daily',
        scope: { type: 'spend', spend: [pick] },
      });
      metrics.push(id);
    }
  });
  for (const id of metrics)
    await admin.post(`/metrics/${id}/values`, { values: dailyValues(METRIC_DAYS, 1000) });
  const ownership = [{ source: 'cloud', cloud: 'aws', account: '1' }];
  const team = await admin.post<{ id: string }>('/teams', { name: 'Shop', ownership });
  return { secret, metric: metrics[0] ?? '', team: team.id, seconds };
}


/** Adds teams that share the spend of an account, and own another while there is one. */
export async function addTeams(
  service: Pick<Service, 'url'>,
  secret: string, count: number,
): Promise<void> {
  const admin = as(service, secret);
  const ids: string[] = [];
  for (let index = 0; index < count; index += 1) {
    const account = (index + 2).toString();
    const ownership = index + 2 < 199 ? [{ source: 'cloud', cloud: 'aws', account }] : [];
    ids.push((await admin.post<{ id: string }>('/teams', { name: `Team ${index}`, ownership })).id);
  }
  const spend = [{ source: 'cloud', cloud: 'aws', account: '199' }];
  await admin.post('/shared-costs', { name: 'Network', spend, split: { type: 'even', team_ids: ids } });
}
