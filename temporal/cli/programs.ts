import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { access, constants, stat } from 'node:fs/promises';
import { delimiter, resolve } from 'node:path';
import { createInterface } from 'node:readline';

/** The file of a program on this platform. */
export const programFile = (name: string): string => (process.platform === 'win32' ? `${name}.exe` : name);

/** Absolute paths of the executable files of a program on `env.PATH`, in the order of the PATH. */
export async function programsOnPath(name: string, env: NodeJS.ProcessEnv): Promise<string[]> {
  const folders = (env['PATH'] ?? '').split(delimiter).filter((folder) => folder !== '');
  const paths = folders.map((folder) => resolve(folder, programFile(name)));
  const executable = await Promise.all(paths.map(isExecutableFile));
  return paths.filter((_, index) => executable[index]);
}

const isExecutableFile = async (path: string): Promise<boolean> =>
  access(path, constants.X_OK)
    .then(() => stat(path))
    .then(
      (stats) => stats.isFile(),
      () => false,
    );

export interface RunOptions {
  env: NodeJS.ProcessEnv;
  /** Kills the program with SIGKILL. */
  signal: AbortSignal;
  /** Receives each line that is not blank, from both streams. */
  onLine?: (line: string) => void;
}

/** Characters of output that are kept: enough for an error message, not for the log of a long build. */
const MOST_OUTPUT = 8_000;

/**
 * Runs a program to its end. Never rejects: a program that is not found, is killed or fails is not `ok`.
 *
 * @returns the end of what it wrote, or why it did not run
 */
export async function run(
  program: string,
  args: string[],
  { env, signal, onLine }: RunOptions,
): Promise<{ ok: boolean; output: string }> {
  const child = spawn(program, args, {
    env,
    signal,
    killSignal: 'SIGKILL',
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    createInterface(stream).on('line', (line) => {
      output = `${output}${line}\n`.slice(-MOST_OUTPUT);
      if (line.trim() !== '') onLine?.(line.trim());
    });
  try {
    const [code] = (await once(child, 'close')) as [number | null];
    return { ok: code === 0, output: output.trim() };
  } catch (error) {
    // Grandchildren of a killed program may keep the pipes open, so that 'close' comes late or never.
    child.stdout.destroy();
    child.stderr.destroy();
    return { ok: false, output: `${output}${reasonOf(signal.aborted ? signal.reason : error)}` };
  }
}

/** The message of an error. */
export const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
