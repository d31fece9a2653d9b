import { execFile } from 'node:child_process';
import {
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  realpath,
  rename,
  rm,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { HeldFiles } from '../../../egress/locations/held-files.ts';

let base: string;
let root: string;

beforeAll(async () => {
  base = await realpath(await mkdtemp(join(tmpdir(), 'held-')));
  root = join(base, 'own');
  for (const folder of ['own/inner', 'other']) await mkdir(join(base, folder), { recursive: true });
  for (const file of ['own/a.csv', 'own/inner/b.csv', 'other/secret.csv'])
    await writeFile(join(base, file), file);
  await symlink(join(root, 'inner'), join(root, 'linked'));
  await symlink(join(base, 'other', 'secret.csv'), join(root, 'out.csv'));
});

afterAll(() => rm(base, { recursive: true }));

describe('held files', () => {
  it('are read as they were, even if other files take their names', async () => {
    const held = new HeldFiles();
    const paths = [join(root, 'a.csv'), join(root, 'linked/b.csv')];
    await held.hold(paths, [root]);
    await held.hold(paths, [root]);
    await rename(join(root, 'inner'), join(root, 'moved'));
    await symlink(join(base, 'other'), join(root, 'inner'));
    const [a = '', b = ''] = paths.map((path) => held.opened(path));
    expect(await readFile(a, 'utf8')).toBe('own/a.csv');
    expect(await readFile(b, 'utf8')).toBe('own/inner/b.csv');
    expect(held.named(`${a} and ${b} are odd`)).toBe(`${paths.join(' and ')} are odd`);
    await held.release();
    await rm(join(root, 'inner'));
    await rename(join(root, 'moved'), join(root, 'inner'));
  });

  it('are rejected at once if they are more than can ever be open together', async () => {
    const held = new HeldFiles(2);
    const [a, b, c] = [join(root, 'a.csv'), join(root, 'inner/b.csv'), join(root, 'c.csv')];
    await held.hold([a, b], [root]);
    await held.hold([a, b, a], [root]);
    await expect(held.hold([c], [root], 'options.x')).rejects.toThrow(
      /^options\.x: expected at most 2 files, because the service cannot hold more open, got 3: /,
    );
    await held.release();
    const { stdout } = await promisify(execFile)('sh', ['-c', 'ulimit -Sn']);
    const limit = Number(stdout);
    // Node has raised its soft limit to the hard one, which its children inherit.
    const paths = Array.from({ length: Math.min(limit, 2_000_000) }, (_, index) =>
      join(root, `${index}.csv`),
    );
    if (paths.length === limit)
      await expect(new HeldFiles().hold(paths, [root])).rejects.toThrow(`, got ${limit}: name a part`);
  });

  it('must lie under a root, and be regular files', async () => {
    await promisify(execFile)('mkfifo', [join(root, 'pipe.csv')]);
    const held = new HeldFiles();
    const before = (await readdir('/proc/self/fd')).length;
    await expect(held.hold([join(root, 'a.csv'), join(root, 'out.csv')], [root])).rejects.toThrow(
      'SOURCE_ROOTS',
    );
    for (const name of ['pipe.csv', 'inner'])
      await expect(held.hold([join(root, name)], [root], 'options.x')).rejects.toThrow(
        'options.x: expected a regular file, got a folder, pipe or device',
      );
    expect(held.opened(join(root, 'out.csv'))).toBe(join(root, 'out.csv'));
    await held.release();
    expect((await readdir('/proc/self/fd')).length).toBe(before);
  });
});
