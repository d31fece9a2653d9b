import { spawn, type ChildProcess } from 'node:child_process';
import { mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import type { DevServerOptions } from '../../temporal/dev-server.ts';

const PROJECT = fileURLToPath(new URL('../../', import.meta.url));

/**
 * Runs `startDevServer` in a Node process of its own, which stays until it is killed.
 *
 * @param folder empty folder, for a copy of `temporal/` as JavaScript (Node 20 does not run TypeScript)
 * @returns the process and the address of the server it has started
 */
export async function startInParentProcess(
  folder: string,
  { cli, dataDir, namespace, searchAttributes }: DevServerOptions,
): Promise<{ parent: ChildProcess; address: string }> {
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'package.json'), '{"type":"module"}');
  await symlink(join(PROJECT, 'node_modules'), join(folder, 'node_modules'));
  for (const name of await readdir(join(PROJECT, 'temporal'))) {
    const { outputText } = ts.transpileModule(await readFile(join(PROJECT, 'temporal', name), 'utf8'), {
      compilerOptions: {
        module: ts.ModuleKind.ESNext,
        target: ts.ScriptTarget.ES2023,
        rewriteRelativeImportExtensions: true,
        verbatimModuleSyntax: true,
      },
    });
    await writeFile(join(folder, name.replace(/\.ts$/, '.js')), outputText);
  }
  const main = join(folder, 'main.js');
  await writeFile(
    main,
    `import { startDevServer } from './dev-server.js';
     const log = { info() {}, warn() {} };
     const server = await startDevServer({ ...${JSON.stringify({ cli, dataDir, namespace, searchAttributes })}, log });
     console.log(server.address);
     setInterval(() => {}, 60_000);`,
  );
  const parent = spawn(process.execPath, [main], { stdio: ['ignore', 'pipe', 'inherit'] });
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
