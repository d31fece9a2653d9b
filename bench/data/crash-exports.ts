import { copyFile, rename } from 'node:fs/promises';
import { join } from 'node:path';
import type { BareResult, BareStatement } from '../bare/bare-duckdb.ts';
import { startBareProcess } from '../bare/bare-process.ts';

/** One restatement of an export: its file, and the exact totals that `GET /costs` must return after it. */
export interface Restatement {
  file: string;
  byDay: ReadonlyMap<string, number>;
}

export const FIRST_DAY = '2026-01-01';
export const LAST_DAY = '2026-02-28';
const ACCOUNTS = 50;

/**
 * Every day's total differs in each version, so that a mixture of two versions equals no version. It differs by a few percent,
 * because a run that finds half of an account's spend gone fails, and rightly.
 */
const lines = (rows: number, version: number): string => `
SELECT day AS ChargePeriodStart, day + INTERVAL 1 DAY AS ChargePeriodEnd,
  date_trunc('month', day) AS BillingPeriodStart, date_trunc('month', day) + INTERVAL 1 MONTH AS BillingPeriodEnd,
  'USD' AS BillingCurrency, 'AWS' AS ProviderName, 'Compute' AS ServiceCategory, 'EC2' AS ServiceName,
  CAST(i % ${ACCOUNTS} AS VARCHAR) AS SubAccountId, 'Account ' || i % ${ACCOUNTS} AS SubAccountName,
  'i-' || i % 5000 AS ResourceId,
  CAST(${100 + version} + i % 13 AS DECIMAL(18,2)) / 100 AS cost
FROM (SELECT i, TIMESTAMP '${FIRST_DAY}' + to_days(CAST(i % 59 AS INTEGER)) AS day FROM range(${rows}) AS rows(i))`;

/** Creates the versions of an export that a provider restates repeatedly. */
export async function makeRestatements(
  directory: string,
  rows: number,
  versions: number,
): Promise<Restatement[]> {
  const duckDb = startBareProcess<BareStatement, BareResult>('bare-duckdb', ['1GB', directory]);
  try {
    const made: Restatement[] = [];
    for (let version = 1; version <= versions; version += 1) {
      const file = join(directory, `version-${version}.csv`);
      const all = `(SELECT * REPLACE (CAST(cost AS DECIMAL(18,2)) AS cost) FROM (${lines(rows, version)}))`;
      await duckDb.ask({
        sql: `COPY (SELECT * RENAME (cost AS EffectiveCost), cost AS BilledCost FROM ${all}) TO '${file}' (FORMAT csv, HEADER)`,
      });
      const { rows: days } = await duckDb.ask({
        sql: `SELECT CAST(CAST(ChargePeriodStart AS DATE) AS VARCHAR) AS day, CAST(sum(cost) AS VARCHAR) AS cost FROM ${all} GROUP BY ALL`,
      });
      made.push({ file, byDay: new Map(days.map(({ day, cost }) => [String(day), Number(cost)])) });
    }
    return made;
  } finally {
    await duckDb.stop();
  }
}

/** Moves a version to the source's location atomically. */
export async function place({ file }: Restatement, location: string): Promise<void> {
  await copyFile(file, `${location}.unfinished`);
  await rename(`${location}.unfinished`, location);
}
