import { z } from 'zod';
import { invalid, ServiceError } from '../domain/errors.ts';
import {
  currentFiles,
  manifestGlobs,
  manifestsAmong,
  type ExportManifest,
} from '../domain/export-manifest.ts';
import type { HeldFiles } from '../egress/held-files.ts';
import { checkRealPaths, checkSourceLocation } from '../egress/source-location.ts';
import type { SourceRules } from '../egress/source-rules.ts';
import { formatOf, readText } from '../warehouse/export-files.ts';
import type { Statements } from '../warehouse/session.ts';
import { listLocation } from './location-listing.ts';

/** Azure writes days as `2026-01-31T00:00:00`, with or without a Z; the last one is included. */
const manifestDay = z
  .string()
  .regex(/^\d{4}-\d\d-\d\d/)
  .transform((text) => text.slice(0, 10));
const manifestInstant = z.string().transform((text) => {
  const instant = Date.parse(text);
  return Number.isNaN(instant) ? null : instant;
});

/** What an export reports on: Azure names the export as a resource below its scope. */
const manifestScope = z
  .string()
  .transform(
    (id) => /^(.+)\/providers\/Microsoft\.CostManagement\/exports\//i.exec(id)?.[1]?.toLowerCase() ?? null,
  );

/**
 * The part of manifests that matters here. AWS Data Exports name `dataFiles`, AWS's older reports `reportKeys`;
 * Azure names the `blobs` of one run of an export.
 */
const manifestText = z.union([
  z.object({ dataFiles: z.array(z.string()) }),
  z.object({ reportKeys: z.array(z.string()) }).transform(({ reportKeys }) => ({ dataFiles: reportKeys })),
  z
    .object({
      blobs: z.array(z.object({ blobName: z.string() })),
      exportConfig: z.object({ resourceId: manifestScope.nullish() }).nullish(),
      runInfo: z
        .object({
          startDate: manifestDay.nullish(),
          endDate: manifestDay.nullish(),
          submittedTime: manifestInstant.nullish(),
        })
        .nullish(),
    })
    .transform(({ blobs, exportConfig, runInfo }) => ({
      dataFiles: blobs.map(({ blobName }) => blobName.trim()),
      run: {
        scope: exportConfig?.resourceId ?? null,
        from: runInfo?.startDate ?? null,
        to: runInfo?.endDate ?? null,
        submitted: runInfo?.submittedTime ?? null,
      },
    })),
]);

/** The files to read, and what was decided about others. */
export interface LocationFiles {
  files: string[];
  notes: string[];
}

/**
 * The files that a source's location stands for now: its path, folder or glob resolved, judged against what
 * the organisation may read, and reduced to what manifests name. Local ones are held. Throws `invalid`, beginning with
 * `field`, when there is none.
 */
export const exportFiles = async (
  session: Statements,
  location: string,
  rules: SourceRules,
  held: HeldFiles,
  field = 'location',
  signal?: AbortSignal,
): Promise<LocationFiles> => {
  const target = await checkSourceLocation(location, rules, field);
  if (target.kind === 'http') return { files: [target.url], notes: [] };
  const roots = target.kind === 'local' ? rules.roots : null;
  const listed = await listLocation(session, target, { roots: rules.roots, field, signal });
  const found = listed.paths.filter((file) => formatOf(file) !== null);
  if (found.length === 0)
    throw invalid(`${field}: no .csv, .csv.gz or .parquet file matches ${JSON.stringify(location)}`);
  // Before anything is said of them: the names of other organisations' files are none of this one's.
  if (roots !== null) await checkRealPaths(found, roots, field);
  const beside = await listed.manifestsAt(manifestGlobsBeside(found, listed.pattern));
  const paths = [...manifestsAmong(listed.paths, found), ...beside];
  const manifests = await readManifests(session, paths, { held, roots, field });
  const { files, missing, undecided, notes } = currentFiles(found, manifests);
  if (undecided.length > 0) {
    throw invalid(
      `${field}: these folders hold the same days, and no manifest.json says which run is the newest: ` +
        `${undecided.map((folder) => JSON.stringify(folder)).join(', ')}; copy their manifests too, or name one of them`,
    );
  }
  if (missing.length > 0) {
    throw invalid(
      `${field}: a manifest names ${missing.length} files that are not there, first ${JSON.stringify(missing[0])}`,
    );
  }
  if (roots !== null) await held.hold(files, roots, field);
  return { files, notes: [...listed.notes, ...notes] };
};

/** Where manifests can lie that govern some files and that the listing of `pattern` has not shown. */
const manifestGlobsBeside = (files: readonly string[], pattern: string): string[] => {
  const [, folder = null] = /^(.*\/)\*\*(?:\/\*)?$/s.exec(pattern) ?? [];
  return manifestGlobs(files).filter((glob) => folder === null || !glob.startsWith(folder));
};

/** Reads manifests. Of local ones those that lie outside the roots do not exist for a tenant. */
const readManifests = async (
  session: Statements,
  paths: readonly string[],
  { held, roots, field }: { held: HeldFiles; roots: readonly string[] | null; field: string },
): Promise<ExportManifest[]> => {
  const manifests: ExportManifest[] = [];
  for (const path of new Set(paths)) {
    if (roots !== null && !(await isHeld(held, path, roots))) continue;
    const parsed = manifestText.safeParse(parseJson(await readText(session, held.opened(path))));
    if (!parsed.success)
      throw invalid(
        `${field}: ${JSON.stringify(path)} is no manifest: expected JSON with dataFiles or blobs`,
      );
    manifests.push({ path, ...parsed.data });
  }
  return manifests;
};

const isHeld = (held: HeldFiles, path: string, roots: readonly string[]): Promise<boolean> =>
  held.hold([path], roots).then(
    () => true,
    (error: unknown) => {
      if (error instanceof ServiceError) return false;
      throw error;
    },
  );

const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};
