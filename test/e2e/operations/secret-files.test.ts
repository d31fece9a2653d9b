import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { as } from '../../support/service/api-client.ts';
import { expectData } from '../../support/service/envelope.ts';
import { newDataDir, removeDataDir, runCommand } from '../../support/service/service-process.ts';
import { withService } from '../../support/service/with-service.ts';

/** An operator who keeps all secrets in files, as Docker and Kubernetes mount them. Each test continues the story. */
const CLOCK = '2026-02-07T06:00:00Z';

const SECRETS = {
  operator: 'the operator key of a file',
  old: randomBytes(32).toString('base64'),
  new: randomBytes(32).toString('base64'),
};

let files: Record<keyof typeof SECRETS, string>;
/** The folder of a command on another machine, without the files that the service makes. */
let elsewhere: string;

const settingsWith = (keys: Record<string, string>) => ({
  CLOCK,
  PRIVATE_TARGETS: '127.0.0.1',
  OPERATOR_KEY_FILE: files.operator,
  ...keys,
});

const service = withService(async () => {
  elsewhere = await newDataDir();
  files = {
    operator: join(elsewhere, 'operator'),
    old: join(elsewhere, 'old'),
    new: join(elsewhere, 'new'),
  };
  await writeFile(files.operator, `${SECRETS.operator}\n`);
  await writeFile(files.old, `${SECRETS.old}\n`);
  await writeFile(files.new, SECRETS.new);
  return settingsWith({ MASTER_KEY_FILE: files.old });
});

const command = (words: string[], keys: Record<string, string>, dataDir = service.dataDir) =>
  runCommand(words, { DATA_DIR: dataDir, COST_ANALYTICS_URL: service.url, ...keys });

describe('secrets in files', () => {
  afterAll(() => removeDataDir(elsewhere));

  it('are those of the service and of its operator', async () => {
    const create = ['org', 'create', '--name', 'Acme', '--tier', 'business', '--currency', 'USD', '--json'];
    const created = await command(create, { OPERATOR_KEY_FILE: files.operator }, elsewhere);
    expect(created).toMatchObject({ code: 0, stderr: '' });
    const { key } = JSON.parse(created.stdout) as { key: { secret: string } };
    const webhook = { url: 'http://127.0.0.1:9/', events: ['unit_cost.changed'] };
    expectData(await as(service, key.secret).post('/webhooks', webhook));
    const listed = await command(['org', 'list'], { OPERATOR_KEY_FILE: files.operator }, elsewhere);
    expect(listed).toMatchObject({ code: 0, stderr: '' });
    const both = { OPERATOR_KEY: SECRETS.operator, OPERATOR_KEY_FILE: files.operator };
    expect(await command(['org', 'list'], both)).toMatchObject({
      code: 1,
      stderr: 'cost-analytics: OPERATOR_KEY and OPERATOR_KEY_FILE: expected one of them, got both\n',
    });
  });

  it('restore a backup', async () => {
    const folder = join(service.dataDir, 'copy');
    const backedUp = await command(
      ['backup', '--to', folder],
      { OPERATOR_KEY_FILE: files.operator },
      elsewhere,
    );
    expect(backedUp).toMatchObject({ code: 0 });
    const restored = await newDataDir();
    try {
      const restore = ['restore', '--from', folder];
      expect(await command(restore, { MASTER_KEY_FILE: files.new }, restored)).toMatchObject({ code: 1 });
      expect(await command(restore, { MASTER_KEY_FILE: files.old }, restored)).toMatchObject({ code: 0 });
    } finally {
      await removeDataDir(restored);
    }
  });

  it('rotate the master key, and the doctor reads them', async () => {
    const both = { MASTER_KEY_FILE: files.new, MASTER_KEY_PREVIOUS_FILE: files.old };
    await service.stop();
    await service.start(settingsWith(both));
    const rotated = await command(['rotate-master-key'], { OPERATOR_KEY_FILE: files.operator }, elsewhere);
    expect(rotated).toMatchObject({ code: 0 });
    await service.stop();
    expect((await command(['doctor'], { MASTER_KEY_FILE: files.new })).stdout).toMatch(
      /^ok +MASTER_KEY: opens everything that is sealed$/m,
    );
    expect((await command(['doctor'], { MASTER_KEY_FILE: join(elsewhere, 'gone') })).stdout).toBe(
      'PROBLEM settings: MASTER_KEY_FILE: expected the path of a file that the process can read, got ENOENT\n',
    );
  });
});
