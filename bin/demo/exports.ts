import { createWriteStream } from 'node:fs';
import { mkdir, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { addDays, daysInclusive, firstDay, lastDay, type Day, type Month } from '../../domain/calendar.ts';
import { awsBill } from './aws-bill.ts';
import { azureBill } from './azure-bill.ts';
import { FOCUS_HEADER, focusLine, type Bill } from './focus-row.ts';
import { googleBill } from './google-bill.ts';

/** A bill of the sample organisation, and the folder its exports go to. */
export interface SampleBill {
  name: string;
  folder: string;
  of: (month: Month, days: readonly Day[]) => Bill;
}

/** The bills of the sample organisation, their exports below `folder`. */
export const sampleBills = (folder: string): SampleBill[] => [
  { name: 'AWS', folder: join(folder, 'aws'), of: awsBill },
  { name: 'Azure', folder: join(folder, 'azure'), of: azureBill },
  { name: 'Google Cloud', folder: join(folder, 'google'), of: googleBill },
];

/** Bytes handed to the compressor at once. */
const CHUNK = 64 * 1024;

/**
 * Writes a bill's exports, one `.csv.gz` per billing month, with usage through the day `through`. The same month
 * and days give the same bytes, and a file is replaced whole, so that an ingest meanwhile reads the old or the new.
 */
export const writeExports = async (
  bill: SampleBill,
  months: readonly Month[],
  through: Day,
): Promise<void> => {
  await mkdir(bill.folder, { recursive: true });
  for (const month of months) {
    const file = join(bill.folder, `focus-${month}.csv.gz`);
    const temporary = `${file}.${process.pid}`;
    const chunks = csvOf(bill.of(month, daysOf(month, through)));
    await pipeline(Readable.from(chunks), createGzip(), createWriteStream(temporary));
    await rename(temporary, file);
  }
};

const daysOf = (month: Month, through: Day): Day[] => {
  const last = through < lastDay(month) ? through : lastDay(month);
  const count = Math.max(0, daysInclusive(firstDay(month), last));
  return Array.from({ length: count }, (_, index) => addDays(firstDay(month), index));
};

function* csvOf({ shared, rows }: Bill): Generator<string> {
  let text = FOCUS_HEADER;
  for (const row of rows) {
    text += focusLine(shared, row);
    if (text.length < CHUNK) continue;
    yield text;
    text = '';
  }
  yield text;
}
