import { runCommand } from './run-command.ts';

/** A cold 250 MB binary on a slow disk needs seconds to load; an answer that takes longer is a hang. */
const ANSWER_TIMEOUT_MS = 20_000;

/** Whether the file runs on this machine and is the Temporal CLI (not another program of that name). */
export async function runsAsTemporalCli(path: string, env: NodeJS.ProcessEnv): Promise<boolean> {
  const { ok, output } = await runCommand({
    command: path,
    args: ['--version'],
    env,
    signal: AbortSignal.timeout(ANSWER_TIMEOUT_MS),
  });
  return ok && /^temporal version/m.test(output);
}
