import { copyFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { breakdownStatement } from '../../warehouse/spend/cost-breakdown.ts';
import type { BareResult, BareStatement } from '../bare/bare-duckdb.ts';
import { startBareProcess } from '../bare/bare-process.ts';
import { as, ingestSource, newOrganisation, newSource } from '../client/client.ts';
import { CACHE_DIR } from '../data/focus-export.ts';
import { alone, compared, describe, secondsOf, type Measurement } from '../measurement.ts';
import type { RunOptions } from '../run-options.ts';
import { say } from '../say.ts';
import { startService } from '../client/service.ts';

const CLOCK = '2026-01-10T12:00:00Z';
const YEAR = { start: '2025-01-01', end: '2025-12-31' };
const DAYS = 365;
const MEMORY_LIMIT = '512MB';
const BYTES_PER_MIB = 2 ** 20;

/** Returns the statement for an export of a year in `accounts` accounts, with a line for each day and account. */
const year = (accounts: number, path: string): string => `
COPY (
  SELECT CAST(day AS TIMESTAMP) AS ChargePeriodStart, CAST(day AS TIMESTAMP) + INTERVAL 1 DAY AS ChargePeriodEnd,
    date_trunc('month', day) AS BillingPeriodStart, date_trunc('month', day) + INTERVAL 1 MONTH AS BillingPeriodEnd,
    'USD' AS BillingCurrency, 'AWS' AS ProviderName, 'Storage' AS ServiceCategory, 'S3' AS ServiceName,
    CAST(account AS VARCHAR) AS SubAccountId, 'Account ' || account AS SubAccountName, 'bucket' AS ResourceId,
    CAST(1 + hash(day, account) % 100000 / 10000.0 AS DOUBLE) AS EffectiveCost, EffectiveCost AS BilledCost
  FROM generate_series(TIMESTAMP '2025-01-01', TIMESTAMP '2025-12-31', INTERVAL 1 DAY) AS days(day), range(${accounts}) AS accounts(account)
) TO '${path}' (FORMAT parquet)`;

/** Reads an export to its end and counts bytes and lines, without keeping them. */
async function readThrough(
  url: string,
  secret: string,
  accept: string,
): Promise<{ bytes: number; lines: number }> {
  const answer = await fetch(url, { headers: { 'x-api-key': secret, accept } });
  if (answer.status !== 200 || answer.body === null) throw new Error(`${url}: ${answer.status}`);
  let [bytes, lines] = [0, 0];
  for await (const part of answer.body as AsyncIterable<Uint8Array>) {
    bytes += part.byteLength;
    for (const byte of part) if (byte === 10) lines += 1;
  }
  return { bytes, lines };
}

/** Compares a breakdown of a million rows as CSV and Arrow with a bare COPY of the same statement, and measures its memory. */
export async function exports(options: RunOptions): Promise<Measurement[]> {
  const directory = await mkdtemp(join(tmpdir(), 'cost-analytics-bench-'));
  const accounts = options.quick ? 300 : 2_740;
  const rows = accounts * DAYS;
  const environment = { CLOCK, SOURCE_ROOTS: directory, DUCKDB_MEMORY_LIMIT: MEMORY_LIMIT };
  const bare = startBareProcess<BareStatement, BareResult>('bare-duckdb', [MEMORY_LIMIT, CACHE_DIR]);
  try {
    const file = join(directory, 'year.parquet');
    await bare.ask({ sql: year(accounts, file) });
    say(`exports: loading ${rows} rows`);
    const loading = await (await startService(directory, environment)).ready;
    const secret = await newOrganisation(loading);
    const admin = as(loading, secret);
    await ingestSource(admin, await newSource(admin, file));
    const { organisation } = await admin.get<{ organisation: { id: string } }>('/auth/info');
    await loading.stop();
    const copy = join(directory, 'copy.duckdb');
    await copyFile(join(directory, 'warehouse.duckdb'), copy);
    await bare.ask({ sql: `ATTACH '${copy}' AS warehouse (READ_ONLY)` });
    await bare.ask({ sql: 'USE warehouse' });
    const values = { org: organisation.id, ...YEAR, offset: 0 };
    const statement = Object.entries(values)
      .reduce(
        (sql, [name, value]) => sql.replaceAll(`$${name}`, `'${value}'`),
        breakdownStatement(['day', 'account']),
      )
      .replace('$limit', 'NULL');

    const service = await (await startService(directory, environment)).ready;
    const measurements: Measurement[] = [];
    try {
      const url = `${service.url}/api/v1/costs/breakdown?start_date=${YEAR.start}&end_date=${YEAR.end}&group_by=day,account`;
      await as(service, secret).get(
        '/costs/breakdown?start_date=2025-01-01&end_date=2025-01-01&group_by=source',
      );
      const before = (await service.peakMemory()).service;
      const samples = { csv: [] as number[], arrow: [] as number[], bare: [] as number[] };
      let lines = 0;
      for (let index = 0; index < options.repetitions; index += 1) {
        samples.csv.push(
          await secondsOf(async () => {
            ({ lines } = await readThrough(url, secret, 'text/csv'));
          }),
        );
        samples.arrow.push(
          await secondsOf(() => readThrough(url, secret, 'application/vnd.apache.arrow.stream')),
        );
        const copied = await bare.ask({
          sql: `COPY (${statement}) TO '${join(directory, 'bare.csv')}' (HEADER)`,
        });
        samples.bare.push(copied.seconds);
      }
      const after = (await service.peakMemory()).service;
      const named = { benchmark: 'exports', unit: 's', target: null } as const;
      measurements.push(
        compared({ ...named, name: `${rows} rows as CSV` }, { ours: samples.csv, limit: samples.bare }),
        compared({ ...named, name: `${rows} rows as Arrow` }, { ours: samples.arrow, limit: samples.bare }),
        alone({ ...named, name: 'rows missing', unit: 'count', target: 0 }, rows + 1 - lines),
        alone({ ...named, name: 'service, peak before', unit: 'MiB' }, before / BYTES_PER_MIB),
        alone({ ...named, name: 'service, peak after', unit: 'MiB' }, after / BYTES_PER_MIB),
      );
      for (const measurement of measurements) say(describe(measurement));
    } finally {
      await service.stop();
    }
    return measurements;
  } finally {
    await bare.stop();
    await rm(directory, { recursive: true, force: true });
  }
}
