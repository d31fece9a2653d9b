import { mkdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { BareResult, BareStatement } from '../bare/bare-duckdb.ts';
import { startBareProcess } from '../bare/bare-process.ts';
import { addMonths, firstDay, firstDayAfter, type Month } from '../../domain/shared/calendar.ts';
import { say } from '../say.ts';
import { focusRows } from './focus-rows.ts';

/** The months of a folder with a file for each, oldest first. */
export const BILL_MONTHS: readonly Month[] = Array.from({ length: 24 }, (_, index) =>
  addMonths('2024-03', index),
);

/** Returns the statement of a bill's lines in another month. Lines of its 31st can lie on the day after a shorter month. */
const linesOf = (file: string, month: Month): string => `
  SELECT * REPLACE (TIMESTAMP '${firstDay(month)}' AS BillingPeriodStart, TIMESTAMP '${firstDayAfter(month)}' AS BillingPeriodEnd,
    TIMESTAMP '${firstDay(month)}' + (ChargePeriodStart - BillingPeriodStart) AS ChargePeriodStart,
    TIMESTAMP '${firstDay(month)}' + (ChargePeriodEnd - BillingPeriodStart) AS ChargePeriodEnd)
  FROM read_parquet('${file}')`;

/** Writes a Parquet file of each month with this number of lines to a folder, and returns their names. */
export async function writeBillMonths(folder: string, lines: number): Promise<string[]> {
  await mkdir(folder, { recursive: true });
  const duckDb = startBareProcess<BareStatement, BareResult>('bare-duckdb', ['4GB', join(folder, '..', 'spill')]);
  const base = join(folder, '..', 'base.parquet');
  try {
    say(`making ${BILL_MONTHS.length} files of ${lines} lines`);
    await duckDb.ask({
      sql: `COPY (FROM (${focusRows(2 * lines)}) WHERE BillingPeriodStart = TIMESTAMP '2026-01-01') TO '${base}' (FORMAT parquet)`,
    });
    const names = [];
    for (const month of BILL_MONTHS) {
      const name = `${month}.parquet`;
      await duckDb.ask({ sql: `COPY (${linesOf(base, month)}) TO '${join(folder, name)}.unfinished' (FORMAT parquet)` });
      await rename(`${join(folder, name)}.unfinished`, join(folder, name));
      names.push(name);
    }
    await rm(base);
    return names;
  } finally {
    await duckDb.stop();
  }
}
