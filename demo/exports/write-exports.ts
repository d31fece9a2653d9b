import { mkdir, rename, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { addDays, daysInclusive, firstDay, lastDay } from '../../domain/shared/calendar.ts';
import type { Day, Month } from '../../domain/shared/calendar.ts';
import { billRows } from './bills.ts';
import { allocationRows, assetRows } from './clusters.ts';
import { aiSpendRows, aiUsageRows, hostRows } from './hosts-and-tools.ts';

/** Each export by its folder and how its file names begin, with the cells of a month's file, the header first. */
const EXPORTS: Record<string, (days: readonly Day[], month: Month, restated: boolean) => string[][]> = {
  'aws/focus': (days, month, restated) => billRows('aws', days, month, restated),
  'azure/focus': (days, month) => billRows('azure', days, month),
  'google/focus': (days, month) => billRows('gcp', days, month),
  'cluster-prod/allocations': (days) => allocationRows('prod', days),
  'cluster-prod-assets/assets': assetRows,
  'cluster-edge/allocations': (days) => allocationRows('edge', days),
  'hosts/hosts': hostRows,
  'ai-spend/spend': aiSpendRows,
  'ai-usage/usage': aiUsageRows,
};

/** The months of the sample, oldest first, ending with the running month, and its last complete day. */
export interface SampleTime {
  months: readonly Month[];
  through: Day;
}

/** Writes the exports that `isWanted` below a folder. AWS's bill of the month `restated` has a correction. */
export async function writeExports(
  folder: string,
  time: SampleTime,
  restated: Month | null,
  isWanted: (path: string) => boolean,
): Promise<void> {
  for (const [path, rowsOf] of Object.entries(EXPORTS)) {
    if (!isWanted(path)) continue;
    await mkdir(join(folder, dirname(path)), { recursive: true });
    for (const month of time.months) {
      const last = time.through < lastDay(month) ? time.through : lastDay(month);
      const rows = rowsOf(daysBetween(firstDay(month), last), month, month === restated);
      const file = join(folder, `${path}-${month}.csv.gz`);
      await replaceFile(file, await promisify(gzip)(rows.map(csvLine).join('')));
    }
  }
}

/** Returns the days from the first to the last. On the first of a month, the running month has none. */
export const daysBetween = (first: Day, last: Day): Day[] =>
  Array.from({ length: Math.max(0, daysInclusive(first, last)) }, (_, index) => addDays(first, index));

const csvLine = (cells: readonly string[]): string =>
  `${cells.map((cell) => (/[",]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell)).join(',')}\n`;

/** Replaces a file as a whole, so that a reader finds the old or the new one. Only its owner can read it. */
export async function replaceFile(file: string, content: string | Uint8Array): Promise<void> {
  const temporary = `${file}.${process.pid}`;
  await writeFile(temporary, content, { mode: 0o600 });
  await rename(temporary, file);
}
