import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { THOROUGH } from '../../support/effort.ts';
import { waitFor } from '../../support/service/api-client.ts';
import { newDataDir, removeDataDir, startService } from '../../support/service/service-process.ts';

const SCRATCH = pathToFileURL(
  resolve(import.meta.dirname, '../../../dist/warehouse/engine/readers/scratch.js'),
).href;

let dataDir: string;
let spill: string;

beforeAll(async () => {
  dataDir = await newDataDir();
  spill = join(dataDir, 'spill');
});
afterAll(() => removeDataDir(dataDir));

const folders = async (): Promise<string[]> =>
  (await readdir(spill)).filter((name) => /^process-[\da-f-]+$/.test(name)).sort();

/** Starts another process that uses the same data directory, until it is killed. */
async function startNeighbour(): Promise<{ folder: string; kill: () => Promise<void> }> {
  const before = await folders();
  const script = `import { takeScratch } from ${JSON.stringify(SCRATCH)};
    await takeScratch(${JSON.stringify(spill)});
    process.stdin.resume();`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['pipe', 'ignore', 'inherit'],
  });
  const folder = await waitFor(async () => (await folders()).find((name) => !before.includes(name)));
  return {
    folder,
    kill: async () => {
      child.kill('SIGKILL');
      await once(child, 'exit');
    },
  };
}

it.runIf(THOROUGH)(
  'a start removes the files of killed processes, and keeps those of running ones',
  async () => {
    const killed = await startService({ dataDir });
    const [own = ''] = await folders();
    // Files as an upload and a large sort leave them.
    for (const name of ['values-1', 'duckdb_temp_storage_DEFAULT-0.tmp'])
      await writeFile(join(spill, own, name), 'x'.repeat(1000));
    const neighbour = await startNeighbour();
    await writeFile(join(spill, neighbour.folder, 'values-2'), 'in use');
    await killed.kill();

    const second = await startService({ dataDir });
    const left = await readdir(spill, { recursive: true });
    expect(left).not.toContain(own);
    expect(left).not.toContain(`${own}.in-use`);
    expect(left).toContain(join(neighbour.folder, 'values-2'));
    expect(await folders()).toHaveLength(2);

    // A process that ends cleanly leaves nothing. A killed one leaves its folder, which the next start removes.
    await second.stop();
    expect(await folders()).toEqual([neighbour.folder]);
    await neighbour.kill();
    const third = await startService({ dataDir });
    expect(await folders()).not.toContain(neighbour.folder);
    await third.stop();
    expect(await readdir(spill)).toEqual([]);
  },
);
