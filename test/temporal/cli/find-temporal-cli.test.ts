import { writeFileSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { defaultCliCacheDir } from '../../../temporal/cli/cli-cache.ts';
import { findTemporalCli } from '../../../temporal/cli/find-temporal-cli.ts';
import { FAKE_GO, FAKE_TEMPORAL, folderWithPrograms } from './fake-programs.ts';

describe('findTemporalCli', () => {
  let dir: string;
  let cacheDir: string;
  let lines: string[];

  beforeEach(async () => {
    dir = await mkdtemp(join(tmpdir(), 'find-cli-'));
    cacheDir = join(dir, 'cache');
    lines = [];
  });
  afterEach(async () => {
    await rm(dir, { recursive: true, force: true });
  });

  /** The proxy is a closed port, so that the download by the SDK fails at once, on any machine. */
  const search = (...path: string[]): Promise<string> =>
    findTemporalCli({
      env: { PATH: path.join(':'), HTTPS_PROXY: 'http://127.0.0.1:9' },
      progress: (line) => lines.push(line),
      looked: (line) => lines.push(line),
      cacheDir,
    });

  it('uses the CLI on the PATH, and skips one that does not run', async () => {
    const broken = await folderWithPrograms(join(dir, 'broken'), { temporal: 'exit 1' });
    const stranger = await folderWithPrograms(join(dir, 'stranger'), { temporal: 'echo poetry 3' });
    const good = await folderWithPrograms(join(dir, 'good'), { temporal: FAKE_TEMPORAL });
    expect(await search(join(dir, 'missing'), broken, stranger, good)).toBe(join(good, 'temporal'));
    expect(lines.join('\n')).toContain(`found ${join(broken, 'temporal')}, which does not run`);
  });

  it('uses the cached copy if the PATH has none', async () => {
    await folderWithPrograms(cacheDir, { 'temporal-1.5.1': FAKE_TEMPORAL });
    expect(await search()).toBe(join(cacheDir, 'temporal-1.5.1'));
    expect(lines).toEqual([
      'Temporal: looking on the PATH … not found',
      expect.stringContaining(`found ${join(cacheDir, 'temporal-1.5.1')}`),
    ]);
  });

  it('builds with Go if the download fails, and shows every step', async () => {
    const go = await folderWithPrograms(join(dir, 'go'), { go: FAKE_GO });
    // A cached copy that does not run is replaced, and a staging folder of a killed process is removed.
    await folderWithPrograms(cacheDir, { 'temporal-1.5.1': 'exit 1' });
    await mkdir(join(cacheDir, 'staging-old'));
    await utimes(join(cacheDir, 'staging-old'), 0, 0);

    const cli = await search(go);

    expect(cli).toBe(join(cacheDir, 'temporal-1.5.1'));
    expect(await readFile(cli, 'utf8')).toContain(FAKE_TEMPORAL);
    expect(await readdir(cacheDir)).toEqual(['temporal-1.5.1']);
    expect(lines).toEqual([
      expect.stringMatching(/on the PATH … not found/),
      expect.stringMatching(/cached copy at .* which does not run/),
      expect.stringMatching(/with the Temporal SDK … started/),
      expect.stringMatching(/with the Temporal SDK … failed: .*temporal\.download/s),
      expect.stringMatching(/go install github\.com\/temporalio\/cli\/cmd\/temporal@v1\.5\.1 .* … started/),
      expect.stringMatching(/go install .* … done, kept as/),
    ]);
  });

  it('reports how far a long build is', async () => {
    // The build waits until its state was reported.
    const seen = join(dir, 'seen');
    const go = await folderWithPrograms(join(dir, 'go'), {
      go: [
        'echo "go: downloading example.com/a v1.0.0" >&2',
        'echo "go: downloading example.com/b v1.0.0" >&2',
        'echo "example.com/a" >&2',
        `while [ ! -e '${seen}' ]; do /bin/sleep 0.1; done`,
        FAKE_GO,
      ].join('\n'),
    });
    const state = /go install .* … (\d+ s, 2 modules downloaded, 1 packages compiled \(example\.com\/a\))$/;
    await findTemporalCli({
      env: { PATH: go, HTTPS_PROXY: 'http://127.0.0.1:9' },
      progress: (line) => {
        lines.push(line);
        if (state.test(line)) writeFileSync(seen, '');
      },
      cacheDir,
    });
    expect(lines.some((line) => state.test(line))).toBe(true);
  });

  it('builds once if several processes need it', async () => {
    const go = await folderWithPrograms(join(dir, 'go'), { go: FAKE_GO });
    const found = await Promise.all([search(go), search(go), search(go)]);
    expect(new Set(found)).toEqual(new Set([join(cacheDir, 'temporal-1.5.1')]));
    expect(await readdir(cacheDir)).toEqual(['temporal-1.5.1']);
    expect(lines.filter((line) => /go install .* … started/.test(line))).toHaveLength(1);
    expect(lines).toContain('Temporal: another process is getting it … waiting, 0 s');
  });

  it('does not wait for a process that was killed', async () => {
    const go = await folderWithPrograms(join(dir, 'go'), { go: FAKE_GO });
    await mkdir(cacheDir);
    await writeFile(join(cacheDir, 'installing-1.5.1'), '');
    await utimes(join(cacheDir, 'installing-1.5.1'), 0, 0);
    await search(go);
    expect(await readdir(cacheDir)).toEqual(['temporal-1.5.1']);
  });

  it('lists the ways to get a CLI if nothing works, with the reason of each failure', async () => {
    const go = await folderWithPrograms(join(dir, 'go'), { go: 'echo "dial tcp: no route" >&2; exit 1' });
    const error = await search(go).catch(String);
    for (const way of ['TEMPORAL_ADDRESS', 'on the PATH', cacheDir, 'temporal.download', 'install Go']) {
      expect(error).toContain(way);
    }
    expect(error).toContain('dial tcp: no route');
  });

  it('lists the ways to get a CLI if the cache cannot be written', async () => {
    await writeFile(cacheDir, 'a file where the folder should be');
    await expect(search()).rejects.toThrow(/TEMPORAL_ADDRESS[^]*expected a folder/);
  });
});

describe('defaultCliCacheDir', () => {
  it('follows XDG_CACHE_HOME if it is absolute', () => {
    expect(defaultCliCacheDir({ XDG_CACHE_HOME: '/x' })).toBe('/x/cost-analytics');
    expect(defaultCliCacheDir({ XDG_CACHE_HOME: 'x' })).toMatch(/\/\.cache\/cost-analytics$/);
    expect(defaultCliCacheDir({})).toMatch(/\/\.cache\/cost-analytics$/);
  });
});
