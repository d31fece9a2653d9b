import { mkdir, realpath, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { exportFiles } from '../../activities/export-location.ts';
import { parsePrivateTargets } from '../../egress/private-targets.ts';
import { openDuckDb, type TestWarehouse } from '../support/engines.ts';

describe('the files of a location', () => {
  let test: TestWarehouse;
  let root: string;
  let stories = 0;
  beforeAll(async () => {
    test = await openDuckDb();
  });
  afterAll(() => test.close());
  beforeEach(async () => {
    stories += 1;
    root = join(await realpath(test.directory), `story ${stories}`, 'exports');
    await mkdir(root, { recursive: true });
  });

  const write = async (files: Record<string, string>): Promise<void> => {
    for (const [name, content] of Object.entries(files)) {
      const path = join(root, name);
      await mkdir(dirname(path), { recursive: true });
      await writeFile(path, content);
    }
  };
  /** The files below the root, by their paths relative to it. */
  const filesOf = async (location: string): Promise<string[]> => {
    const files = await test.warehouse.session((session) =>
      exportFiles(session, location, { roots: [root], privateTargets: parsePrivateTargets('') }),
    );
    return files.map((file) => (file.startsWith(`${root}/`) ? file.slice(root.length + 1) : file));
  };

  it('are the one it names', async () => {
    await write({ 'a.csv': 'x', 'b.csv': 'x' });
    expect(await filesOf(`${root}/a.csv`)).toEqual(['a.csv']);
    expect(await filesOf(`file://${encodeURI(root)}/a.csv`)).toEqual(['a.csv']);
  });

  it('are all below a folder that can be read, at any depth, in order', async () => {
    await write({
      'b.csv': 'x',
      'a.csv.gz': 'x',
      'deep/er/c.parquet': 'x',
      'README.md': 'x',
      'deep/notes.txt': 'x',
    });
    expect(await filesOf(root)).toEqual(['a.csv.gz', 'b.csv', 'deep/er/c.parquet']);
    expect(await filesOf(`${root}/`)).toEqual(['a.csv.gz', 'b.csv', 'deep/er/c.parquet']);
  });

  it('are those that a glob matches', async () => {
    await write({ '2026-01/a.csv': 'x', '2026-02/a.csv': 'x', '2026-02/a.json': 'x' });
    expect(await filesOf(`${root}/2026-0[2-9]/*`)).toEqual(['2026-02/a.csv']);
    expect(await filesOf(`${root}/**/*.csv`)).toEqual(['2026-01/a.csv', '2026-02/a.csv']);
  });

  it('must be there', async () => {
    for (const name of ['none.csv', '*.csv', '']) {
      await expect(filesOf(`${root}/${name}`)).rejects.toMatchObject({
        kind: 'invalid',
        message: `location: no .csv, .csv.gz or .parquet file matches ${JSON.stringify(`${root}/${name}`)}`,
      });
    }
  });

  it('must lie under the roots, also behind a link', async () => {
    const secret = join(dirname(root), 'secret.csv');
    await writeFile(secret, 'x');
    await expect(filesOf(secret)).rejects.toThrow('SOURCE_ROOTS');
    await symlink(secret, join(root, 'link.csv'));
    await expect(filesOf(`${root}/link.csv`)).rejects.toThrow('SOURCE_ROOTS');
    await expect(filesOf(`${root}/*.csv`)).rejects.toThrow('SOURCE_ROOTS');
  });

  it('are the URL itself for http, once it may be reached', async () => {
    const url = 'https://1.1.1.1/focus.csv.gz?signature=abc';
    expect(await filesOf(url)).toEqual([url]);
    await expect(filesOf('http://127.0.0.1/focus.csv')).rejects.toThrow('PRIVATE_TARGETS');
  });

  describe('of an AWS Data Export', () => {
    const manifest = (...files: string[]): string =>
      JSON.stringify({
        dataFiles: files.map((file) => `s3://bucket/prefix/focus/data/${file}`),
        executionId: 'e',
      });

    it('are those that the manifest of each partition names', async () => {
      await write({
        'focus/data/BILLING_PERIOD=2026-01/focus-00001.csv.gz': 'x',
        'focus/data/BILLING_PERIOD=2026-01/focus-00002.csv.gz': 'left from a longer delivery',
        'focus/data/BILLING_PERIOD=2026-02/run-1/focus-00001.csv.gz': 'older',
        'focus/data/BILLING_PERIOD=2026-02/run-2/focus-00001.csv.gz': 'x',
        'focus/data/BILLING_PERIOD=2026-03/focus-00001.csv.gz': 'no manifest yet',
        'focus/metadata/BILLING_PERIOD=2026-01/focus-Manifest.json': manifest(
          'BILLING_PERIOD=2026-01/focus-00001.csv.gz',
        ),
        'focus/metadata/BILLING_PERIOD=2026-02/focus-Manifest.json': manifest(
          'BILLING_PERIOD=2026-02/run-2/focus-00001.csv.gz',
        ),
        'focus/metadata/BILLING_PERIOD=2026-02/run-1/focus-Manifest.json': manifest(
          'BILLING_PERIOD=2026-02/run-1/focus-00001.csv.gz',
        ),
        'focus/metadata/BILLING_PERIOD=2026-02/run-2/focus-Manifest.json': manifest(
          'BILLING_PERIOD=2026-02/run-2/focus-00001.csv.gz',
        ),
      });
      const current = [
        'focus/data/BILLING_PERIOD=2026-01/focus-00001.csv.gz',
        'focus/data/BILLING_PERIOD=2026-02/run-2/focus-00001.csv.gz',
        'focus/data/BILLING_PERIOD=2026-03/focus-00001.csv.gz',
      ];
      expect(await filesOf(`${root}/focus`)).toEqual(current);
      expect(await filesOf(`${root}/focus/data`)).toEqual(current);
      expect(await filesOf(`${root}/focus/data/**/*.csv.gz`)).toEqual(current);
      expect(await filesOf(`${root}/focus/data/BILLING_PERIOD=2026-02`)).toEqual([current[1]]);
    });

    it('are refused while one that is named is missing', async () => {
      await write({
        'focus/data/BILLING_PERIOD=2026-01/focus-00001.csv.gz': 'x',
        'focus/metadata/BILLING_PERIOD=2026-01/focus-Manifest.json': manifest(
          'BILLING_PERIOD=2026-01/focus-00001.csv.gz',
          'BILLING_PERIOD=2026-01/focus-00002.csv.gz',
        ),
      });
      await expect(filesOf(`${root}/focus`)).rejects.toMatchObject({
        kind: 'invalid',
        message:
          'location: a manifest names 1 files that are not there, ' +
          'first "s3://bucket/prefix/focus/data/BILLING_PERIOD=2026-01/focus-00002.csv.gz"',
      });
    });

    it('are refused when the manifest is none', async () => {
      for (const content of ['{ half', '[]', '{"dataFiles": "one.csv"}', '{"files": []}', '']) {
        await write({ 'focus.csv': 'x', 'focus-Manifest.json': content });
        await expect(filesOf(root)).rejects.toMatchObject({
          kind: 'invalid',
          message: expect.stringMatching(
            /focus-Manifest\.json" is no manifest: expected JSON with dataFiles$/,
          ) as string,
        });
      }
    });

    it('are told by a manifest beside them, in the older form too', async () => {
      await write({
        'jan/cur-1.csv.gz': 'x',
        'jan/old-1.csv.gz': 'x',
        'jan/cur-Manifest.json': JSON.stringify({ reportKeys: ['prefix/report/jan/cur-1.csv.gz'] }),
      });
      expect(await filesOf(`${root}/jan`)).toEqual(['jan/cur-1.csv.gz']);
    });

    it('are told by a manifest beside them below a folder called data, the default of the service', async () => {
      await write({
        'data/exports/acme/focus-1.csv': 'x',
        'data/exports/acme/old-1.csv': 'x',
        'data/exports/acme/focus-Manifest.json': JSON.stringify({
          dataFiles: ['s3://bucket/acme/focus-1.csv'],
        }),
      });
      expect(await filesOf(`${root}/data/exports/acme`)).toEqual(['data/exports/acme/focus-1.csv']);
    });

    it('do not depend on manifests that lie outside the roots', async () => {
      // The root is <base>/data: its neighbour <base>/metadata is the operator's and no tenant's.
      const base = root;
      await write({ 'data/focus.csv': 'x', 'metadata/private-Manifest.json': 'not for tenants' });
      root = join(base, 'data');
      expect(await filesOf(root)).toEqual(['focus.csv']);
    });
  });
});
