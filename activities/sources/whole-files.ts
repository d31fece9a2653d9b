import { stat } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { CsvHeader } from '../../domain/sources/exports/csv-header.ts';
import { bucketOf, bucketPathOf } from '../../domain/sources/exports/object-storage.ts';
import { pushTo } from '../../domain/shared/push-to.ts';
import { invalid, Outage } from '../../domain/shared/errors.ts';
import type { HeldFiles } from '../../egress/locations/held-files.ts';
import { listBucket, type BucketRules } from '../../egress/buckets/list-bucket.ts';
import {
  isRemote,
  openRemoteFile,
  webVersion,
  type FileVersion,
} from '../../egress/locations/remote-file.ts';
import {
  isCompressed,
  LONGEST_LINE_BYTES,
  MOST_COLUMNS,
  withoutQuery,
  type CountRows,
  type ExportFile,
} from '../../warehouse/sources/feeds/export-files.ts';
import { countApart } from './counting/count-apart.ts';
import { countRecords, gunzipped, isDamage, localBytes } from './counting/count-rows.ts';

/** The rows of larger files are counted in a process of their own, which takes a moment to start. */
const LARGE_BYTES = 16 * 2 ** 20;
const MOST_REQUESTS = 16;

/**
 * Returns a function that counts the rows of a CSV file from its bytes alone. This proves that a compressed file is complete:
 * unlike DuckDB it checks the end, the length and the checksum. By `lines` each line is a row, which is fast. By `records` it
 * also reads quotes.
 *
 * @throws ServiceError `invalid` for a damaged file, and for quotes that swallow rows.
 */
export const rowCounter =
  (file: StoredFile, rules: Omit<BucketRules, 'signal'>): CountRows =>
  async (by, signal) => {
    const { path, opened } = file;
    const isLarge = !isRemote(path) && (await stat(opened)).size > LARGE_BYTES;
    const counted = isLarge
      ? await countApart(opened, { by, isCompressed: isCompressed(path) }, signal)
      : await countRecords(await bytesOf(file, { ...rules, signal }), by);
    if ('damage' in counted) throw damaged(path, counted.damage);
    const { records, longRecords, brokenRecords } = counted;
    if (brokenRecords > 0)
      throw invalid(
        `${withoutQuery(path)} has a quote that never closes, or closes within another field: ` +
          'the rows after it cannot be recognised; nothing was loaded',
      );
    return { rows: Math.max(0, records - 1), longRows: longRecords, isRemote: isRemote(path) };
  };

/**
 * Returns the names of a CSV file's columns, or null if it has no header row. Such a file has only blank lines and a byte order
 * mark, and only it is read to its end.
 *
 * @throws ServiceError `invalid` for a damaged file, and for a file whose first line is not a header row.
 */
export async function readCsvHeader(file: StoredFile, rules: BucketRules): Promise<string[] | null> {
  const header = new CsvHeader({ mostBytes: LONGEST_LINE_BYTES, mostColumns: MOST_COLUMNS });
  for await (const bytes of await bytesOf(file, rules)) if (header.add(bytes)) break;
  const { problem } = header;
  if (problem !== null)
    throw invalid(
      `${withoutQuery(file.path)}: expected a header in the first line, got ${problem}; nothing was loaded`,
    );
  return header.isAbsent ? null : header.names;
}

/** A file's name, and the path under which it is opened. */
type StoredFile = Pick<ExportFile, 'path' | 'opened'>;

async function bytesOf({ path, opened }: StoredFile, rules: BucketRules): Promise<AsyncIterable<Buffer>> {
  const stored: Readable = isRemote(path)
    ? await openRemoteFile(path, rules)
    : localBytes(opened, rules.signal);
  if (!isCompressed(path)) return isRemote(path) ? unlessDamaged(stored, path, rules.signal) : stored;
  return unlessDamaged(gunzipped(stored), path, rules.signal);
}

