import { stat } from 'node:fs/promises';
import { z } from 'zod';
import { invalid } from '../domain/errors.ts';
import { currentFiles, manifestGlobs, type ExportManifest } from '../domain/export-manifest.ts';
import { checkResolvedFiles, checkSourceLocation, type SourceRules } from '../egress/source-location.ts';
import { formatOf, listFiles, readText } from '../warehouse/export-files.ts';
import { refuseUnreadableUrl } from './refuse-unreadable-url.ts';
import type { Session } from '../warehouse/session.ts';

/** The part of AWS's manifests that matters here: Data Exports name `dataFiles`, older reports `reportKeys`. */
const manifestText = z.union([
  z.object({ dataFiles: z.array(z.string()) }).transform(({ dataFiles }) => dataFiles),
  z.object({ reportKeys: z.array(z.string()) }).transform(({ reportKeys }) => reportKeys),
]);

/**
 * The files that a source's location stands for now: its path, folder or glob resolved, judged against what
 * the organisation may read, and reduced to what manifests name. Throws `invalid`, beginning with `field`, when
 * there is none.
 */
export const exportFiles = async (
  session: Session,
  location: string,
  rules: SourceRules,
  field = 'location',
): Promise<string[]> => {
  const target = await checkSourceLocation(location, rules, field);
  if (target.kind === 'http') {
    await refuseUnreadableUrl(target.url, rules.privateTargets, field);
    return [target.url];
  }
  const pattern =
    target.kind === 'local' ? await localPattern(target.path) : target.url.replace(/\/$/, '/**');
  const found = (await listFiles(session, pattern)).filter((file) => formatOf(file) !== null);
  if (found.length === 0)
    throw invalid(`${field}: no .csv, .csv.gz or .parquet file matches ${JSON.stringify(location)}`);
  const manifests = await manifestsOf(session, found, target.kind === 'local' ? rules.roots : null, field);
  const { files, missing } = currentFiles(found, manifests);
  if (missing.length > 0) {
    throw invalid(
      `${field}: a manifest names ${missing.length} files that are not there, first ${JSON.stringify(missing[0])}`,
    );
  }
  if (target.kind === 'local') await checkResolvedFiles(files, rules.roots, field);
  return files;
};

/** A folder stands for all files below it. */
const localPattern = async (path: string): Promise<string> => {
  const isFolder = await stat(path).then(
    (entry) => entry.isDirectory(),
    () => false,
  );
  return isFolder ? `${path}/**` : path;
};

/** The manifests that govern some files. Of local ones those that lie outside the roots do not exist for a tenant. */
const manifestsOf = async (
  session: Session,
  files: readonly string[],
  roots: readonly string[] | null,
  field: string,
): Promise<ExportManifest[]> => {
  const manifests: ExportManifest[] = [];
  for (const glob of manifestGlobs(files)) {
    for (const path of await listFiles(session, glob)) {
      if (roots !== null && !(await liesUnder(path, roots))) continue;
      const parsed = manifestText.safeParse(parseJson(await readText(session, path)));
      if (!parsed.success)
        throw invalid(`${field}: ${JSON.stringify(path)} is no manifest: expected JSON with dataFiles`);
      manifests.push({ path, dataFiles: parsed.data });
    }
  }
  return manifests;
};

const liesUnder = (path: string, roots: readonly string[]): Promise<boolean> =>
  checkResolvedFiles([path], roots).then(
    () => true,
    () => false,
  );

const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};
