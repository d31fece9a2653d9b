import { spawn } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { delimiter, dirname, join } from 'node:path';
import { z } from 'zod';
import { PRODUCT } from './page.ts';
import { WAIT_MS } from '../support/patience.ts';

/** The shell of a reader who types one block of a page after the other. */
export interface PageShell {
  /** Runs commands and returns what they print, with the ids of the page and the ports of this run in place. */
  run: (commands: string) => Promise<{ code: number; printed: string }>;
  /** Ends the shell and what it has started in the background. */
  close: () => Promise<void>;
}

/** The path of commands. Pages use the Node that runs the tests, too. */
const searchPath = [dirname(process.execPath), process.env['PATH'] ?? ''].join(delimiter);

/** In commands `met_…` stands for the first metric in the last output with one. Other ids, keys and secrets work alike. */
const SHORTENED = /\b([a-z]+)_…/g;

/** Returns the path of the command that the package declares. */
async function packageCommand(): Promise<string> {
  const text = await readFile(join(PRODUCT, 'package.json'), 'utf8');
  const { bin } = z.object({ bin: z.object({ 'cost-analytics': z.string() }) }).parse(JSON.parse(text));
  return join(PRODUCT, bin['cost-analytics']);
}

/**
 * Opens a shell in a folder.
 *
 * @param ports the ports in the pages, each with the port that replaces it in this run.
 */
export async function openPageShell(
  name: string,
  folder: string,
  environment: Record<string, string>,
  ports: ReadonlyMap<number, number>,
): Promise<PageShell> {
  const bin = await packageCommand();
  // A group of its own, so that background jobs end with it.
  const shell = spawn('bash', ['--noprofile', '--norc'], {
    cwd: folder,
    env: { ...process.env, PATH: searchPath, ...environment },
    stdio: ['pipe', 'pipe', 'pipe'],
    detached: true,
  });
  const ended = new Promise<void>((resolve) => {
    shell.on('exit', () => {
      resolve();
    });
  });
  let printed = '';
  let look = (): void => undefined;
  for (const stream of [shell.stdout, shell.stderr])
    stream.on('data', (chunk: Buffer) => {
      printed += chunk.toString();
      look();
    });
  const outputs: string[] = [];
  let blocks = 0;
  // Replaces `npx --no-install`, which would ask npm for seconds.
  shell.stdin.write(`npx() { shift 2; '${process.execPath}' '${bin}' "$@"; }\n`);

  const inFull = (prefix: string): string => {
    const full = new RegExp(`\\b${prefix}_[A-Za-z0-9+/=_-]{8,}`);
    const found = outputs.map((output) => full.exec(output)?.[0]).find((each) => each !== undefined);
    if (found === undefined) throw new Error(`${prefix}_…: no output so far shows one`);
    return found;
  };

  /** Replaces whole numbers that are ports. */
  const withPorts = (text: string, direction: 'used' | 'shown'): string =>
    [...ports].reduce((replaced, [shown, used]) => {
      const [from, to] = direction === 'used' ? [shown, used] : [used, shown];
      return replaced.replace(new RegExp(`(?<![\\w.-])${from}(?![\\w.-])`, 'g'), String(to));
    }, text);

  return {
    run: async (commands) => {
      const script = withPorts(
        commands.replace(SHORTENED, (_, prefix: string) => inFull(prefix)),
        'used',
      );
      const file = join(folder, `${name}-${++blocks}.sh`);
      await writeFile(file, script);
      const end = `end of block ${blocks}:`;
      printed = '';
      const code = await new Promise<number>((resolve, reject) => {
        const fail = (reason: string): void => {
          reject(new Error(`${reason}:\n${commands}\nprinted:\n${printed}`));
        };
        const patience = setTimeout(fail, WAIT_MS, 'the commands did not end in time');
        void ended.then(() => {
          fail('the commands ended the shell');
        });
        look = () => {
          const [, text] = new RegExp(`\\n${end} (\\d+)\\n`).exec(printed) ?? [];
          if (text === undefined) return;
          clearTimeout(patience);
          resolve(Number(text));
        };
        shell.stdin.write(`source '${file}' 2>&1 </dev/null; printf '\\n${end} %d\\n' $?\n`);
      });
      const output = printed.slice(0, printed.indexOf(`\n${end}`));
      outputs.unshift(output);
      return { code, printed: withPorts(output, 'shown') };
    },
    close: async () => {
      if (shell.pid === undefined || shell.exitCode !== null) return;
      process.kill(-shell.pid, 'SIGTERM');
      shell.stdin.end();
      await ended;
    },
  };
}
