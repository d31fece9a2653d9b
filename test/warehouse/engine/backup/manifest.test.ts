import { execFileSync } from 'node:child_process';
import { mkdtemp, rm, symlink, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readManifest, sha256Of, type BackupManifest } from '../../../../warehouse/engine/backup/manifest.ts';

const MANIFEST: BackupManifest = {
  format: 1,
  version: '0.1.0',
  schema_version: 30,
  origin: '2026-01-01 00:00:00',
  taken_at: '2026-02-07T06:00:00.000Z',
  bytes: 12,
  sha256: 'ab'.repeat(32),
  rows: { loads: 3 },
  master_keys: ['0a1b2c3d'],
};

let folder: string;
let file: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'cost-analytics-manifest-'));
  file = join(folder, 'backup.json');
});
afterEach(() => rm(folder, { recursive: true }));

describe('the manifest of a backup', () => {
  it('is read as it was written', async () => {
    await writeFile(file, JSON.stringify(MANIFEST));
    expect(await readManifest(folder)).toEqual(MANIFEST);
  });

  it('is named with what is wrong if it is damaged', async () => {
    const text = JSON.stringify(MANIFEST);
    for (const [content, reason] of [
      ['', 'expected JSON that ends with }, got text that is no JSON and ends with ""'],
      [text.slice(0, -10), 'expected JSON that ends with }, got text that is no JSON and ends with "0"'],
      ['[]', 'expected type object, got a list of 0 items'],
      [JSON.stringify({ ...MANIFEST, format: 2 }), 'format: expected 1, got 2'],
      [JSON.stringify({ ...MANIFEST, bytes: '12' }), 'bytes: expected type number, got "12"'],
      [JSON.stringify({ ...MANIFEST, taken_at: 'today' }), 'taken_at: expected a datetime, got "today"'],
      [JSON.stringify({ ...MANIFEST, sha256: 'ab' }), 'sha256: expected 64 hexadecimal digits, got "ab"'],
      [JSON.stringify({ ...MANIFEST, rows: { loads: null } }), 'rows.loads: expected type number, got null'],
      [
        JSON.stringify({ ...MANIFEST, master_keys: undefined }),
        'master_keys: expected type array, got nothing',
      ],
    ] as const) {
      await writeFile(file, content);
      await expect(readManifest(folder)).rejects.toThrow(
        `${file} is damaged: ${reason}. Take another backup`,
      );
    }
    await truncate(file, 2 ** 21);
    await expect(readManifest(folder)).rejects.toThrow('expected at most 1048576 bytes, got 2097152');
  });

  it('is refused at once if it is a fifo, a device or a folder', async () => {
    await expect(readManifest(folder)).rejects.toThrow('is not a complete backup: it has no backup.json');
    execFileSync('mkfifo', [file]);
    await expect(readManifest(folder)).rejects.toThrow(`${file}: expected a regular file, got a fifo`);
    await expect(sha256Of(file)).rejects.toThrow('got a fifo');
    await rm(file);
    await symlink('/dev/zero', file);
    await expect(readManifest(folder)).rejects.toThrow(`${file}: expected a regular file, got a device`);
    await rm(file);
    await symlink('.', file);
    await expect(readManifest(folder)).rejects.toThrow(`${file}: expected a regular file, got a folder`);
    await expect(readManifest(file)).rejects.toThrow('got a folder');
  });
});
