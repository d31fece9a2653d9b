import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const run = promisify(execFile);

const git = async (...words: readonly string[]): Promise<string> =>
  (await run('git', words, { cwd: import.meta.dirname })).stdout.trim();

/** Returns which commit is measured, for a line of the results. Says if files other than the results have changed since. */
export async function measuredCommit(): Promise<string> {
  try {
    const commit = await git('rev-parse', '--short=8', 'HEAD');
    const changed = await git('status', '--porcelain', '--', ':/', ':(top,exclude)bench/results.md');
    return `commit ${commit}${changed === '' ? '' : ' with changes'}`;
  } catch {
    return 'no commit';
  }
}
