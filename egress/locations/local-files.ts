import { lstat, realpath } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { invalid } from '../../domain/shared/errors.ts';

/**
 * The real path of an absolute path, once it is certain that it lies under one of `roots` (or is one). What
 * does not exist yet is taken as it is written, below its nearest folder that exists.
 *
 * @throws ServiceError `invalid` that names SOURCE_ROOTS.
 */
export const realPathUnder = async (path: string, roots: readonly string[], field: string): Promise<string> =>
  realPathIn(await realRootsOf(roots), path, field);

/**
 * Checks the paths that a glob was expanded to: a link inside a root may point outside of it.
 *
 * @param paths absolute ones.
 * @throws ServiceError `invalid` that names SOURCE_ROOTS.
 */
export async function checkRealPaths(
  paths: readonly string[],
  roots: readonly string[],
  field: string,
): Promise<void> {
  const realRoots = await realRootsOf(roots);
  for (const path of paths) await realPathIn(realRoots, path, field);
}

async function realPathIn(realRoots: readonly string[], path: string, field: string): Promise<string> {
  const real = await realPathOf(path);
  refuseOutside(realRoots, real, field);
  return real;
}

/**
 * Refuses a real path that lies under none of the roots' real paths, or that cannot be determined (null). All refusals have the
 * same message, so that it does not reveal whether a file outside the roots exists.
 */
export function refuseOutside(
  realRoots: readonly string[],
  real: string | null,
  field: string,
): asserts real is string {
  if (real === null || !realRoots.some((root) => liesUnder(real, root)))
    throw invalid(
      `${field}: a local file must lie under one of your organisation's folders (setting SOURCE_ROOTS); a relative location begins in the first`,
    );
}

/** The real paths of the roots that exist. */
export const realRootsOf = async (roots: readonly string[]): Promise<string[]> =>
  (await Promise.all(roots.map((root) => realPathOf(resolve(root))))).filter((root) => root !== null);

/** The path with links resolved, as far as it exists; null if that cannot be determined (a dangling link, no access). */
async function realPathOf(path: string): Promise<string | null> {
  try {
    return await realpath(path);
  } catch (error) {
    const parent = dirname(path);
    if (!isMissing(error) || parent === path || (await isLink(path))) return null;
    const realParent = await realPathOf(parent);
    return realParent === null ? null : join(realParent, basename(path));
  }
}

/** ENOTDIR: an ancestor is a file, so nothing can exist there. */
const isMissing = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR');

const isLink = (path: string): Promise<boolean> =>
  lstat(path).then(
    (stats) => stats.isSymbolicLink(),
    () => false,
  );

function liesUnder(path: string, root: string): boolean {
  const way = relative(root, path);
  return way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}
