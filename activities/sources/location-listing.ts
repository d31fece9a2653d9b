import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { invalid, ServiceError } from '../../domain/shared/errors.ts';
import { escapeGlob, fixedPart, Glob } from '../../domain/sources/exports/glob.ts';
import { listBucket, type BucketRules } from '../../egress/buckets/list-bucket.ts';
import { mayReadBucket, type BucketReach } from '../../egress/locations/source-buckets.ts';
import { checkRealPaths, type SourceLocation } from '../../egress/locations/source-location.ts';
import { formatOf } from '../../warehouse/sources/feeds/export-files.ts';
import { letOthersRun } from '../../warehouse/engine/let-others-run.ts';
import { listLocalFiles } from './local-listing.ts';

/** The files of a location when it was listed. */
export interface LocationListing {
  /** The glob that was listed. */
  pattern: string;
  /** The paths in the order of their bytes. */
  paths: string[];
  /** Notes on skipped entries. */
  notes: string[];
  /** Lists files beside those of the location, such as manifests. Skips folders outside the organisation's folders. */
  filesAt: (globs: readonly string[]) => Promise<string[]>;
}

interface LocationRules extends BucketRules {
  /** The organisation's folders. */
  roots: readonly string[];
  /** The buckets that the source may read. */
  reach: BucketReach;
}

/**
 * Lists the files of a location. A folder stands for all files below it.
 *
 * @throws ServiceError `invalid` for a folder that cannot be read, a link that leads out of the roots, and a file whose name is
 *   not UTF-8.
 */
export const listLocation = (
  target: Exclude<SourceLocation, { kind: 'http' | 'bigquery' }>,
  rules: LocationRules,
): Promise<LocationListing> =>
  target.kind === 'local' ? local(target.path, rules) : inBucket(target.url, rules);

async function local(path: string, rules: LocationRules): Promise<LocationListing> {
  const { roots, field } = rules;
  const isFolder = (await kindOf(path)) === 'folder';
  const pattern = isFolder ? `${escapeGlob(path)}/**/*` : path;
  const { files, linkedFolders, deadLinks, unnamed } = await listLocalFiles(pattern, {
    ...rules,
    mayList: (folder) => checkRealPaths([folder], roots, field).then(() => true),
  });
  const unreadable = unnamed.find((file) => formatOf(file) !== null);
  if (unreadable !== undefined)
    throw invalid(
      `${field}: the name of ${JSON.stringify(unreadable)} is not UTF-8; rename it; nothing was loaded`,
    );
  // The path of a single file may contain wildcard characters, so that as a glob it does not match the file itself.
  const paths = files.length === 0 && (await kindOf(path)) === 'file' ? [path] : files;
  return {
    pattern,
    paths,
    notes: [
      ...linkedFolders.map((link) => `${link} is a link to a folder and was left out`),
      ...deadLinks
        .filter((link) => formatOf(link) !== null)
        .map((link) => `${link} is a broken link and was left out`),
    ],
    filesAt: (globs) => localFilesAt(globs, rules, paths[0] === path),
  };
}

const kindOf = (path: string): Promise<'file' | 'folder' | null> =>
  stat(path).then(
    (entry) => (entry.isFile() ? 'file' : entry.isDirectory() ? 'folder' : null),
    () => null,
  );

/**
 * Lists local files beside those of the location. Skips folders outside the organisation's folders.
 *
 * @param isOneFile whether the location names a single file. If so, a folder that cannot be listed is skipped too.
 */
async function localFilesAt(
  globs: readonly string[],
  rules: LocationRules,
  isOneFile: boolean,
): Promise<string[]> {
  const mayList = async (folder: string): Promise<boolean> => {
    try {
      await checkRealPaths([folder], rules.roots, rules.field);
      if (isOneFile) await access(folder, constants.R_OK);
      return true;
    } catch (error) {
      if (error instanceof ServiceError || isOneFile) return false;
      throw error;
    }
  };
  const paths = [];
  for (const glob of globs) paths.push(...(await listLocalFiles(glob, { ...rules, mayList })).files);
  return paths;
}

/** Lists objects. A storage lists all objects whose names begin like the glob; those that match it are selected here. */
async function inBucket(url: string, rules: LocationRules): Promise<LocationListing> {
  const pattern = bucketPattern(url);
  const matching = async (globs: readonly string[]): Promise<string[]> => {
    const pause = letOthersRun(rules.signal);
    const paths: string[] = [];
    for (const text of globs) {
      const glob = new Glob(text);
      for (const { path } of await listBucket(fixedPart(text), rules)) {
        await pause();
        if (!path.endsWith('/') && glob.matches(path)) paths.push(path);
      }
    }
    return paths;
  };
  const paths = await matching([pattern]);
  return {
    pattern,
    // Without a folder of this name there may be an object, which nobody can read, for the message to name.
    paths: paths.length === 0 && pattern !== url ? await matching([url]) : paths,
    notes: [],
    filesAt: (globs) => matching(globs.filter((glob) => mayReadBucket(glob, rules.reach))),
  };
}

/**
 * Returns the glob of a location in a bucket. A bucket has no folders to ask for. So whatever is neither a glob nor the name of a
 * file that can be read is taken as one.
 */
export const bucketPattern = (url: string): string =>
  url.endsWith('/') || (formatOf(url) === null && fixedPart(url) === url) ? url.replace(/\/?$/, '/**') : url;
