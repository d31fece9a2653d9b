import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { TextDecoder } from 'node:util';

/** Far more than any setting needs, and little enough to read at once. */
const MOST_BYTES = 65_536;

/** The settings of an environment, with those that come from files. */
export interface ValuesInFiles {
  values: NodeJS.ProcessEnv;
  /** The names of the settings that came from files. */
  fromFiles: ReadonlySet<string>;
  /** What is wrong, without any content or path, because somebody may set `…_FILE` to the secret itself. */
  problems: string[];
}

/**
 * Reads the settings in `names` whose `NAME_FILE` names a file. The content without its last line break is the value. A setting in
 * both forms is a problem, because it is not certain which of them counts.
 */
export function valuesInFiles(env: NodeJS.ProcessEnv, names: readonly string[]): ValuesInFiles {
  const values = { ...env };
  const fromFiles = new Set<string>();
  const problems: string[] = [];
  for (const name of names) {
    const form = `${name}_FILE`;
    const path = env[form]?.trim() ?? '';
    if (path === '') continue;
    fromFiles.add(name);
    if ((env[name]?.trim() ?? '') !== '') {
      problems.push(`${name} and ${form}: expected one of them, got both`);
      continue;
    }
    try {
      values[name] = valueIn(path);
    } catch (error) {
      problems.push(`${form}: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  return { values, fromFiles, problems };
}

function valueIn(path: string): string {
  const bytes = contentOf(path);
  if (bytes.length > MOST_BYTES) throw new Error(`expected a file of at most ${MOST_BYTES} bytes`);
  const text = textOf(bytes).replace(/\r?\n$/, '');
  if (text.trim() === '') throw new Error('expected a file with a value, got an empty one');
  return text;
}

/** Returns the first bytes of a regular file: all that it may have, and one more. */
function contentOf(path: string): Buffer {
  let file: number;
  try {
    // The open of a pipe that nobody writes to must not wait.
    file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown error';
    throw new Error(`expected the path of a file that the process can read, got ${code}`, { cause: error });
  }
  try {
    if (!fstatSync(file).isFile())
      throw new Error('expected a regular file, got a folder, a pipe or a device');
    const bytes = Buffer.alloc(MOST_BYTES + 1);
    return bytes.subarray(0, readSync(file, bytes));
  } finally {
    closeSync(file);
  }
}

function textOf(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (error) {
    throw new Error('expected text in UTF-8', { cause: error });
  }
}
