import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { delimiter, join, resolve } from 'node:path';

/** Absolute paths of the executable files called `name` on `env.PATH`, in the order of the PATH. */
export async function executablesOnPath(name: string, env: NodeJS.ProcessEnv): Promise<string[]> {
  const file = process.platform === 'win32' ? `${name}.exe` : name;
  const found: string[] = [];
  for (const folder of (env['PATH'] ?? '').split(delimiter)) {
    if (folder === '') continue;
    const path = resolve(join(folder, file));
    if (await isExecutableFile(path)) found.push(path);
  }
  return found;
}

async function isExecutableFile(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK);
    return (await stat(path)).isFile();
  } catch {
    return false;
  }
}
