import { stat } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { CsvHeader } from '../../domain/sources/exports/csv-header.ts';
import { invalid, Outage } from '../../domain/shared/errors.ts';
import type { HeldFiles } from '../../egress/locations/held-files.ts';
import {
  isRemote,
  openRemoteFile,
  remoteVersion,
  type FileVersion,
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
  (file: StoredFile, rules: Omit<RemoteRules, 'signal'>): CountRows =>
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
export async function readCsvHeader(file: StoredFile, rules: RemoteRules): Promise<string[] | null> {
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

async function bytesOf({ path, opened }: StoredFile, rules: RemoteRules): Promise<AsyncIterable<Buffer>> {
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
 * Returns the current version of each file, or the version of the file that is held.
 *
 * @param listed versions that a listing has told. These files are not asked again.
 */
export async function versionsOf(
  paths: readonly string[],
  rules: RemoteRules,
  held?: HeldFiles,
  listed: FileVersions = new Map(),
): Promise<FileVersions> {
  const versions = new Map<string, FileVersion>();
  for (const path of paths) {
    const version = listed.get(path);
    if (version !== undefined) versions.set(path, version);
  }
  const unlisted = paths.filter((path) => !versions.has(path));
  for (let from = 0; from < unlisted.length; from += MOST_REQUESTS) {
    const some = unlisted.slice(from, from + MOST_REQUESTS);
    const found = await Promise.all(some.map((path) => versionOf(held?.opened(path) ?? path, rules)));
    for (const [index, path] of some.entries()) {
      const version = found[index];
      if (version !== undefined) versions.set(path, version);
    }
  }
  return versions;
}

/** In a millisecond. */
const NANOSECONDS = 1_000_000n;

async function versionOf(path: string, rules: RemoteRules): Promise<FileVersion> {
  if (isRemote(path)) return remoteVersion(path, rules);
  const { ino, size, mtimeNs } = await stat(path, { bigint: true });
  return {
    version: `${ino} ${size} ${mtimeNs}`,
    writtenAt: Number(mtimeNs / NANOSECONDS),
    bytes: Number(size),
  };
}

/** Throws `invalid` if a file has changed since its reading began, because its rows may come from both versions. */
export async function refuseChangedFiles(before: FileVersions, rules: RemoteRules): Promise<void> {
  const now = await versionsOf([...before.keys()], rules);
  for (const [path, { version }] of before) {
    if (now.get(path)?.version !== version)
      throw invalid(
        `${rules.field}: ${withoutQuery(path)} changed while it was read; nothing was loaded. Start the ingest again once the export is complete`,
      );
  }
}
