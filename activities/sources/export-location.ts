import { z } from 'zod';
import type { Day } from '../../domain/shared/calendar.ts';
import { invalid, ServiceError } from '../../domain/shared/errors.ts';
import {
  currentFiles,
  manifestGlobs,
  manifestsAmong,
  type Delivery,
  type ExportManifest,
} from '../../domain/sources/exports/export-manifest.ts';
import {
  isReadableDay,
  isReadableRange,
  MOST_YEARS,
  READABLE_YEARS,
} from '../../domain/sources/readable-days.ts';
import { NO_BUCKETS, type Buckets } from '../../domain/sources/exports/object-storage.ts';
import { onlyOtherFiles, otherForms } from '../../domain/sources/exports/other-files.ts';
import { tableAmong, tableGlobs } from '../../domain/sources/exports/table-formats.ts';
import { isReportStatus } from '../../domain/sources/exports/aws-versions.ts';
import { firstAndMore, forMessage } from '../../domain/shared/text/for-message.ts';
import type { HeldFiles } from '../../egress/locations/held-files.ts';
import { checkRealPaths, checkSourceLocation } from '../../egress/locations/source-location.ts';
import type { SourceRules } from '../../egress/locations/source-rules.ts';
import { formatOf } from '../../warehouse/sources/feeds/export-files.ts';
import { readManifestText, sizeOfFile } from '../../warehouse/sources/feeds/manifest-text.ts';
import { lastReadableDay } from '../../warehouse/sources/feeds/readable-limits.ts';
import type { Statements } from '../../warehouse/engine/session.ts';
import { listLocation, type LocationListing } from './location-listing.ts';

const MOST_MANIFEST_BYTES = 8 * 1024 * 1024;
const MOST_BYTES_TOGETHER = 64 * 1024 * 1024;
const MOST_FILES_NAMED = 100_000;

/** Azure writes days as `2026-01-31T00:00:00`, with or without a Z. The end day is part of the run. */
const manifestDay = z.string().transform((text) => text.slice(0, 10));
const manifestInstant = z.string().transform((text) => {
  const instant = Date.parse(text);
  return Number.isNaN(instant) ? null : instant;
});

/** The Azure scope, such as a subscription, that an export reports on. The export's resource id begins with it. */
const manifestScope = z
  .string()
  .transform(
    (id) => /^(.+)\/providers\/Microsoft\.CostManagement\/exports\//i.exec(id)?.[1]?.toLowerCase() ?? null,
  );

/** The fields of a manifest that are used. */
const manifestSchema = z
  .object({
    files: z.array(z.string()),
    is_run: z.boolean(),
    scope: manifestScope.nullable(),
    type: z.string().nullable(),
    start: manifestDay.nullable(),
    end: manifestDay.nullable(),
    submitted: manifestInstant.nullable(),
  })
  .transform(({ files, is_run: isRun, scope, type, start, end, submitted }) => ({
    dataFiles: files,
    ...(isRun ? { run: { scope, type, from: start, to: end, submitted } } : {}),
  }));

/** The files to read, and notes on the others. */
export interface LocationFiles {
  files: string[];
  /** The files of `files`, by delivery. */
  deliveries: Delivery[];
  notes: string[];
  /** When the export that wrote a file was submitted, in milliseconds since 1970, if its manifest says so. */
  submitted: ReadonlyMap<string, number>;
}

/** How a location is asked for. Without `buckets` there are no credentials for any. */
interface Asking {
  now: Date;
  field?: string | undefined;
  signal?: AbortSignal;
  buckets?: Buckets;
}

/**
 * Returns the current files of a source's location. Resolves the path, folder or glob, and checks that the organisation may read
 * the files. If a folder has manifests, only the files that they name are current. Holds local files open.
 *
 * @throws ServiceError `invalid`, for example if no file is left. Its message begins with `field`.
 */
export async function exportFiles(
  session: Statements,
  location: string,
  rules: SourceRules,
  held: HeldFiles,
  { now, field = 'location', signal = new AbortController().signal, buckets = NO_BUCKETS }: Asking,
): Promise<LocationFiles> {
  const target = await checkSourceLocation(location, rules, field);
  if (target.kind === 'bigquery') throw invalid(`${field}: expected files, got a table of BigQuery`);
  if (target.kind === 'http') {
    const files = [target.url];
    return {
      files,
      deliveries: [{ name: target.url, files, from: null, to: null, scope: null, costSet: null }],
      notes: [],
      submitted: new Map(),
    };
  }
  const roots = target.kind === 'local' ? rules.roots : null;
  const { privateTargets } = rules;
  const listed = await listLocation(target, {
    roots: rules.roots,
    reach: rules,
    buckets,
    privateTargets,
    field,
    signal,
  });
  const others = listed.paths.filter((file) => formatOf(file) === null);
  const found = listed.paths.filter((file) => formatOf(file) !== null && !isReportStatus(file));
  // Paths are checked before the messages below are made, because none may name another organisation's files.
  if (roots !== null) await checkRealPaths(found.length === 0 ? others : found, roots, field);
  if (found.length === 0)
    throw invalid(
      `${field}: no .csv, .csv.gz or .parquet file matches ${JSON.stringify(location)}; ${onlyOtherFiles(others)}`,
    );
  await refuseTables(listed, found, field);
  const besideFiles = await listed.filesAt(uncovered(manifestGlobs(found), listed.pattern));
  const paths = [...manifestsAmong(listed.paths, found), ...besideFiles];
  const lastDay = lastReadableDay(now);
  const manifests = await readManifests(session, paths, { held, roots, field, lastDay });
  const {
    files,
    deliveries,
    missing,
    undecided,
    notes: ofManifests,
    submitted,
  } = currentFiles(found, manifests, lastDay);
  if (undecided.length > 0) {
    const folders = undecided.map((folder) => JSON.stringify(folder));
    throw invalid(
      `${field}: these folders hold the same days, and no manifest.json says which run is the newest: ` +
        `${firstAndMore(folders, MOST_FOLDERS).join(', ')}; copy their manifests too, or name one of them`,
    );
  }
  if (missing.length > 0) {
    throw invalid(
      `${field}: a manifest names files that do not exist: ${missing.length}, the first is ${JSON.stringify(missing[0])}`,
    );
  }
  if (files.length === 0)
    throw invalid(`${field}: no file is left to read: ${firstAndMore(ofManifests, MOST_FOLDERS).join('; ')}`);
  if (roots !== null) await held.hold(files, roots, field);
  const notes = [...listed.notes, ...otherForms(others), ...ofManifests];
  return { files, deliveries, notes, submitted };
}

