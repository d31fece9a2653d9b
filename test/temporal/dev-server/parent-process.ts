import { spawn, type ChildProcess } from 'node:child_process';
import type { DevServerOptions } from '../../../temporal/dev-server/dev-server.ts';

const DEV_SERVER = new URL('../../../dist/temporal/dev-server/dev-server.js', import.meta.url);

/** Runs the built `startDevServer` in a process that stays until it is killed. Returns the process and the server's address. */
export async function startInParentProcess({
  cli,
  dataDir,
  uiPort,
  namespace,
  searchAttributes,
}: DevServerOptions): Promise<{ parent: ChildProcess; address: string }> {
  const program = `
    import { startDevServer } from ${JSON.stringify(DEV_SERVER.href)};
    const log = { info() {}, warn() {} };
    const server = await startDevServer({ ...${JSON.stringify({ cli, dataDir, uiPort, namespace, searchAttributes })}, log });
    console.log(server.address);
    setInterval(() => {}, 60_000);`;
  const parent = spawn(process.execPath, ['--input-type=module', '--eval', program], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const address = await new Promise<string>((resolve, reject) => {
    parent.stdout.setEncoding('utf8').once('data', (text: string) => {
      resolve(text.trim());
    });
    parent.once('exit', (code) => {
      reject(new Error(`the parent process ended with ${String(code)}`));
    });
  });
  return { parent, address };
}
