import { stat } from 'node:fs/promises';
import { UnusablePath } from './unusable-path.ts';

/**
 * Throws `UnusablePath` unless a path leads to a regular file. To open a fifo waits for a writer for ever, and a device such as
 * /dev/zero never ends. Call it before a file that a person has named is opened.
 */
export async function requireRegularFile(path: string): Promise<void> {
  const found = await stat(path).catch(() => null);
  if (found?.isFile() !== true)
    throw new UnusablePath(`${path}: expected a regular file, got ${kindOf(found)}`);
}

function kindOf(found: Awaited<ReturnType<typeof stat>> | null): string {
  if (found === null) return 'nothing that can be opened';
  if (found.isDirectory()) return 'a folder';
  if (found.isFIFO()) return 'a fifo';
  return found.isSocket() ? 'a socket' : 'a device';
}
