import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { describe, expect, it, vi } from 'vitest';
import { SMALL_MACHINE } from '../../../bench/client/demo.ts';
import { watchMemory } from '../../../bench/client/machine-memory.ts';
import { focusRows } from '../../../bench/data/focus-rows.ts';
import { SCALED_OUT, THOROUGH } from '../../support/effort.ts';
import { WAIT_MS } from '../../support/patience.ts';
import { newIngestedSource, newOrganisation } from '../../support/service/api-client.ts';
import { expectData } from '../../support/service/envelope.ts';
import {
  newDataDir,
  removeDataDir,
  startService,
  type ServiceProcess,
} from '../../support/service/service-process.ts';

const ROWS = 1_000_000;
const GIB = 2 ** 30;

/** Writes a FOCUS bill of a million lines of two months. */
async function writeBill(file: string): Promise<void> {
  const instance = await DuckDBInstance.create();
  const connection = await instance.connect();
  await connection.run(`COPY (${focusRows(ROWS)}) TO '${file}' (FORMAT parquet)`);
  instance.closeSync();
}

/**
 * Runs a command of the service as on one core with 1 GiB, and `work` once it serves. Checks the most memory that all its processes
 * needed at once. A test cannot make a cgroup everywhere. So the processes get one core and the settings that the product and Node
 * choose on such a machine, and their memory is measured.
 */
async function onSmallMachine(
  command: 'demo' | 'start',
  work: (service: ServiceProcess, dataDir: string) => Promise<void>,
): Promise<void> {
  const dataDir = await newDataDir();
  const [onOneCore, pidFile] = [join(dataDir, 'node'), join(dataDir, 'node.pid')];
  const program = [...SMALL_MACHINE.prefix, process.execPath].join(' ');
  await writeFile(onOneCore, `#!/bin/sh\necho $$ > '${pidFile}'\nexec ${program} "$@"\n`, { mode: 0o755 });
  const starting = startService({
    dataDir,
    command: [command, '--data', dataDir],
    environment: SMALL_MACHINE.environment,
    node: onOneCore,
  });
  const pid = await vi.waitFor(async () => {
    const text = await readFile(pidFile, 'utf8');
    expect(text).toMatch(/^\d+\n$/);
    return Number(text);
  }, WAIT_MS);
  const watch = watchMemory(pid);
  try {
    const service = await starting;
    await work(service, dataDir);
    expect(watch.most().all).toBeGreaterThan(0);
    expect(watch.most().all).toBeLessThan(GIB);
    expect(await service.stop()).toBe(0);
  } finally {
    watch.stop();
    await (await starting.catch(() => null))?.stop();
    await removeDataDir(dataDir);
  }
}

describe.runIf(THOROUGH && !SCALED_OUT)('one core and 1 GiB, with Temporal and all readers', () => {
  it('carry the demo', () =>
    // It serves once it has shown everything.
    onSmallMachine('demo', async ({ url }) => {
      expect((await fetch(`${url}/readyz`)).status).toBe(200);
    }));

  it('carry a million lines of a bill', () =>
    onSmallMachine('start', async (service, dataDir) => {
      const { admin } = await newOrganisation(service);
      const location = join(dataDir, 'bill.parquet');
      await writeBill(location);
      const source = await newIngestedSource(admin, { name: 'Bill', kind: 'focus', location });
      const [run] = expectData(await admin.get<{ rows_read: number }[]>(`/cost-sources/${source}/runs`));
      expect(run?.rows_read).toBe(ROWS);
    }));
});