/** The most folders, or notes on them, in a message. */
const MOST_FOLDERS = 10;

/** Returns the globs of folders that the listing of `pattern` does not cover already. */
function uncovered(globs: readonly string[], pattern: string): string[] {
  const [, folder = null] = /^(.*\/)\*\*(?:\/\*)?$/s.exec(pattern) ?? [];
  return globs.filter((glob) => folder === null || !glob.startsWith(folder));
}

/** Throws `invalid` if files are part of a table, because its folder also holds rows that were deleted or replaced. */
async function refuseTables(
  { paths, pattern, filesAt }: LocationListing,
  files: readonly string[],
  field: string,
): Promise<void> {
  const beside = await filesAt(uncovered(tableGlobs(files, pattern), pattern));
  const table = tableAmong([...paths, ...beside], files);
  if (table === null) return;
  throw invalid(
    `${field}: ${JSON.stringify(table.folder)} has ${table.has}, so it is a table of ${table.format}: its files also hold rows that were ` +
      'deleted or replaced, and would count them; export its current rows as CSV or Parquet to a folder of their own, and name ' +
      'that folder; nothing was loaded',
  );
}

interface Reading {
  held: HeldFiles;
  roots: readonly string[] | null;
  field: string;
  /** The last day that a manifest may name. */
  lastDay: Day;
}

/** Reads manifests, after a check that none is too large. Skips local manifests outside the organisation's folders. */
async function readManifests(
  session: Statements,
  paths: readonly string[],
  { held, roots, field, lastDay }: Reading,
): Promise<ExportManifest[]> {
  const readable: string[] = [];
  let bytes = 0;
  for (const path of new Set(paths)) {
    if (roots !== null && !(await isHeld(held, path, roots, field))) continue;
    const size = await sizeOfFile(session, held.opened(path));
    bytes += size;
    refuseBeyond(MOST_MANIFEST_BYTES, size, `${field}: ${JSON.stringify(path)}: a manifest has`, 'bytes');
    refuseBeyond(MOST_BYTES_TOGETHER, bytes, `${field}: ${manifestsUpTo(path)} have`, 'bytes');
    readable.push(path);
  }
  const manifests: ExportManifest[] = [];
  let named = 0;
  for (const path of readable) {
    const text = await readManifestText(session, held.opened(path), MOST_FILES_NAMED);
    named += Number(text?.file_count ?? 0);
    refuseBeyond(MOST_FILES_NAMED, named, `${field}: ${manifestsUpTo(path)} name`, 'files');
    const parsed = manifestSchema.safeParse(text);
    if (!parsed.success)
      throw invalid(
        `${field}: ${JSON.stringify(path)} is not a manifest: expected JSON with dataFiles or blobs`,
      );
    const manifest = { path, ...parsed.data };
    const problem = rangeProblem(manifest, lastDay);
    if (problem !== null) throw invalid(`${field}: ${JSON.stringify(path)}: ${problem}`);
    manifests.push(manifest);
  }
  return manifests;
}

const manifestsUpTo = (path: string): string => `the manifests of a location, up to ${JSON.stringify(path)},`;

function refuseBeyond(most: number, got: number, what: string, unit: string): void {
  if (got > most) throw invalid(`${what} at most ${most} ${unit}, got ${got}`);
}

/** Returns why the days of a manifest's run cannot belong to an export; null if they can. */
function rangeProblem({ run }: ExportManifest, lastDay: Day): string | null {
  const [from, to] = [run?.from ?? null, run?.to ?? null];
  for (const [name, day] of Object.entries({ startDate: from, endDate: to }))
    if (day !== null && !isReadableDay(day, lastDay))
      return `runInfo.${name}: expected a day ${READABLE_YEARS}, got ${forMessage(day)}`;
  return from === null || to === null || isReadableRange({ from, to }, lastDay)
    ? null
    : `runInfo: expected an endDate from the startDate on, and at most ${MOST_YEARS} years, got ${from} to ${to}`;
}

async function isHeld(
  held: HeldFiles,
  path: string,
  roots: readonly string[],
  field: string,
): Promise<boolean> {
  try {
    await checkRealPaths([path], roots, field);
    await held.hold([path], roots, field);
    return true;
  } catch (error) {
    if (error instanceof ServiceError) return false;
    throw error;
  }
}
