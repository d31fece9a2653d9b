import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Returns a function that writes an export into a folder and returns its location. */
export const exportsIn =
  (directory: string) =>
  async (name: string, text: string): Promise<string> => {
    const location = join(directory, name);
    await writeFile(location, text);
    return location;
  };
