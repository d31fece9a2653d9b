import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readSettings, SECRETS } from '../../../bin/settings/settings.ts';

/** Secrets from files: the second form `NAME_FILE` of a setting. */
const KEY = 'an operator key of a file';

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'cost-analytics-secrets-'));
});

afterAll(() => rm(folder, { recursive: true, force: true }));

/** Writes a file and returns its path. */
async function file(name: string, content: string | Buffer): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, content);
  return path;
}

/** Returns the lines of the error with which the settings are refused. */
function refusal(env: Record<string, string>): string[] {
  try {
    readSettings(env);
  } catch (error) {
    return error instanceof Error ? error.message.split('\n') : [];
  }
  return [];
}

describe('a secret setting', () => {
  it('takes the content of its file without the last line break', async () => {
    const paths = [
      await file('plain', KEY),
      await file('unix', `${KEY}\n`),
      await file('windows', `${KEY}\r\n`),
      join(folder, 'link'),
    ];
    // Kubernetes mounts each secret as a link.
    await symlink(join(folder, 'unix'), join(folder, 'link'));
    for (const OPERATOR_KEY_FILE of paths)
      expect(readSettings({ OPERATOR_KEY_FILE })).toMatchObject({ OPERATOR_KEY: KEY });

    const masterKey = randomBytes(32);
    const warehouse = "ducklake:postgres:host=db user=costs password='two words'";
    const settings = readSettings({
      MASTER_KEY_FILE: await file('master', `${masterKey.toString('base64')}\n`),
      WAREHOUSE_FILE: await file('warehouse', `${warehouse}\n`),
    });
    expect(settings).toMatchObject({ MASTER_KEY: masterKey, warehouse });
  });

  it.each(SECRETS)('%s has the form', async (name) => {
    const value = name.startsWith('MASTER_KEY')
      ? randomBytes(32).toString('base64')
      : 'http://user:password@127.0.0.1:4318';
    const path = await file(name, `${value}\n`);
    const fromFile = readSettings({ [`${name}_FILE`]: path });
    expect(fromFile).toEqual(readSettings({ [name]: value }));
    expect(fromFile).not.toEqual(readSettings({}));
  });

  it('is every setting that is named like one', () => {
    const named = Object.keys(readSettings({})).filter((name) =>
      /KEY|SECRET|TOKEN|PASSWORD|HEADERS/.test(name),
    );
    // The value of this one is a path already.
    expect(named.filter((name) => !SECRETS.includes(name))).toEqual(['TEMPORAL_TLS_KEY']);
  });

  it('is refused in both forms, unless one of them is empty', async () => {
    const path = await file('key', KEY);
    expect(refusal({ OPERATOR_KEY: 'x'.repeat(16), OPERATOR_KEY_FILE: path })).toEqual([
      'OPERATOR_KEY and OPERATOR_KEY_FILE: expected one of them, got both',
    ]);
    expect(readSettings({ OPERATOR_KEY: ' ', OPERATOR_KEY_FILE: path })).toMatchObject({ OPERATOR_KEY: KEY });
    expect(readSettings({ OPERATOR_KEY: KEY, OPERATOR_KEY_FILE: '' })).toMatchObject({ OPERATOR_KEY: KEY });
  });

  it('names each file that cannot be used, and repeats neither content nor path', async () => {
    const pipe = join(folder, 'pipe');
    execFileSync('mkfifo', [pipe]);
    const used = {
      OPERATOR_KEY_FILE: await file('short', 'Sesame'),
      MASTER_KEY_FILE: await file('no-key', 'Sesame, open'),
      MASTER_KEY_PREVIOUS_FILE: await file('empty', ' \n'),
      WAREHOUSE_FILE: folder,
      TEMPORAL_API_KEY_FILE: pipe,
      AWS_ACCESS_KEY_ID_FILE: '/dev/zero',
      AWS_SECRET_ACCESS_KEY_FILE: await file('long', 'x'.repeat(65_537)),
      AWS_SESSION_TOKEN_FILE: await file('bytes', Buffer.from([0xff, 0xfe, 0x00])),
      // Somebody has taken the setting for the secret.
      OTEL_EXPORTER_OTLP_HEADERS_FILE: 'api-key=Sesame',
    };
    const lines = refusal(used);
    const special = 'expected a regular file, got a folder, a pipe or a device';
    expect(lines.sort()).toEqual([
      `AWS_ACCESS_KEY_ID_FILE: ${special}`,
      'AWS_SECRET_ACCESS_KEY_FILE: expected a file of at most 65536 bytes',
      'AWS_SESSION_TOKEN_FILE: expected text in UTF-8',
      'MASTER_KEY_FILE: expected base64 of 32 bytes (openssl rand -base64 32)',
      'MASTER_KEY_PREVIOUS_FILE: expected a file with a value, got an empty one',
      'OPERATOR_KEY_FILE: expected at least 16 characters',
      'OTEL_EXPORTER_OTLP_HEADERS_FILE: expected the path of a file that the process can read, got ENOENT',
      `TEMPORAL_API_KEY_FILE: ${special}`,
      `WAREHOUSE_FILE: ${special}`,
    ]);
    expect(lines.join()).not.toContain('Sesame');
  });
});
