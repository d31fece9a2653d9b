import { mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { newOrganisation } from '../../support/service/api-client.ts';
import { newDataDir, removeDataDir, runCommand } from '../../support/service/service-process.ts';
import { openTemporal } from '../../support/service/temporal-client.ts';
import { sharedService, type SharedService } from '../../support/service/shared-service.ts';

/** `cost-analytics temporal` runs Temporal's command against the server of the service (docs/workflows.md). */
let service: SharedService;

beforeAll(async () => {
  service = await sharedService();
});

const temporal = (args: readonly string[], environment: Record<string, string> = {}) =>
  runCommand(['temporal', ...args], { DATA_DIR: service.dataDir, ...environment });

describe('the command temporal', () => {
  it('reaches the embedded server of DATA_DIR, and that of --data', async () => {
    const { id } = await newOrganisation(service);
    const list = ['schedule', 'list', '--output', 'json'];
    for (const run of [
      temporal(list),
      temporal(['--data', service.dataDir, ...list], { DATA_DIR: '/nowhere' }),
    ]) {
      const { code, stdout } = await run;
      const listed = JSON.parse(stdout) as { scheduleId: string }[];
      expect(code).toBe(0);
      expect(listed.map(({ scheduleId }) => scheduleId)).toContain(`settle/${id}`);
    }
  });

  it('passes on all arguments and the exit code, also of a usage error and of help', async () => {
    const help = await temporal(['workflow', 'list', '--help']);
    expect(help).toMatchObject({ code: 0 });
    expect(help.stdout).toContain('temporal workflow list [flags]');
    const version = await temporal(['--version']);
    expect(version).toMatchObject({ code: 0 });
    expect(version.stdout).toMatch(/^temporal version/);
    const unknown = await temporal(['workflow', 'describe', '--workflow-id', 'settle/unknown']);
    expect(unknown).toMatchObject({ code: 1 });
    expect(unknown.stderr).toContain('workflow not found');
    const refused = await temporal(['workflow', 'list', '--no-such-flag']);
    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain('unknown flag: --no-such-flag');
  });

  it('reports a data directory without a running server, and makes nothing there', async () => {
    const empty = await newDataDir();
    await mkdir(join(empty, 'used'));
    for (const dataDir of [join(empty, 'used'), join(empty, 'missing')]) {
      const { code, stderr } = await temporal(['workflow', 'list'], { DATA_DIR: dataDir });
      expect(code).toBe(1);
      expect(stderr).toContain(`no Temporal server runs in ${dataDir}: start the service`);
    }
    expect(await readdir(empty, { recursive: true })).toEqual(['used']);
    await removeDataDir(empty);
  });

  it('reaches the server of TEMPORAL_ADDRESS instead, with its key', async () => {
    const { code, stderr } = await temporal(['workflow', 'list'], {
      TEMPORAL_ADDRESS: '127.0.0.1:9',
      TEMPORAL_API_KEY: 'key',
    });
    expect(code).toBe(1);
    expect(stderr).toMatch(/127\.0\.0\.1:9/);
  });
});

describe('a start with a wrong Temporal', () => {
  const start = async (environment: Record<string, string>): Promise<string> => {
    const dataDir = await newDataDir();
    const { code, stderr } = await runCommand(['start'], { DATA_DIR: dataDir, PORT: '0', ...environment });
    expect(code).toBe(1);
    await removeDataDir(dataDir);
    return stderr;
  };

  it('names TEMPORAL_ADDRESS', async () => {
    expect(await start({ TEMPORAL_ADDRESS: '127.0.0.1:9' })).toContain(
      'TEMPORAL_ADDRESS: expected a Temporal server, but 127.0.0.1:9 did not answer as one',
    );
    expect(await start({ TEMPORAL_ADDRESS: 'https://temporal.example.com' })).toContain(
      'TEMPORAL_ADDRESS: expected host:port of a Temporal server, got "https://temporal.example.com"',
    );
  });

  it('names TEMPORAL_NAMESPACE', async () => {
    const { address, close } = await openTemporal(service.dataDir);
    await close();
    expect(await start({ TEMPORAL_ADDRESS: address, TEMPORAL_NAMESPACE: 'costs' })).toContain(
      'TEMPORAL_NAMESPACE: expected a namespace of the Temporal server, got costs',
    );
  });
});
