import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, readdir, readFile, rm, statfs, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { newOrganisation, waitFor, type Api } from '../../support/service/api-client.ts';
import { newCatalog } from '../../support/warehouse/engines.ts';
import { expectData, expectError } from '../../support/service/envelope.ts';
import { runCommand, startService, type ServiceProcess } from '../../support/service/service-process.ts';
import { THOROUGH } from '../../support/effort.ts';
import { LAKE, lacking, skipped } from '../../support/needs.ts';

/** Whether this machine can mount small disks in memory, to fill them or make them read-only. Only root may. */
const canMount = await (async () => {
  const folder = await mkdtemp(join(tmpdir(), 'cost-analytics-mount-'));
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', folder], { stdio: 'ignore' });
    execFileSync('umount', [folder]);
    return true;
  } catch {
    return false;
  } finally {
    await rm(folder, { recursive: true });
  }
})();
const withoutMount = canMount ? '' : skipped(['the right to mount a file system: run as root']);
const withoutLake = lacking(...LAKE);

describe.skipIf(!canMount)(`a disk${withoutMount}`, () => {
  let base: string;
  let mounted: string[];
  let service: ServiceProcess | null;

  beforeEach(async () => {
    base = await mkdtemp(join(tmpdir(), 'cost-analytics-disk-'));
    mounted = [];
    service = null;
  });
  afterEach(async () => {
    while (mounted.length > 1) unmount();
    await service?.stop();
    while (mounted.length > 0) unmount();
    await rm(base, { recursive: true, force: true });
  });

  const mount = async (folder: string, options: string): Promise<string> => {
    await mkdir(folder, { recursive: true });
    execFileSync('mount', ['-t', 'tmpfs', '-o', options, 'tmpfs', folder]);
    mounted.push(folder);
    return folder;
  };
  const unmount = (): void => {
    execFileSync('umount', ['--lazy', mounted.pop() ?? '']);
  };
  const freeBytes = async (folder: string): Promise<number> => {
    const { bavail, bsize } = await statfs(folder);
    return bavail * bsize;
  };
  /** Waits until /readyz and /health report this state of the disk. */
  const untilDiskIs = async ({ url }: ServiceProcess, admin: Api, disk: string): Promise<void> => {
    const isOk = disk === 'ok';
    await waitFor(async () => {
      const ready = await fetch(`${url}/readyz`);
      const report = (await ready.json()) as { disk: string };
      if (report.disk !== disk) return undefined;
      expect([ready.status, report]).toMatchObject([isOk ? 200 : 503, { warehouse: 'ok', temporal: 'ok' }]);
      return true;
    });
    expect(expectData(await admin.get('/health'))).toMatchObject({ status: isOk ? 'ok' : 'degraded', disk });
    expect((await fetch(`${url}/livez`)).status).toBe(200);
  };

  it.runIf(THOROUGH)('that is full is reported by /readyz and /health, until it is corrected', async () => {
    const dataDir = await mount(join(base, 'data'), 'size=160m');
    service = await startService({ dataDir });
    const { admin } = await newOrganisation(service);
    await untilDiskIs(service, admin, 'ok');
    // Less than 64 MiB are left, but enough to end in order.
    const ballast = join(dataDir, 'ballast');
    await writeFile(ballast, Buffer.alloc(110 * 2 ** 20));
    await untilDiskIs(service, admin, 'full');
    const looked = await runCommand(['doctor'], { DATA_DIR: dataDir });
    expect(looked.stdout).toMatch(/^PROBLEM disk: \d\d MiB free in .*: free space, at least 64 MiB$/m);
    await rm(ballast);
    await untilDiskIs(service, admin, 'ok');
    expect((await readdir(dataDir)).filter((name) => name.startsWith('.disk'))).toEqual([]);
    expect(service.logs().match(/the disk cannot be written to/g)).toHaveLength(1);
  });

  it.runIf(THOROUGH)('that becomes read-only is reported too', async () => {
    const dataDir = await mount(join(base, 'data'), 'size=160m');
    service = await startService({ dataDir });
    const { admin } = await newOrganisation(service);
    await untilDiskIs(service, admin, 'ok');
    await mount(dataDir, 'ro');
    await untilDiskIs(service, admin, 'read_only');
    unmount();
    await untilDiskIs(service, admin, 'ok');
    expect(service.logs().match(/the disk cannot be written to/g)).toHaveLength(1);
  });

  const fill = async (warehouseOn: (elsewhere: string) => Record<string, string>): Promise<void> => {
    const elsewhere = await mount(join(base, 'warehouse'), 'size=160m');
    const dataDir = join(base, 'data');
    await mkdir(dataDir);
    service = await startService({ dataDir, environment: warehouseOn(elsewhere) });
    const { admin } = await newOrganisation(service);
    await untilDiskIs(service, admin, 'ok');
    await writeFile(join(elsewhere, 'ballast'), Buffer.alloc(110 * 2 ** 20));
    await untilDiskIs(service, admin, 'full');
  };

  it.runIf(THOROUGH)('that holds only the warehouse is reported too', () =>
    fill((elsewhere) => ({ WAREHOUSE: join(elsewhere, 'costs.duckdb') })),
  );

  it.runIf(THOROUGH)(
    'that cannot store a call count lets the service and its Temporal server end',
    async () => {
      const elsewhere = await mount(join(base, 'warehouse'), 'size=160m');
      const dataDir = join(base, 'data');
      await mkdir(dataDir);
      service = await startService({ dataDir, environment: { WAREHOUSE: join(elsewhere, 'costs.duckdb') } });
      const { admin } = await newOrganisation(service, { tier: 'business' });
      const record = join(dataDir, 'temporal.json');
      const { pid } = JSON.parse(await readFile(record, 'utf8')) as { pid: number };
      const size = await freeBytes(elsewhere);
      await writeFile(join(elsewhere, 'ballast'), Buffer.alloc(size));
      // The last page of the file still has room for some calls.
      const refused = await waitFor(async () => {
        const answer = await admin.get('/teams');
        return answer.status === 200 ? undefined : answer;
      });
      expectError(refused, 503);
      expect(await service.stop()).toBe(1);
      expect(service.logs()).toContain('a part of the service could not end cleanly');
      expect(() => process.kill(pid, 0)).toThrow('ESRCH');
      await expect(readFile(record)).rejects.toThrow('ENOENT');
    },
  );

  it.skipIf(withoutLake !== '')(
    `that holds only the files of a DuckLake is reported too${withoutLake}`,
    async () => {
      const lake = { WAREHOUSE: await newCatalog(), MASTER_KEY: randomBytes(32).toString('base64') };
      await fill((elsewhere) => ({ ...lake, WAREHOUSE_DATA: join(elsewhere, 'lake') }));
    },
  );
});
