import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';

const run = promisify(execFile);

/**
 * Whether the process runs and has `argument` on its command line.
 *
 * The command line, not only the pid: pids are reused, and a zombie keeps its pid but has no command
 * line (an orphan killed in a container whose pid 1 does not reap stays one for ever).
 */
export async function isRunningWith(pid: number, argument: string): Promise<boolean> {
  try {
    process.kill(pid, 0);
  } catch {
    return false;
  }
  if (process.platform === 'linux') {
    const commandLine = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
    return commandLine.split('\0').includes(argument);
  }
  return (await commandLineByPs(pid)).includes(argument);
}

/** Empty if the process is gone or a zombie, or the platform has no ps. */
async function commandLineByPs(pid: number): Promise<string> {
  return run('ps', ['-ww', '-o', 'command=', '-p', String(pid)]).then(
    ({ stdout }) => stdout,
    () => '',
  );
}
