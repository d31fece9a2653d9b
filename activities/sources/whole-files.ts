import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { pipeline, type Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { CsvHeader } from '../../domain/sources/csv-header.ts';
import { CsvRecordCounter } from '../../domain/sources/csv-record-counter.ts';
import { invalid, Outage } from '../../domain/shared/errors.ts';
import type { HeldFiles } from '../../egress/locations/held-files.ts';
import {
  isRemote,
  openRemoteFile,
  remoteVersion,
  type RemoteRules,
} from '../../egress/locations/remote-file.ts';
import {
  isCompressed,
  LONGEST_LINE_BYTES,
  MOST_COLUMNS,
  withoutQuery,
  type CountRows,
  type ExportFile,
} from '../../warehouse/sources/feeds/export-files.ts';

/** How many bytes of a file are read at a time. */
const BLOCK_BYTES = 256 * 1024;
const LINE_FEED = 10;
const CARRIAGE_RETURN = 13;
const MOST_REQUESTS = 16;

/**
 * Returns a function that counts the rows of a CSV file from its bytes alone. This proves that a compressed file is complete:
 * unlike DuckDB it checks the end, the length and the checksum. By `lines` each line is a row, which is fast. By `records` it
 * also reads quotes.
 *
 * @throws ServiceError `invalid` for a damaged file, and for quotes that swallow rows.
 */
export const rowCounter =
  (file: StoredFile, rules: Omit<RemoteRules, 'signal'>): CountRows =>
  async (by, signal) => {
    const count = by === 'lines' ? new LineCounter() : new CsvRecordCounter(LONGEST_LINE_BYTES);
    for await (const bytes of await bytesOf(file, { ...rules, signal })) count.add(bytes);
    const { records, longRecords, brokenRecords } = count.end();
    if (brokenRecords > 0)
      throw invalid(
        `${withoutQuery(file.path)} has a quote that never closes, or closes within another field: ` +
          'the rows after it cannot be recognised; nothing was loaded',
      );
    return { rows: Math.max(0, records - 1), longRows: longRecords, isRemote: isRemote(file.path) };
  };

/**
 * Whether a CSV file has a header row. A file without one has only blank lines and a byte order mark, and only such a file is
 * read to its end.
 *
 * @throws ServiceError `invalid` for a damaged file, and for a file whose first line is not a header row.
 */
export const hasCsvHeader = async (file: StoredFile, rules: RemoteRules): Promise<boolean> => {
  const header = new CsvHeader({ mostBytes: LONGEST_LINE_BYTES, mostColumns: MOST_COLUMNS });
  for await (const bytes of await bytesOf(file, rules)) if (header.add(bytes)) break;
  const { problem, isAbsent } = header;
  if (problem !== null)
    throw invalid(
      `${withoutQuery(file.path)}: expected a header in the first line, got ${problem}; nothing was loaded`,
    );
  return !isAbsent;
};

/** A file's name, and the path under which it is opened. */
type StoredFile = Pick<ExportFile, 'path' | 'opened'>;

const bytesOf = async ({ path, opened }: StoredFile, rules: RemoteRules): Promise<AsyncIterable<Buffer>> => {
  const stored: Readable = isRemote(path)
    ? await openRemoteFile(path, rules)
    : createReadStream(opened, { highWaterMark: BLOCK_BYTES, signal: rules.signal });
  if (!isCompressed(path)) return isRemote(path) ? unlessDamaged(stored, path, rules.signal) : stored;
  const gunzip = createGunzip({ chunkSize: BLOCK_BYTES });
  pipeline(stored, gunzip, () => undefined);
  return unlessDamaged(gunzip, path, rules.signal);
};

const unlessDamaged = async function* (
  bytes: AsyncIterable<Buffer>,
  path: string,
  signal: AbortSignal,
): AsyncGenerator<Buffer> {
  try {
    yield* bytes;
  } catch (error) {
    if (!(error instanceof Error) || signal.aborted) throw error;
    const code = 'code' in error ? String(error.code) : error.message;
    if (code.startsWith('Z_'))
      throw invalid(`${withoutQuery(path)} is damaged: ${error.message}; nothing was loaded`);
    if (isRemote(path)) throw new Outage(`${withoutQuery(path)}: the download broke off (${code})`);
    throw error;
  }
};

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

  end(): ReturnType<CsvRecordCounter['end']> {
    const records = this.#ends + (this.#last === LINE_FEED ? 0 : 1);
    return { records, longRecords: 0, brokenRecords: 0 };
  }
}

/** The versions of files at the beginning of a reading. */
export type FileVersions = ReadonlyMap<string, string>;

/** Returns the current version of each file, or the version of the file that is held. */
export const versionsOf = async (
  paths: readonly string[],
  rules: RemoteRules,
  held?: HeldFiles,
): Promise<FileVersions> => {
  const versions = new Map<string, string>();
  for (let from = 0; from < paths.length; from += MOST_REQUESTS) {
    const some = paths.slice(from, from + MOST_REQUESTS);
    const found = await Promise.all(some.map((path) => versionOf(held?.opened(path) ?? path, rules)));
    for (const [index, path] of some.entries()) versions.set(path, found[index] ?? '');
  }
  return versions;
};

const versionOf = async (path: string, rules: RemoteRules): Promise<string> => {
  if (isRemote(path)) return remoteVersion(path, rules);
  const { ino, size, mtimeNs } = await stat(path, { bigint: true });
  return `${ino} ${size} ${mtimeNs}`;
};

/** Throws `invalid` if a file has changed since its reading began, because its rows may come from both versions. */
export const refuseChangedFiles = async (before: FileVersions, rules: RemoteRules): Promise<void> => {
  const now = await versionsOf([...before.keys()], rules);
  for (const [path, version] of before) {
    if (now.get(path) !== version)
      throw invalid(
        `${rules.field}: ${withoutQuery(path)} changed while it was read; nothing was loaded. Start the ingest again once the export is complete`,
      );
  }
};
