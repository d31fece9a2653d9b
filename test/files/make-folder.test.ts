import { mkdtemp, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeFolder } from '../../files/make-folder.ts';
import { makeWritableFolder } from '../../files/make-writable-folder.ts';
import { UnusablePath } from '../../files/unusable-path.ts';

let base: string;

beforeAll(async () => {
  base = await mkdtemp(join(tmpdir(), 'cost-analytics-folder-'));
});
afterAll(() => rm(base, { recursive: true }));

describe('a new folder', () => {
  it('is made with the missing ones above it, once', async () => {
    const folder = join(base, 'one/two/three');
    expect([await makeFolder(folder), await makeFolder(folder)]).toEqual([true, false]);
    expect((await stat(folder)).isDirectory()).toBe(true);
    await symlink(folder, join(base, 'link'));
    expect(await makeFolder(join(base, 'link'))).toBe(false);
    expect(await makeFolder(join(base, 'link/four'))).toBe(true);
  });

  it('is made once, although several ask for it', async () => {
    const folder = join(base, 'at/once');
    const made = await Promise.all(Array.from({ length: 8 }, () => makeFolder(folder)));
    expect(made.filter(Boolean)).toHaveLength(1);
  });

  it('is refused at once with a reason where none can be made', async () => {
    const file = join(base, 'file');
    await writeFile(file, '');
    for (const [path, reason] of [
      ['/proc/x', 'the file system there takes no new files or folders'],
      ['/proc/x/y/z', 'the file system there takes no new files or folders'],
      ['/dev/null', 'it is there already, and is no folder'],
      ['/dev/null/x', 'a part of this path is a file, not a folder'],
      [file, 'it is there already, and is no folder'],
      [join(file, 'x/y'), 'a part of this path is a file, not a folder'],
      [join(base, 'n'.repeat(300)), 'the name is too long'],
    ] as const) {
      const refusal = new UnusablePath(`${path}: expected a folder that can be made, but ${reason}`);
      await expect(makeFolder(path)).rejects.toEqual(refusal);
      await expect(makeWritableFolder(path)).rejects.toEqual(refusal);
    }
  });
});
