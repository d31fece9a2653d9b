import { spawn } from 'node:child_process';

export interface CommandOptions {
  command: string;
  args: string[];
  env: NodeJS.ProcessEnv;
  /** Aborting it kills the program with SIGKILL. */
  signal: AbortSignal;
  /** Called with each non-empty line the program writes, on either stream. */
  onLine?: (line: string) => void;
}

export interface CommandResult {
  ok: boolean;
  /** The end of what the program wrote, or why it did not run. */
  output: string;
}

/** Characters of output kept: enough for an error message, not for the log of a long build. */
const OUTPUT_LIMIT = 8_000;

/** Runs a program to its end. Never rejects: not found, aborted and failed are all `ok: false`. */
export async function runCommand(options: CommandOptions): Promise<CommandResult> {
  const { command, args, env, signal, onLine } = options;
  return new Promise((resolve) => {
    const child = spawn(command, args, {
      env,
      signal,
      killSignal: 'SIGKILL',
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) {
      let unfinished = '';
      stream.setEncoding('utf8').on('data', (chunk: string) => {
        output = (output + chunk).slice(-OUTPUT_LIMIT);
        const lines = (unfinished + chunk).split('\n');
        unfinished = lines.pop() ?? '';
        for (const line of lines) {
          if (line.trim() !== '') onLine?.(line.trim());
        }
      });
    }
    child.once('close', (code) => {
      resolve({ ok: code === 0, output: output.trim() });
    });
    child.once('error', (error) => {
      // Grandchildren of a killed program may keep the pipes open, so 'close' could be late or never come.
      child.stdout.destroy();
      child.stderr.destroy();
      const reason: unknown = signal.aborted ? signal.reason : error;
      resolve({
        ok: false,
        output: `${output}\n${reason instanceof Error ? reason.message : String(reason)}`.trim(),
      });
    });
  });
}
