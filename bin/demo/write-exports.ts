import { createWriteStream } from 'node:fs';
import { mkdir, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import {
  addDays,
  daysInclusive,
  firstDay,
  lastDay,
  type Day,
  type Month,
} from '../../domain/shared/calendar.ts';
import type { Feed } from './sample-sources.ts';

/** Bytes handed to the compressor at once. */
const CHUNK = 64 * 1024;

/**
 * Writes a feed's exports, one `.csv.gz` per month, with what was used through the day `through`. The same month
 * and days give the same bytes, and a file is replaced whole, so that an ingest meanwhile reads the old or the new.
 */
export const writeExports = async (feed: Feed, months: readonly Month[], through: Day): Promise<void> => {
  await mkdir(feed.folder, { recursive: true });
  for (const month of months) {
    const file = join(feed.folder, `${feed.file}-${month}.csv.gz`);
    const temporary = `${file}.${process.pid}`;
    const parts = chunksOf(feed.csv(month, daysOf(month, through)));
    await pipeline(Readable.from(parts), createGzip(), createWriteStream(temporary));
    await rename(temporary, file);
  }
};

const daysOf = (month: Month, through: Day): Day[] => {
  const last = through < lastDay(month) ? through : lastDay(month);
  const count = Math.max(0, daysInclusive(firstDay(month), last));
  return Array.from({ length: count }, (_, index) => addDays(firstDay(month), index));
};

function* chunksOf(parts: Iterable<string>): Generator<string> {
  let text = '';
  for (const part of parts) {
    text += part;
    if (text.length < CHUNK) continue;
    yield text;
    text = '';
  }
  yield text;
}
