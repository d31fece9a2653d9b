import { isUtf8 } from 'node:buffer';
import type { Dirent } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { invalid, type ServiceError } from '../../domain/shared/errors.ts';
import { Glob, type GlobState } from '../../domain/sources/exports/glob.ts';
import { letOthersRun } from '../../warehouse/engine/let-others-run.ts';

/** The files that a glob matches, each once, in the order of their bytes, and the entries that were skipped. */
export interface LocalListing {
  files: string[];
  /** Links to folders that `**` would have to follow. */
  linkedFolders: string[];
  /** Broken links that match. */
  deadLinks: string[];
  /** Matching files that cannot be named, because their paths are not UTF-8. The invalid bytes are replaced. */
  unnamed: string[];
}

/** The rules of a listing. */
export interface ListingRules {
  field: string;
  /** Whether a folder that a link or the pattern names may be listed; may throw. */
  mayList: (folder: string) => Promise<boolean>;
  signal?: AbortSignal | undefined;
}

/**
 * Lists the regular files that an absolute glob matches. It reads only folders below which something can match, and follows links
 * to folders only if the glob has a name for them.
 *
 * @throws ServiceError `invalid` that names a folder or file that cannot be read.
 */
export async function listLocalFiles(
  pattern: string,
  { field, mayList, signal }: ListingRules,
): Promise<LocalListing> {
  const glob = new Glob(pattern);
  const files: Buffer[] = [];
  const linkedFolders: string[] = [];
  const deadLinks: string[] = [];
  const pause = letOthersRun(signal);

  const walk = async (folder: Buffer, state: GlobState, isListable: boolean): Promise<void> => {
    signal?.throwIfAborted();
    const names = glob.literalNames(state);
    if (names === null) {
      if (!isListable && !(await mayList(folder.toString()))) return;
      for (const entry of await entriesOf(folder, !isListable, field)) {
        await pause();
        await visit(folder, entry, state);
      }
      return;
    }
    for (const name of new Set(names)) {
      const path = below(folder, Buffer.from(name));
      const next = glob.after(state, name);
      if (glob.isMatch(next)) {
        const kind = await kindOf(path);
        if (kind === 'denied') throw unreadable(field, 'file', path, 'EACCES');
        if (kind !== 'nothing') files.push(path);
      }
      if (glob.hasMore(next)) await walk(path, next, false);
    }
  };

  const visit = async (folder: Buffer, entry: Dirent<Buffer>, state: GlobState): Promise<void> => {
    const isLink = entry.isSymbolicLink();
    const next = glob.after(state, entry.name.toString(), isLink);
    const isSkipped = isLink && glob.isAnyFolders(state);
    if (next.size === 0 && !isSkipped) return;
    const path = below(folder, entry.name);
    const kind = isLink
      ? await kindOf(path)
      : entry.isDirectory()
        ? 'folder'
        : entry.isFile()
          ? 'file'
          : 'other';
    if (kind === 'folder') {
      // The check of a link's real path needs its name as text.
      if (glob.hasMore(next) && (!isLink || isUtf8(path))) await walk(path, next, !isLink);
      else if (isSkipped) linkedFolders.push(path.toString());
    } else if (glob.isMatch(next)) {
      // A denied file is refused when it is opened.
      if (kind === 'file' || kind === 'denied') files.push(path);
      else if (kind === 'nothing') deadLinks.push(path.toString());
    }
  };

  await walk(SLASH, glob.start, false);
  files.sort((a, b) => a.compare(b));
  return {
    files: files.filter(isUtf8).map(String),
    linkedFolders,
    deadLinks,
    unnamed: files.filter((path) => !isUtf8(path)).map(String),
  };
}

const SLASH = Buffer.from('/');

const below = (folder: Buffer, name: Buffer): Buffer =>
  folder.equals(SLASH) ? Buffer.concat([SLASH, name]) : Buffer.concat([folder, SLASH, name]);

/** Returns the entries of a folder. A folder that only the pattern names may be missing. */
async function entriesOf(folder: Buffer, mayBeMissing: boolean, field: string): Promise<Dirent<Buffer>[]> {
  try {
    return await readdir(folder, { encoding: 'buffer', withFileTypes: true });
  } catch (error) {
    const code = codeOf(error);
    if (mayBeMissing && MISSING.includes(code)) return [];
    if (UNREADABLE.includes(code)) throw unreadable(field, 'folder', folder, code);
    throw error;
  }
}

const unreadable = (field: string, what: string, path: Buffer, code: string): ServiceError =>
  invalid(
    `${field}: the ${what} ${JSON.stringify(path.toString())} cannot be read (${code}); nothing was loaded`,
  );

const MISSING = ['ENOENT', 'ENOTDIR'];
const UNREADABLE = ['EACCES', 'EPERM', 'ELOOP', 'ENAMETOOLONG'];

/** Returns what a path leads to; `denied` if a folder on the way cannot be entered. */
async function kindOf(path: Buffer): Promise<'file' | 'folder' | 'other' | 'denied' | 'nothing'> {
  try {
    const found = await stat(path);
    return found.isFile() ? 'file' : found.isDirectory() ? 'folder' : 'other';
  } catch (error) {
    const code = codeOf(error);
    if ([...MISSING, 'ELOOP', 'ENAMETOOLONG'].includes(code)) return 'nothing';
    if (UNREADABLE.includes(code)) return 'denied';
    throw error;
  }
}

const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error ? String(error.code) : '';