const damaged = (path: string, how: string): Error =>
  invalid(`${withoutQuery(path)} is damaged: ${how}; nothing was loaded`);

const unlessDamaged = async function* (
  bytes: AsyncIterable<Buffer>,
  path: string,
  signal: AbortSignal,
): AsyncGenerator<Buffer> {
  try {
    yield* bytes;
  } catch (error) {
    if (!(error instanceof Error) || signal.aborted) throw error;
    if (isDamage(error)) throw damaged(path, error.message);
    const code = 'code' in error ? String(error.code) : error.message;
    if (isRemote(path)) throw new Outage(`${withoutQuery(path)}: the download broke off (${code})`);
    throw error;
  }
};

/** The versions of files at the beginning of a reading. */
export type FileVersions = ReadonlyMap<string, FileVersion>;

/**
 * Returns the current version of each file, or the version of the file that is held. Reads no content: files of a bucket take one
 * request for each thousand of their folder, and a file of a web server takes one.
 */
export async function versionsOf(
  paths: readonly string[],
  rules: BucketRules,
  held?: HeldFiles,
): Promise<FileVersions> {
  const listed = await listedVersions(paths, rules);
  const others = paths.filter((path) => !listed.has(path));
  const versions = new Map(listed);
  for (let from = 0; from < others.length; from += MOST_REQUESTS) {
    const some = others.slice(from, from + MOST_REQUESTS);
    const found = await Promise.all(some.map((path) => versionOf(held?.opened(path) ?? path, rules)));
    for (const [index, path] of some.entries()) {
      const version = found[index];
      if (version !== undefined) versions.set(path, version);
    }
  }
  return versions;
}

/** Returns the versions of the files that lie in buckets. One that is there no more has the version of no file. */
async function listedVersions(paths: readonly string[], rules: BucketRules): Promise<FileVersions> {
  const versions = new Map<string, FileVersion>();
  for (const [bucket, files] of byBucket(paths)) {
    for (const path of files) versions.set(path, GONE);
    for (const { path, bytes, etag, writtenAt } of await listBucket(commonPrefix(bucket, files), rules))
      if (versions.has(path))
        versions.set(path, { version: etag === '' ? `${bytes} ${writtenAt}` : etag, bytes, writtenAt });
  }
  return versions;
}

const GONE: FileVersion = { version: '', bytes: null, writtenAt: null };

function byBucket(paths: readonly string[]): Map<string, string[]> {
  const buckets = new Map<string, string[]>();
  for (const path of paths) {
    const parts = bucketPathOf(path);
    if (parts !== null) pushTo(buckets, bucketOf(parts), path);
  }
  return buckets;
}

/** Returns the longest text with which all paths of a bucket begin. A list of it has no more objects than that of the location. */
function commonPrefix(bucket: string, [first = bucket, ...others]: readonly string[]): string {
  let length = first.length;
  for (const path of others) while (!path.startsWith(first.slice(0, length))) length -= 1;
  return first.slice(0, length);
}

/** In a millisecond. */
const NANOSECONDS = 1_000_000n;

async function versionOf(path: string, rules: BucketRules): Promise<FileVersion> {
  if (isRemote(path)) return webVersion(path, rules);
  const { ino, size, mtimeNs } = await stat(path, { bigint: true });
  return {
    version: `${ino} ${size} ${mtimeNs}`,
    bytes: Number(size),
    writtenAt: Number(mtimeNs / NANOSECONDS),
  };
}

/** Throws `invalid` if a file has changed since its reading began, because its rows may come from both versions. */
export async function refuseChangedFiles(before: FileVersions, rules: BucketRules): Promise<void> {
  const now = await versionsOf([...before.keys()], rules);
  for (const [path, { version }] of before) {
    if (now.get(path)?.version !== version)
      throw invalid(
        `${rules.field}: ${withoutQuery(path)} changed while it was read; nothing was loaded. Start the ingest again once the export is complete`,
      );
  }
}
