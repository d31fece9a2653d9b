import { join } from 'node:path';
import { makeFolder } from './make-folder.ts';
import { usePath } from './unusable-path.ts';
import { writeProbe } from './write-probe.ts';

const PROBE = '.write-check';

/** Makes a folder unless it exists, and looks whether files can be written to it. Throws `UnusablePath` if not. */
export async function makeWritableFolder(folder: string): Promise<void> {
  await makeFolder(folder);
  await usePath(folder, 'a folder that files can be written to', () => writeProbe(join(folder, PROBE)));
}
