import { createReadStream } from 'node:fs';
import { pipeline, type Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { CsvRecordCounter } from '../../../domain/sources/exports/csv-record-counter.ts';
import { LONGEST_LINE_BYTES } from '../../../warehouse/sources/feeds/export-files.ts';

/** What is a row: a line, which is fast, or a record, which also reads quotes. */
export type CountedBy = 'lines' | 'records';

/** The records of a CSV file, with its header; see {@link CsvRecordCounter.end}. */
export type Counted = ReturnType<CsvRecordCounter['end']>;

/** How many bytes of a file are read or decompressed at a time. Smaller blocks take more time, each on its own. */
const BLOCK_BYTES = 2 ** 20;
const LINE_FEED = 10;
const CARRIAGE_RETURN = 13;

/** Reads the bytes of a local file. */
export const localBytes = (path: string, signal?: AbortSignal): Readable =>
  createReadStream(path, { highWaterMark: BLOCK_BYTES, signal });

/** Decompresses bytes. Unlike DuckDB it checks the end, the length and the checksum. */
export function gunzipped(bytes: Readable): Readable {
  const gunzip = createGunzip({ chunkSize: BLOCK_BYTES });
  pipeline(bytes, gunzip, () => undefined);
  return gunzip;
}

/** Whether bytes could not be decompressed. */
export const isDamage = (error: unknown): error is Error & { code: string } =>
  error instanceof Error && 'code' in error && String(error.code).startsWith('Z_');

/** Counts the records of a CSV file from its bytes alone. */
export async function countRecords(bytes: AsyncIterable<Buffer>, by: CountedBy): Promise<Counted> {
  const count = by === 'lines' ? new LineCounter() : new CsvRecordCounter(LONGEST_LINE_BYTES);
  for await (const block of bytes) count.add(block);
  return count.end();
}

/**
 * Counts lines by their ends: a line feed, a carriage return or both. This is many times faster than a look at each byte. It
 * finds at least as many lines as the reader finds rows, because a missing line could hide a row within a quote.
 */
class LineCounter {
  #ends = 0;
  #last = LINE_FEED;

  add(bytes: Buffer): void {
    if (bytes.length === 0) return;
    if (this.#last === CARRIAGE_RETURN && bytes[0] !== LINE_FEED) this.#ends += 1;
    for (let at = bytes.indexOf(LINE_FEED); at !== -1; at = bytes.indexOf(LINE_FEED, at + 1)) this.#ends += 1;
    const end = bytes.length - 1;
    for (let at = bytes.indexOf(CARRIAGE_RETURN); at !== -1; at = bytes.indexOf(CARRIAGE_RETURN, at + 1))
      if (at < end && bytes[at + 1] !== LINE_FEED) this.#ends += 1;
    this.#last = bytes[end] ?? LINE_FEED;
  }

  end(): Counted {
    const records = this.#ends + (this.#last === LINE_FEED ? 0 : 1);
    return { records, longRecords: 0, brokenRecords: 0 };
  }
}
