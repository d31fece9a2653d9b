import { lastReadableDay, readableAmount, readableTime } from '../feeds/readable-limits.ts';
import { localDayOfText, quoted } from '../feeds/cells.ts';
import { STORED } from '../feeds/read-feed.ts';
import type { Relation } from '../feeds/scan-files.ts';
import {
  accountOf,
  billingPeriodOf,
  cloudOf,
  idOf,
  keyOf,
  moneyOf,
  timeOf,
  type CostColumn,
} from './focus-columns.ts';

export interface ReadBill {
  costColumn: CostColumn;
  now: Date;
}

/**
 * Selects what each file has of each account and day, beside columns of `more`: file, billing_period, unit, day, spans_days, cost. It
 * has only the days that are stored. The groups of a bill do not know their files, so that the files are read again.
 *
 * @param more further columns by name, which are keys.
 */
export function fileDays(
  relations: readonly Relation[],
  { costColumn, now }: ReadBill,
  more: Record<string, (file: Relation) => string> = {},
): string {
  const lastDay = lastReadableDay(now);
  const keys = Object.keys(more).map((key) => `, ${key}`);
  const scans = relations.map(
    (file) => `
  SELECT ${quoted(file.fileColumn)} AS file, ${keyOf(file, 'provider')} AS provider, ${accountOf(file)} AS account,
    CAST(${billingPeriodOf(file, 'billing_period')} AS VARCHAR) AS billing_period,
    ${readableTime(timeOf(file, 'period_start'), lastDay)} AS period_start, ${readableTime(timeOf(file, 'period_end'), lastDay)} AS period_end,
    ${readableAmount(moneyOf(file, costColumn))} AS cost, ${readableAmount(moneyOf(file, 'BilledCost'))} AS billed_cost
    ${Object.entries(more)
      .map(([name, valueIn]) => `, ${valueIn(file)} AS ${name}`)
      .join('')}
  FROM ${file.from}`,
  );
  return `
WITH file_rows AS (
  SELECT file, provider, account, billing_period, CAST(period_start AS DATE) AS day,
    period_end > CAST(CAST(period_start AS DATE) + 1 AS TIMESTAMP) AS spans_days, sum(CASE WHEN bill.provider IS NULL THEN cost ELSE billed_cost END) AS cost${keys.join('')}
  FROM (${scans.join(' UNION ALL ')}) LEFT JOIN temp.main.fallen_back AS bill USING (provider, billing_period) GROUP BY ALL),
named_rows AS (
  SELECT * EXCLUDE (provider, account) REPLACE (${localDayOfText('billing_period')} AS billing_period),
    cloud || '/' || ${idOf('account')} AS unit
  FROM (SELECT *, ${cloudOf('provider')} AS cloud FROM file_rows))
SELECT * EXCLUDE (cloud) FROM named_rows
SEMI JOIN (SELECT billing_period, cloud || '/' || account AS unit, day FROM checked_groups WHERE ${STORED}) AS stored USING (billing_period, unit, day)`;
}
