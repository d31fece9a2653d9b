/** What the codes of a file system mean for whoever has chosen the path. */
const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'the file system there takes no new files or folders',
  ENOTDIR: 'a part of this path is a file, not a folder',
  EEXIST: 'it is there already, and is no folder',
  EACCES: 'this process may not write there',
  EPERM: 'this process may not write there',
  EROFS: 'the disk is read-only',
  ENOSPC: 'the disk is full',
  EDQUOT: 'the quota of the disk is used up',
  ELOOP: 'its links form a circle',
  ENAMETOOLONG: 'the name is too long',
};

/** Returns in words why a file or folder could not be written, or null if the error is not one of a file system. */
export function reasonOfFailure(error: unknown): string | null {
  if (!(error instanceof Error) || !('code' in error) || typeof error.code !== 'string') return null;
  return REASONS[error.code] ?? `the file system reports ${error.code}`;
}
