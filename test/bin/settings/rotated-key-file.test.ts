import { randomBytes } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { knownMasterKeys, makeMasterKey } from '../../../bin/settings/master-key.ts';
import { rotatedKeyFile } from '../../../bin/settings/rotated-key-file.ts';
import { masterKeyId } from '../../../security/sealing.ts';

/** The file of the master key during a rotation from `old` to `fresh`. */
describe('master.key', () => {
  const [old, fresh, other] = [randomBytes(32), randomBytes(32), randomBytes(32)] as const;
  const rotation = { current: fresh, previous: old };
  const SETTINGS = { MASTER_KEY: null, MASTER_KEY_PREVIOUS: null };
  const kept = (key: Buffer): string => `master.key.${masterKeyId(key)}`;

  let dataDir: string;
  beforeEach(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'cost-analytics-test-'));
  });
  afterEach(() => rm(dataDir, { recursive: true }));

  const put = (name: string, key: Buffer) => writeFile(join(dataDir, name), `${key.toString('base64')}\n`);
  /** Returns the names of the files, with the key in each. */
  const files = async (): Promise<Record<string, string>> => {
    const names = await readdir(dataDir);
    return Object.fromEntries(
      await Promise.all(
        names.map(async (name) => [name, (await readFile(join(dataDir, name), 'utf8')).trim()] as const),
      ),
    );
  };
  const text = (key: Buffer): string => key.toString('base64');
  const known = () => knownMasterKeys({ ...SETTINGS, dataDir });

  it('gets the new key after the last text, and keeps the old one for backups', async () => {
    await put('master.key', old);
    const { begin, finish } = rotatedKeyFile(dataDir, rotation);
    await begin();
    await begin();
    expect(await files()).toEqual({ 'master.key': text(old), 'master.key.next': text(fresh) });
    // A start without settings opens everything meanwhile, and seals with the new key.
    expect(await known()).toEqual({ current: fresh, previous: old });
    expect(await finish()).toEqual({
      key_file: join(dataDir, 'master.key'),
      old_key_file: join(dataDir, kept(old)),
    });
    expect(await files()).toEqual({ 'master.key': text(fresh), [kept(old)]: text(old) });
    expect((await stat(join(dataDir, 'master.key'))).mode & 0o777).toBe(0o600);
    expect(await known()).toEqual({ current: fresh, previous: null });
    expect(await finish()).toBeNull();
  });

  it('gets the new key if a rotation was killed before its end, or between its last two steps', async () => {
    await put('master.key', old);
    await put(kept(old), old);
    await put('master.key.next', fresh);
    await rotatedKeyFile(dataDir, rotation).finish();
    expect(await files()).toEqual({ 'master.key': text(fresh), [kept(old)]: text(old) });
  });

  it('loses no key of a rotation that was given up', async () => {
    await put('master.key', old);
    await put('master.key.next', other);
    await rotatedKeyFile(dataDir, rotation).finish();
    expect(await files()).toEqual({
      'master.key': text(fresh),
      [kept(old)]: text(old),
      [kept(other)]: text(other),
    });
  });

  it('stays as it is if the old key came from a setting', async () => {
    for (const keys of [rotation, { current: fresh, previous: null }, { current: old, previous: old }]) {
      await put('master.key', keys.previous === old && keys.current === fresh ? other : old);
      const before = await files();
      const { begin, finish } = rotatedKeyFile(dataDir, keys);
      await begin();
      expect(await finish()).toBeNull();
      expect(await files()).toEqual(before);
    }
    await rm(join(dataDir, 'master.key'));
    expect(await rotatedKeyFile(dataDir, rotation).finish()).toBeNull();
    expect(await files()).toEqual({});
  });

  it('is made once, and never again over a key or a damaged file', async () => {
    expect(await known()).toBeNull();
    await makeMasterKey(dataDir);
    const made = await files();
    await makeMasterKey(dataDir);
    expect(await files()).toEqual(made);
    expect(await knownMasterKeys({ ...SETTINGS, MASTER_KEY: other, dataDir })).toEqual({
      current: other,
      previous: null,
    });
    await writeFile(join(dataDir, 'master.key'), 'damaged\n');
    await expect(known()).rejects.toThrow(/master\.key: expected base64 of 32 bytes/);
  });
});
