import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Month } from '../../domain/shared/calendar.ts';
import { amountText } from './amount-text.ts';
import type { ApiClient } from './api-client.ts';
import type { MonthOnWire } from './lock-months.ts';
import { monthTotal } from './month-total.ts';
import { RESTATED_SOURCE } from './sample-sources.ts';

const markerOf = (dataDir: string): string => join(dataDir, 'demo-restated-month');

/** The month whose bill the demo has restated in a data directory, in this run or an earlier one; else null. */
export const restatedMonth = async (dataDir: string): Promise<Month | null> => {
  const text = (await readFile(markerOf(dataDir), 'utf8').catch(() => '')).trim();
  return /^\d{4}-\d\d$/.test(text) ? text : null;
};

/**
 * Remembers, before its bill is written, that a month is restated: later runs write the same bill, and a run that
 * was killed on the way is made up for by the next.
 */
export const rememberRestated = async (dataDir: string, month: Month): Promise<void> => {
  const temporary = `${markerOf(dataDir)}.${process.pid}`;
  await writeFile(temporary, `${month}\n`);
  await rename(temporary, markerOf(dataDir));
};

/**
 * What a restated bill moves and what not: the month's spend, beside what a metric of the whole organisation was
 * locked with. Nothing when the metric does not show the month or has never known it to be different.
 */
export const tellRestated = async (
  admin: ApiClient,
  month: Month,
  metric: { name: string; months: readonly MonthOnWire[] },
): Promise<string[]> => {
  const locked = metric.months.find((each) => each.month === month)?.locked ?? null;
  if (locked === null) return [];
  const spend = await monthTotal(admin, month);
  // An organisation made since has never seen the bill as it was.
  if (spend === locked.cost) return [];
  const rows = [
    ['/costs now', amountText(spend)],
    [`${metric.name}, locked v${locked.version}`, amountText(locked.cost)],
  ] as const;
  const width = Math.max(...rows.map(([what]) => what.length));
  return [
    `${RESTATED_SOURCE} sent its bill of ${month} again, with a correction: /costs moved, the locked month did not.`,
    ...rows.map(([what, amount]) => `  ${month}  ${what.padEnd(width)}  ${amount.padStart(10)}`),
  ];
};
