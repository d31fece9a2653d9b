import { chmod, mkdir, realpath, rm, symlink, truncate, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { exportFiles } from '../../../activities/sources/export-location.ts';
import { HeldFiles } from '../../../egress/locations/held-files.ts';
import { parsePrivateTargets } from '../../../egress/requests/private-targets.ts';
import { NO_BUCKETS } from '../../../domain/sources/exports/object-storage.ts';
import { connectObjectStorage } from '../../../warehouse/engine/remote-files.ts';
import { openDuckDb } from '../../support/warehouse/engines.ts';
import { lacking } from '../../support/needs.ts';
import { startFakeS3 } from '../../support/fakes/fake-s3.ts';
import { withOpened } from '../../support/with-opened.ts';

const why = lacking('extensions');

const NOW = new Date('2026-07-01T00:00:00Z');

describe('a location', () => {
  const test = withOpened(openDuckDb);
  let root: string;
  let stories = 0;
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
  /** Returns the files of a location, by their paths relative to the root. */
  const filesOf = async (location: string): Promise<string[]> => {
    const held = new HeldFiles();
    const { files, notes } = await test.warehouse.session((session) =>
      exportFiles(session, location, { roots: [root], privateTargets: parsePrivateTargets('') }, held, {
        now: NOW,
      }),
    );
    await held.release();
    lastNotes = notes.map((note) => note.replaceAll(`${root}/`, ''));
    return files.map((file) => (file.startsWith(`${root}/`) ? file.slice(root.length + 1) : file));
  };
  let lastNotes: string[];

  it('reads the one file that it names', async () => {
    await write({ 'a.csv': 'x', 'b.csv': 'x' });
    expect(await filesOf(`${root}/a.csv`)).toEqual(['a.csv']);
    expect(await filesOf(`file://${encodeURI(root)}/a.csv`)).toEqual(['a.csv']);
  });

  it('reads all exports below a folder, at any depth, in order', async () => {
    await write({
      'b.csv': 'x',
      'a.csv.gz': 'x',
      'deep/er/c.parquet': 'x',
      'README.md': 'x',
      'deep/notes.txt': 'x',
    });
    expect(await filesOf(root)).toEqual(['a.csv.gz', 'b.csv', 'deep/er/c.parquet']);
    await symlink(join(root, 'b.csv'), join(root, 'deep/link.csv'));
    expect(await filesOf(root)).toEqual(['a.csv.gz', 'b.csv', 'deep/er/c.parquet', 'deep/link.csv']);
    await rm(join(root, 'deep/link.csv'));
    expect(await filesOf(`${root}/`)).toEqual(['a.csv.gz', 'b.csv', 'deep/er/c.parquet']);
  });

  it('reads the files that match a glob', async () => {
    await write({ '2026-01/a.csv': 'x', '2026-02/a.csv': 'x', '2026-02/a.json': 'x' });
    expect(await filesOf(`${root}/2026-0[2-9]/*`)).toEqual(['2026-02/a.csv']);
    expect(await filesOf(`${root}/**/*.csv`)).toEqual(['2026-01/a.csv', '2026-02/a.csv']);
  });

  it.each([
    ['Delta Lake', 'lake/bill/_delta_log/00000000000000000000.json', '_delta_log'],
    ['Delta Lake', 'lake/bill/_delta_log/00000000000000000010.checkpoint.parquet', '_delta_log'],
    ['Apache Hudi', 'lake/bill/.hoodie/hoodie.properties', '.hoodie'],
    ['Apache Iceberg', 'lake/bill/metadata/00000-1f0c.metadata.json', 'metadata/*.metadata.json'],
  ])('is rejected with what to do if it holds a table of %s', async (format, file, has) => {
    await write({ [file]: '{}', 'lake/bill/data/day=2026-01-31/a.parquet': 'x', 'plain/a.csv': 'x' });
    const message =
      `location: "${root}/lake/bill/" has ${has}, so it is a table of ${format}: its files also hold rows that were deleted or ` +
      'replaced, and would count them; export its current rows as CSV or Parquet to a folder of their own';
    for (const location of [
      'lake',
      'lake/bill',
      'lake/**/*.parquet',
      'lake/bill/data/*/*',
      'lake/bill/data/day=2026-01-31',
    ])
      await expect(filesOf(`${root}/${location}`)).rejects.toThrow(message);
    expect(await filesOf(`${root}/plain`)).toEqual(['plain/a.csv']);
  });

  it('reads exports beside a table, and folders whose names only look like parts of one', async () => {
    await write({
      'table/_delta_log/0.json': '{}',
      'exports/metadata/acme-Manifest.json': JSON.stringify({ dataFiles: ['exports/data/a.csv'] }),
      'exports/data/a.csv': 'x',
      'metadata/notes.json': '{}',
      'metadata/b.csv': 'x',
    });
    expect(await filesOf(root)).toEqual(['exports/data/a.csv', 'metadata/b.csv']);
  });

  it('is rejected if no export matches it', async () => {
    for (const name of ['none.csv', '*.csv', '']) {
      await expect(filesOf(`${root}/${name}`)).rejects.toMatchObject({
        kind: 'invalid',
        message:
          `location: no .csv, .csv.gz or .parquet file matches ${JSON.stringify(`${root}/${name}`)}; ` +
          'nothing is there: check the path, or wait until the export has written its first files',
      });
    }
  });

  it('is rejected outside the roots, even behind a link', async () => {
    const secret = join(dirname(root), 'secret.csv');
    await writeFile(secret, 'x');
    await expect(filesOf(secret)).rejects.toThrow('SOURCE_ROOTS');
    await symlink(secret, join(root, 'link.csv'));
    await expect(filesOf(`${root}/link.csv`)).rejects.toThrow('SOURCE_ROOTS');
    await expect(filesOf(`${root}/*.csv`)).rejects.toThrow('SOURCE_ROOTS');
    await expect(filesOf(root)).rejects.toThrow('SOURCE_ROOTS');
  });

  it('does not reveal file names outside the roots', async () => {
    const secret = join(dirname(root), 'secret');
    for (const run of ['one', 'two']) {
      const folder = join(secret, 'daily/20260601-20260630', run);
      await mkdir(folder, { recursive: true });
      await writeFile(join(folder, 'part.csv'), 'x');
    }
    await symlink(secret, join(root, 'link'));
    await expect(filesOf(`${root}/l*/**`)).rejects.toThrow(/^location: a local file must lie under [^"]*$/);
  });

  it('reads an http URL itself, if its host may be reached', async () => {
    const url = 'https://1.1.1.1/focus.csv.gz?signature=abc';
    expect(await filesOf(url)).toEqual([url]);
    await expect(filesOf('http://127.0.0.1/focus.csv')).rejects.toThrow('PRIVATE_TARGETS');
  });

  it('finds the same files as DuckDB, by any glob', async () => {
    await write({
      'a.csv': 'x',
      '.hidden.csv': 'x',
      'r1.csv': 'x',
      'r[1].csv': 'x',
      'é.csv': 'x',
      '\u{1f600}.csv': 'x',
      '\uffee.csv': 'x',
      'd/b.csv': 'x',
      'd/e/c.csv': 'x',
      'd/e/f/g.parquet': 'x',
      'd.csv/x.csv': 'x',
      '[old]/z.csv': 'x',
    });
    await symlink(join(root, 'd'), join(root, 'link'));
    await symlink(join(root, 'a.csv'), join(root, 'd/link.csv'));
    const found: Record<string, string[]> = {};
    const expected: Record<string, string[]> = {};
    for (const glob of [
      '*',
      '*.csv',
      '**/*',
      '*/**/*',
      '*/*.csv',
      '*/b.csv',
      'l*/**/*.csv',
      '**/*/*.csv',
      '**/e/*',
      'd/**/f/*',
      'r[1].csv',
      'r[12].csv',
      '[[]old]/*.csv',
      '[!a-z]*/*',
      '?.csv*/*',
      '**.csv',
      '[a-z]*v',
      'd/[.]*/*.csv',
    ]) {
      const rows = await test.warehouse.session((session) =>
        session.query<{ file: string }>('SELECT file FROM glob($pattern) ORDER BY file', {
          pattern: `${root}/${glob}`,
        }),
      );
      expected[glob] = rows.map(({ file }) => file.slice(root.length + 1));
      found[glob] = await filesOf(`${root}/${glob}`).catch(() => []);
    }
    expect(found).toEqual(expected);
  });

  it('matches a glob with many stars without delay', async () => {
    await write({ [`${'a'.repeat(240)}.csv`]: 'x' });
    await expect(filesOf(`${root}/${'*a'.repeat(30)}*b.csv`)).rejects.toThrow('no .csv');
  });

  it('reads a folder whose name has the characters of a glob', async () => {
    await write({ '[old] *a*a/x.csv': 'x', '[old] *a*a/sub/[1]-Manifest.json': '{', 'o/y.csv': 'x' });
    expect(await filesOf(`${root}/[old] *a*a`)).toEqual(['[old] *a*a/x.csv']);
    expect(await filesOf(`${root}/[old] *a*a/x.csv`)).toEqual(['[old] *a*a/x.csv']);
    expect(await filesOf(`${root}/*old*/*`)).toEqual(['[old] *a*a/x.csv']);
  });

  it('leaves out linked folders and broken links, with a note', async () => {
    await write({ 'a.csv': 'x', 'd/b.csv': 'x' });
    await symlink(join(root, 'd'), join(root, 'link'));
    await symlink(join(root, 'gone'), join(root, 'd/dead.csv'));
    await symlink(join(root, 'gone'), join(root, 'd/dead.txt'));
    expect(await filesOf(root)).toEqual(['a.csv', 'd/b.csv']);
    expect(lastNotes).toEqual([
      'link is a link to a folder and was left out',
      'd/dead.csv is a broken link and was left out',
    ]);
    expect(await filesOf(`${root}/l*/*.csv`)).toEqual(['link/b.csv']);
  });

  it('is rejected if a folder or file cannot be read', async () => {
    await write({ 'team-a/a.csv': 'x', 'team-b/b.csv': 'x', 'team-b/sub/c.csv': 'x' });
    await asUnprivileged(async () => {
      await expect(filesOf(root)).rejects.toMatchObject({
        kind: 'invalid',
        message: `location: the folder "${root}/team-b" cannot be read (EACCES); nothing was loaded`,
      });
      await expect(filesOf(`${root}/*/b.csv`)).rejects.toMatchObject({
        kind: 'invalid',
        message: `location: the file "${root}/team-b/b.csv" cannot be read (EACCES); nothing was loaded`,
      });
      expect(await filesOf(`${root}/team-a`)).toEqual(['team-a/a.csv']);
    });
  });

  /** Runs `work` as a user who cannot read `team-b`. Root gives up its rights for it, because root can read everything. */
  const asUnprivileged = async (work: () => Promise<void>): Promise<void> => {
    const isRoot = process.getuid?.() === 0;
    await chmod(test.directory, 0o755);
    await chmod(join(root, 'team-b'), 0o000);
    if (isRoot) process.seteuid?.(65_534);
    try {
      await work();
    } finally {
      if (isRoot) process.seteuid?.(0);
      await chmod(join(root, 'team-b'), 0o700);
    }
  };

  it('ignores names that are not UTF-8, but rejects exports with one', async () => {
    await write({ 'a.csv': 'x' });
    const odd = (name: string): Buffer => Buffer.from(`${root}/${name}`, 'latin1');
    await writeFile(odd('\xff.txt'), 'x');
    await mkdir(odd('\xfe'));
    expect(await filesOf(root)).toEqual(['a.csv']);
    await writeFile(odd('\xfe/b.csv'), 'x');
    await expect(filesOf(root)).rejects.toMatchObject({
      kind: 'invalid',
      message: `location: the name of "${root}/\ufffd/b.csv" is not UTF-8; rename it; nothing was loaded`,
    });
    expect(await filesOf(`${root}/a.csv`)).toEqual(['a.csv']);
    expect(await filesOf(`${root}/*.csv`)).toEqual(['a.csv']);
  });

  it('is rejected if its glob leads through a linked folder outside the roots', async () => {
    await write({ 'a/x.csv': 'x' });
    await symlink(dirname(root), join(root, 'b'));
    await expect(filesOf(`${root}/*/*.csv`)).rejects.toThrow('SOURCE_ROOTS');
  });

  it('stops its search once the ingest is aborted', async () => {
    await write({ 'a.csv': 'x' });
    const held = new HeldFiles();
    const rules = { roots: [root], privateTargets: parsePrivateTargets('') };
    await expect(
      test.warehouse.session((session) =>
        exportFiles(session, root, rules, held, { now: NOW, signal: AbortSignal.abort() }),
      ),
    ).rejects.toThrow('aborted');
  });

  describe.skipIf(why !== '')(`in object storage${why}`, () => {
    it('finds the same objects as DuckDB, by any glob', async () => {
      const keys = [
        'x//7.csv',
        'a.csv',
        'x/1.csv',
        'x/10.csv',
        'x/2/3.csv',
        'x/2/4/5.parquet',
        'x1/6.csv',
        'y/readme.txt',
      ];
      const storage = await startFakeS3(
        new Map(keys.map((key) => [`bucket/${key}`, Buffer.from('x')])),
        'AKIATEST',
      );
      const found: Record<string, string[]> = {};
      const expected: Record<string, string[]> = {};
      await test.warehouse.session(async (session) => {
        const endpoint = storage.url;
        const keyOnly = { keyId: 'AKIATEST', secret: 's', sessionToken: null, region: 'eu-central-1' };
        await connectObjectStorage(session, { ...keyOnly, endpoint }, test.settings.extensions);
        for (const glob of [
          '*',
          '**',
          'x/*',
          'x/**',
          'x*/**',
          'x*/*.csv',
          'x/**/*.csv',
          '**/[1-3]*.csv',
          'x/**/4/*',
          '**/2/**',
          'x/1*',
          'x[!0]/*',
          '*/*/*',
          'x**',
        ]) {
          const rows = await session.query<{ file: string }>(
            'SELECT file FROM glob($pattern) ORDER BY file',
            { pattern: `s3://bucket/${glob}` },
          );
          expected[glob] = rows.map(({ file }) => file).filter((file) => !file.endsWith('.txt'));
          found[glob] = await exportFiles(
            session,
            `s3://bucket/${glob}`,
            { roots: [root], privateTargets: parsePrivateTargets('127.0.0.1'), buckets: ['s3://bucket/'] },
            new HeldFiles(),
            { now: NOW, buckets: { ...NO_BUCKETS, s3: { ...keyOnly, endpoint } } },
          ).then(
            ({ files }) => files,
            () => [],
          );
        }
      });
      await storage.close();
      expect(found).toEqual(expected);
    });
  });

  describe('with Azure exports', () => {
    const JUNE = 'daily/20260601-20260630';
    /** Returns a manifest as Azure writes it: https://github.com/microsoft/finops-toolkit/issues/527. */
    const manifest = (folder: string, endDate: string, submittedTime: string, exportName = 'daily'): string =>
      JSON.stringify({
        manifestVersion: '2024-04-01',
        blobCount: 1,
        exportConfig: {
          exportName,
          resourceId: `/subscriptions/AB/providers/Microsoft.CostManagement/exports/${exportName}`,
          type: 'FocusCost',
          timeFrame: 'MonthToDate',
        },
        deliveryConfig: { partitionData: true, dataOverwriteBehavior: 'CreateNewReport', fileFormat: 'Csv' },
        runInfo: {
          executionType: 'Scheduled',
          submittedTime,
          runId: folder.split('/').at(-1),
          startDate: '2026-06-01T00:00:00',
          endDate,
        },
        blobs: [{ blobName: `container/${folder}/part_0_0001.csv`, byteCount: 1, dataRowCount: 1 }],
      });

    it('reads only the newest run, with manifest names in any case', async () => {
      const runs = [
        ['manifest.json', '9bbac73f-1', '2026-06-10T06:49:06.5756051Z', '2026-06-10T00:00:00Z'],
        ['Manifest.json', '0a3f9d28-2', '2026-06-12T06:49:06.5Z', '2026-06-12T00:00:00'],
        ['_manifest.JSON', '5c1d0e77-3', '2026-06-11T06:49:06Z', '2026-06-11'],
      ] as const;
      for (const [name, id, submitted, to] of runs) {
        const folder = `${JUNE}/202606100000/${id}`;
        await write({
          [`${folder}/part_0_0001.csv`]: 'x',
          [`${folder}/${name}`]: manifest(folder, to, submitted),
        });
      }
      const newest = `${JUNE}/202606100000/0a3f9d28-2/part_0_0001.csv`;
      expect(await filesOf(root)).toEqual([newest]);
      expect(await filesOf(`${root}/daily/**/*.csv`)).toEqual([newest]);
      expect(await filesOf(`${root}/${JUNE}/202606100000/9bbac73f-1`)).toHaveLength(1); // counts if named alone
    });

    it('reads days once if a one-time and a daily export both have them', async () => {
      const [once, daily] = ['once/20260601-20260609/a', `${JUNE}/b`];
      await write({
        [`${once}/part_0_0001.csv`]: 'x',
        [`${once}/manifest.json`]: manifest(once, '2026-06-09T23:59:59Z', '2026-06-25T00:00:00Z', 'once'),
        [`${daily}/part_0_0001.csv`]: 'x',
        [`${daily}/manifest.json`]: manifest(daily, '2026-06-20T00:00:00Z', '2026-06-20T06:00:00Z'),
      });
      expect(await filesOf(root)).toEqual([`${daily}/part_0_0001.csv`]);
      expect(lastNotes).toEqual([]);
    });

    it('is rejected if a manifest has impossible days', async () => {
      const refusals = [
        ['9999-12-31', 'runInfo.endDate: expected a day from 1970 to 10 years from now, got "9999-12-31"'],
        ['2026-99-99', 'runInfo.endDate: expected a day from 1970 to 10 years from now, got "2026-99-99"'],
        ['1969-12-31', 'runInfo.endDate: expected a day from 1970 to 10 years from now, got "1969-12-31"'],
        ['soon', 'runInfo.endDate: expected a day from 1970 to 10 years from now, got "soon"'],
        [
          '2026-05-31',
          'runInfo: expected an endDate from the startDate on, and at most 10 years, got 2026-06-01 to 2026-05-31',
        ],
        [
          '2036-06-01',
          'runInfo: expected an endDate from the startDate on, and at most 10 years, got 2026-06-01 to 2036-06-01',
        ],
      ] as const;
      for (const [endDate, refusal] of refusals) {
        for (const [index, id] of ['a', 'b'].entries())
          await write({
            [`${JUNE}/${id}/part_0_0001.csv`]: 'x',
            [`${JUNE}/${id}/manifest.json`]: manifest(`${JUNE}/${id}`, endDate, `2026-06-2${index}`),
          });
        await expect(filesOf(root)).rejects.toMatchObject({
          kind: 'invalid',
          message: `location: "${root}/${JUNE}/a/manifest.json": ${refusal}`,
        });
      }
    });

    it('is rejected if two run folders have the same days and no manifest', async () => {
      await write({ [`${JUNE}/a/part_0.csv`]: 'x', [`${JUNE}/b/part_0.csv`]: 'x' });
      await expect(filesOf(root)).rejects.toMatchObject({
        kind: 'invalid',
        message:
          'location: these folders hold the same days, and no manifest.json says which run is the newest: ' +
          `"${root}/${JUNE}/a/", "${root}/${JUNE}/b/"; copy their manifests too, or name one of them`,
      });
      expect(await filesOf(`${root}/${JUNE}/a`)).toEqual([`${JUNE}/a/part_0.csv`]);
    });

    it('leaves out a run that is still being delivered, with a note', async () => {
      await write({
        [`${JUNE}/a/part_0_0001.csv`]: 'x',
        [`${JUNE}/a/manifest.json`]: manifest(`${JUNE}/a`, '2026-06-20', '2026-06-20T06:00:00Z'),
        [`${JUNE}/b/part_0_0001.csv`]: 'x',
      });
      expect(await filesOf(root)).toEqual([`${JUNE}/a/part_0_0001.csv`]);
      expect(lastNotes).toEqual([`${JUNE}/b/ has no manifest yet, unlike other runs, and was left out`]);
    });

    it('ignores another program’s manifest.json in a folder without exports', async () => {
      await write({ 'a/x.csv': 'x', 'target/manifest.json': '{"nodes": {}}' });
      expect(await filesOf(root)).toEqual(['a/x.csv']);
    });
  });

  describe('with an AWS Data Export', () => {
    const manifest = (...files: string[]): string =>
      JSON.stringify({
        dataFiles: files.map((file) => `s3://bucket/prefix/focus/data/${file}`),
        executionId: 'e',
      });

    it('reads the files that the manifest of each partition names', async () => {
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

    it('is rejected while a file that a manifest names is missing', async () => {
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
          'location: a manifest names files that do not exist: 1, ' +
          'the first is "s3://bucket/prefix/focus/data/BILLING_PERIOD=2026-01/focus-00002.csv.gz"',
      });
    });

    it('is rejected if a manifest is invalid', async () => {
      for (const content of ['{ half', '[]', '{"dataFiles": "one.csv"}', '{"files": []}', '']) {
        await write({ 'focus.csv': 'x', 'focus-Manifest.json': content });
        await expect(filesOf(root)).rejects.toMatchObject({
          kind: 'invalid',
          message: expect.stringMatching(
            /focus-Manifest\.json" is not a manifest: expected JSON with dataFiles or blobs$/,
          ) as string,
        });
      }
    });

    it('is rejected if a manifest is too large, before it is read', async () => {
      const sparse = async (name: string, bytes: number) => {
        await write({ [name]: '' });
        await truncate(join(root, name), bytes);
      };
      await write({ 'focus.csv': 'x' });
      await sparse('focus-Manifest.json', 8 * 1024 * 1024 + 1);
      await expect(filesOf(root)).rejects.toMatchObject({
        kind: 'invalid',
        message: `location: "${root}/focus-Manifest.json": a manifest has at most 8388608 bytes, got 8388609`,
      });
      await rm(join(root, 'focus-Manifest.json'));
      for (let index = 1; index <= 9; index += 1) await sparse(`${index}-Manifest.json`, 8 * 1024 * 1024);
      await expect(filesOf(root)).rejects.toMatchObject({
        kind: 'invalid',
        message: `location: the manifests of a location, up to "${root}/9-Manifest.json", have at most 67108864 bytes, got 75497472`,
      });
    });

    it('is rejected if its manifests name more than 100,000 files', async () => {
      const many = JSON.stringify({
        dataFiles: Array.from({ length: 60_000 }, (_, index) => `${index}.csv`),
      });
      await write({ 'focus.csv': 'x', 'a-Manifest.json': many, 'b-Manifest.json': many });
      await expect(filesOf(root)).rejects.toMatchObject({
        kind: 'invalid',
        message: `location: the manifests of a location, up to "${root}/b-Manifest.json", name at most 100000 files, got 120000`,
      });
    });

    it('ignores everything else in a manifest', async () => {
      const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;
      await write({
        'focus-1.csv': 'x',
        'old-1.csv': 'x',
        'focus-Manifest.json': `{"dataFiles": ["focus-1.csv"], "columns": [{"name": 5}, ${deep}]}`,
      });
      expect(await filesOf(root)).toEqual(['focus-1.csv']);
    });

    it('reads the files of several manifests in a folder, and notes a manifest without files', async () => {
      await write({
        'one/A-1.csv': 'x',
        'one/B-1.csv': 'x',
        'one/old.csv': 'x',
        'one/A-Manifest.json': '{"dataFiles": ["A-1.csv"]}',
        'one/B-Manifest.json': '{"dataFiles": ["B-1.csv"]}',
      });
      expect(await filesOf(root)).toEqual(['one/A-1.csv', 'one/B-1.csv']);
      expect(lastNotes).toEqual([]);
      await write({ 'next/C-1.csv': 'x', 'next/C-Manifest.json': '{"dataFiles": []}' });
      expect(await filesOf(root)).toEqual(['one/A-1.csv', 'one/B-1.csv']);
      const note = 'next/C-Manifest.json names no file; files of its folder left out: 1';
      expect(lastNotes).toEqual([note]);
      await expect(filesOf(`${root}/next`)).rejects.toMatchObject({
        kind: 'invalid',
        message: `location: no file is left to read: ${root}/${note}`,
      });
    });

    it('reads the files of a manifest beside them, in the older form too', async () => {
      await write({
        'jan/cur-1.csv.gz': 'x',
        'jan/old-1.csv.gz': 'x',
        'jan/cur-Manifest.json': JSON.stringify({ reportKeys: ['prefix/report/jan/cur-1.csv.gz'] }),
      });
      expect(await filesOf(`${root}/jan`)).toEqual(['jan/cur-1.csv.gz']);
    });

    it('reads the current version of an older report, and not the versions beside it', async () => {
      const month = (range: string, current: string, ...versions: string[]) => {
        const manifestOf = (version: string) =>
          JSON.stringify({ assemblyId: version, reportKeys: [`acme/cur/${range}/${version}/cur-1.csv.gz`] });
        return {
          [`cur/${range}/cur-Manifest.json`]: manifestOf(current),
          ...Object.fromEntries(
            versions.flatMap((version) => [
              [`cur/${range}/${version}/cur-1.csv.gz`, 'x'],
              [`cur/${range}/${version}/cur-Manifest.json`, manifestOf(version)],
            ]),
          ),
        };
      };
      await write({
        ...month('20260101-20260201', 'b7', 'a1', 'b7', 'c3'),
        ...month('20260201-20260301', 'd4', 'd4'),
        // It says how far AWS has written Parquet files.
        'cur/cost_and_usage_data_status/cost_and_usage_data_status.parquet': 'x',
      });
      const current = ['cur/20260101-20260201/b7/cur-1.csv.gz', 'cur/20260201-20260301/d4/cur-1.csv.gz'];
      expect(await filesOf(`${root}/cur`)).toEqual(current);
      expect(lastNotes).toEqual([]);
      // A copy without the manifest of the month does not say which version is the current one.
      await rm(join(root, 'cur/20260101-20260201/cur-Manifest.json'));
      const undecided =
        /^location: these folders hold the same days.*a1\/", .*b7\/", .*c3\/"; copy their manifests too/;
      await expect(filesOf(`${root}/cur`)).rejects.toThrow(undecided);
      for (const version of ['a1', 'b7', 'c3', '../20260201-20260301/d4'])
        await rm(join(root, `cur/20260101-20260201/${version}/cur-Manifest.json`));
      await rm(join(root, 'cur/20260201-20260301/cur-Manifest.json'));
      await expect(filesOf(`${root}/cur`)).rejects.toThrow(undecided);
      // Two months of one version each lie side by side.
      for (const version of ['a1', 'c3'])
        await rm(join(root, `cur/20260101-20260201/${version}`), { recursive: true });
      expect(await filesOf(`${root}/cur`)).toEqual(current);
    });

    it('is rejected if the versions of a month have no manifest of the month', async () => {
      await write({
        'cur/data/BILLING_PERIOD=2026-01/run-1/cur-00001.csv.gz': 'x',
        'cur/data/BILLING_PERIOD=2026-01/run-2/cur-00001.csv.gz': 'x',
        'cur/data/BILLING_PERIOD=2026-02/run-3/cur-00001.csv.gz': 'x',
      });
      await expect(filesOf(`${root}/cur`)).rejects.toThrow(
        /these folders hold the same days.*run-1\/".*run-2\/"; copy/,
      );
      await rm(join(root, 'cur/data/BILLING_PERIOD=2026-01/run-1'), { recursive: true });
      expect(await filesOf(`${root}/cur`)).toHaveLength(2);
    });

    it('reads the files of a manifest beside them below a folder called data, as in the default folders', async () => {
      await write({
        'data/exports/acme/focus-1.csv': 'x',
        'data/exports/acme/old-1.csv': 'x',
        'data/exports/acme/focus-Manifest.json': JSON.stringify({
          dataFiles: ['s3://bucket/acme/focus-1.csv'],
        }),
      });
      expect(await filesOf(`${root}/data/exports/acme`)).toEqual(['data/exports/acme/focus-1.csv']);
    });

    it('ignores manifests outside the roots', async () => {
      // The root is <base>/data. Its neighbour <base>/metadata belongs to the operator and to no tenant.
      const base = root;
      await write({ 'data/focus.csv': 'x', 'metadata/private-Manifest.json': 'not for tenants' });
      root = join(base, 'data');
      expect(await filesOf(root)).toEqual(['focus.csv']);
    });
  });
});
