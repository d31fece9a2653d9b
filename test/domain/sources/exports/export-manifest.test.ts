import { describe, expect, it } from 'vitest';
import {
  currentFiles as filesThatCount,
  manifestGlobs,
  manifestsAmong,
  type ExportManifest,
} from '../../../../domain/sources/exports/export-manifest.ts';

const currentFiles = (files: readonly string[], manifests: readonly ExportManifest[]) =>
  filesThatCount(files, manifests, '2036-07-01');

// AWS Data Exports write <export>/data/BILLING_PERIOD=…/… and <export>/metadata/BILLING_PERIOD=…/<name>-Manifest.json.
const EXPORT = 's3://bucket/acme/focus';
const january = (name: string) => `${EXPORT}/data/BILLING_PERIOD=2026-01/${name}`;
const february = (name: string) => `${EXPORT}/data/BILLING_PERIOD=2026-02/${name}`;
const manifest = (partition: string, dataFiles: string[]) => ({
  path: `${EXPORT}/metadata/BILLING_PERIOD=${partition}/focus-Manifest.json`,
  dataFiles,
});

const ANY_CASE = '*[mM][aA][nN][iI][fF][eE][sS][tT].[jJ][sS][oO][nN]';

describe('the place of manifests', () => {
  it('is the metadata folder beside data', () => {
    expect(manifestGlobs([january('focus-00001.csv.gz'), february('focus-00001.csv.gz')])).toContain(
      `${EXPORT}/metadata/**/${ANY_CASE}`,
    );
  });

  it('is otherwise the folder of the files', () => {
    expect(manifestGlobs(['/exports/a/x.csv', '/exports/a/y.csv', '/exports/b/z.csv'])).toEqual([
      `/exports/a/${ANY_CASE}`,
      `/exports/b/${ANY_CASE}`,
    ]);
  });

  it('is also the folder of the files if a folder above is called data', () => {
    // The default SOURCE_ROOTS is <data>/exports, where <data> is ./data.
    expect(manifestGlobs(['/srv/data/exports/acme/x.csv'])).toContain(`/srv/data/exports/acme/${ANY_CASE}`);
  });
});

describe('the files that count', () => {
  it('are all files if there is no manifest', () => {
    const files = [january('a.csv'), february('b.csv')];
    expect(currentFiles(files, [])).toMatchObject({ files, missing: [] });
  });

  it("are the ones in the partition's manifest, and all files of partitions without a manifest", () => {
    const files = [
      january('focus-00001.csv.gz'),
      january('focus-00002.csv.gz'),
      february('focus-00001.csv.gz'),
    ];
    const current = currentFiles(files, [manifest('2026-01', [january('focus-00001.csv.gz')])]);
    // File 2 is left over from an earlier, larger January. February has no manifest.
    expect(current).toMatchObject({
      files: [january('focus-00001.csv.gz'), february('focus-00001.csv.gz')],
      missing: [],
    });
  });

  it('are the ones of the newest execution, which the outermost manifest names', () => {
    const [first, second] = [
      january('20260131T0000Z-aaa/focus-00001.csv.gz'),
      january('20260201T0000Z-bbb/focus-00001.csv.gz'),
    ];
    const inner = (execution: string, file: string) => ({
      path: `${EXPORT}/metadata/BILLING_PERIOD=2026-01/${execution}/focus-Manifest.json`,
      dataFiles: [file],
    });
    const current = currentFiles(
      [first, second],
      [
        inner('20260131T0000Z-aaa', first),
        inner('20260201T0000Z-bbb', second),
        manifest('2026-01', [second]),
      ],
    );
    expect(current).toMatchObject({ files: [second], missing: [] });
  });

  it('leave out an older file of the same name outside the execution', () => {
    // The export was switched from overwriting to a folder for each execution, so that both files are there.
    const [old, named] = [january('focus-00001.csv.gz'), january('20260201T0000Z-bbb/focus-00001.csv.gz')];
    expect(currentFiles([old, named], [manifest('2026-01', [named])])).toMatchObject({
      files: [named],
      missing: [],
    });
  });

  it('leave out an older file of the same name inside an execution', () => {
    const [named, old] = [january('focus-00001.csv.gz'), january('20260131T0000Z-aaa/focus-00001.csv.gz')];
    expect(currentFiles([old, named], [manifest('2026-01', [named])])).toMatchObject({
      files: [named],
      missing: [],
    });
  });

  it('are found by a manifest beside them, wherever the export was copied', () => {
    const copy = (name: string) => `/exports/acme/january/${name}`;
    const current = currentFiles(
      [copy('focus-00001.csv'), copy('focus-00001-old.csv')],
      [{ path: copy('focus-Manifest.json'), dataFiles: ['s3://bucket/acme/2026-01/focus-00001.csv'] }],
    );
    expect(current).toMatchObject({ files: [copy('focus-00001.csv')], missing: [] });
  });

  it('are found if a folder above is called metadata', () => {
    const root = '/metadata/exports/focus';
    const file = `${root}/data/BILLING_PERIOD=2026-01/focus-00001.csv`;
    const current = currentFiles(
      [file, `${root}/data/BILLING_PERIOD=2026-01/old.csv`],
      [{ path: `${root}/metadata/BILLING_PERIOD=2026-01/focus-Manifest.json`, dataFiles: [file] }],
    );
    expect(current).toMatchObject({ files: [file], missing: [] });
  });

  it('are incomplete if a named file is missing', () => {
    const named = [january('focus-00001.csv.gz'), january('focus-00002.csv.gz')];
    expect(currentFiles([january('focus-00001.csv.gz')], [manifest('2026-01', named)])).toMatchObject({
      files: [january('focus-00001.csv.gz')],
      missing: [january('focus-00002.csv.gz')],
    });
  });

  it('are incomplete if there is only an older file of the same name', () => {
    const named = january('20260201T0000Z-bbb/focus-00001.csv.gz');
    expect(currentFiles([january('focus-00001.csv.gz')], [manifest('2026-01', [named])]).missing).toEqual([
      named,
    ]);
  });

  it('do not depend on the manifest of a partition that was not requested', () => {
    const files = [february('focus-00001.csv.gz')];
    expect(currentFiles(files, [manifest('2026-01', [january('focus-00001.csv.gz')])])).toMatchObject({
      files,
      missing: [],
    });
  });

  it('are the ones that all manifests of a folder name together', () => {
    const [a1, a2, b1] = ['/exports/A-1.csv', '/exports/A-2.csv', '/exports/B-1.csv'] as const;
    const beside = (name: string, ...dataFiles: string[]) => ({
      path: `/exports/${name}-Manifest.json`,
      dataFiles,
    });
    const both = [beside('A', 'A-1.csv'), beside('B', 'B-1.csv')];
    expect(currentFiles([a1, a2, b1], both)).toMatchObject({
      files: [a1, b1],
      missing: [],
      undecided: [],
      notes: [],
    });
    expect(currentFiles([a1], both).missing).toEqual(['B-1.csv']);
  });

  it('are left out with a note if their manifest names no file', () => {
    const files = [january('a.csv'), january('b.csv'), february('c.csv')];
    expect(currentFiles(files, [manifest('2026-01', [])])).toMatchObject({
      files: [february('c.csv')],
      missing: [],
      undecided: [],
      notes: [
        `${EXPORT}/metadata/BILLING_PERIOD=2026-01/focus-Manifest.json names no file; files of its folder left out: 2`,
      ],
    });
    expect(currentFiles(files.slice(2), [manifest('2026-01', [])]).notes).toEqual([]);
  });

  it('are found among thousands of folders, each with its manifests', () => {
    const folders = Array.from({ length: 10_000 }, (_, index) => `${EXPORT}/data/${index}`);
    const files = folders.flatMap((folder) => [`${folder}/new.csv`, `${folder}/old.csv`]);
    const paths = folders.map((folder) => `${folder.replace('/data/', '/metadata/')}/Manifest.json`);
    expect(manifestsAmong(paths, files)).toEqual(paths);
    expect(manifestsAmong([`${EXPORT}/metadata/elsewhere/Manifest.json`], files)).toEqual([]);
    const current = currentFiles(
      files,
      paths.map((path) => ({ path, dataFiles: ['new.csv'] })),
    );
    expect(current.files).toEqual(folders.map((folder) => `${folder}/new.csv`));
  });

  it('are not confused with files whose names only end alike', () => {
    const current = currentFiles(
      [january('1.csv'), january('01.csv')],
      [manifest('2026-01', [january('01.csv')])],
    );
    expect(current.files).toEqual([january('01.csv')]);
  });
});

describe('the files of Azure run folders', () => {
  const ROOT = '/exports/azure';
  const part = (run: string) => `${ROOT}/${run}/part_0_0001.csv`;
  const run = (
    folder: string,
    from: string,
    to: string,
    submitted: number,
    scope: string | null = '/sub/1',
  ) => ({
    path: `${ROOT}/${folder}/manifest.json`,
    dataFiles: [`msexports/${folder}/part_0_0001.csv`],
    run: { scope, from, to, submitted },
  });
  const [JUNE, DAILY] = ['20260601-20260630', 'daily/20260601-20260630'];

  it('are the ones of the newest run of a range, and other runs may be incomplete', () => {
    const files = [part(`${DAILY}/aaa`), part(`${DAILY}/202606100000/bbb`)];
    const older = run(`${DAILY}/aaa`, '2026-06-01', '2026-06-09', 1);
    expect(
      currentFiles(files, [
        { ...older, dataFiles: [...older.dataFiles, 'gone.csv'] },
        run(`${DAILY}/202606100000/bbb`, '2026-06-01', '2026-06-10', 2),
      ]),
    ).toMatchObject({ files: files.slice(1), missing: [], undecided: [], notes: [] });
  });

  it('are the ones of every scope; exports side by side without a known scope count once', () => {
    const files = [part('one/20260601-20260630/a'), part('two/20260601-20260630/b')];
    const runs = (...scopes: [string | null, string | null]) =>
      scopes.map((scope, index) =>
        run(`${['one', 'two'][index]}/${JUNE}/${'ab'[index]}`, '2026-06-01', '2026-06-30', index, scope),
      );
    expect(currentFiles(files, runs('/sub/1', '/sub/2')).files).toEqual(files);
    expect(currentFiles(files, runs('/sub/1', '/sub/1')).files).toEqual(files.slice(1));
    expect(currentFiles(files, runs('/sub/1', null)).files).toEqual(files.slice(1));
  });

  it('are undecided if two run folders of a range have no manifest', () => {
    const folders = [`${ROOT}/${DAILY}/aaa/`, `${ROOT}/${DAILY}/bbb/`];
    const files = folders.map((folder) => `${folder}part_0_0001.csv`);
    expect(currentFiles(files, []).undecided).toEqual(folders);
    // Beside run folders, a file in the folder of the range is a run too.
    const beside = [`${ROOT}/${DAILY}/part.csv`, part(`${DAILY}/aaa`)];
    expect(currentFiles(beside, []).undecided).toEqual([`${ROOT}/${DAILY}/`, `${ROOT}/${DAILY}/aaa/`]);
    // One run, files side by side, and two months need no decision.
    for (const sure of [
      [part(`${DAILY}/aaa`), `${ROOT}/${DAILY}/aaa/part_0_0002.csv`],
      [`${ROOT}/${DAILY}/one.csv`, `${ROOT}/${DAILY}/two.csv`],
      [part(`${DAILY}/aaa`), part('daily/20260701-20260731/aaa')],
    ])
      expect(currentFiles(sure, [])).toMatchObject({ files: sure, missing: [], undecided: [], notes: [] });
  });

  it('are the ones of one of two manifests of a run, or of both if their scopes differ', () => {
    const [one, two] = [part(`${DAILY}/aaa`), `${ROOT}/${DAILY}/aaa/part_0_0002.csv`];
    const first = run(`${DAILY}/aaa`, '2026-06-01', '2026-06-09', 1);
    const second = { ...first, path: first.path.replace('manifest', '_manifest') };
    expect(currentFiles([one, two], [first, second]).files).toEqual([one]);
    const other = { ...second, dataFiles: ['part_0_0002.csv'] };
    expect(currentFiles([one, two], [first, other]).files).toHaveLength(1);
    const ofOtherScope = { ...other, run: { ...other.run, scope: '/sub/2' } };
    expect(currentFiles([one, two], [first, ofOtherScope]).files).toEqual([one, two]);
  });

  it('are in no run folder if its name has no days, or days that no export can have', () => {
    for (const range of [
      '20260231-20260301',
      '20269999-20269999',
      '20260630-20260601',
      '19691231-19700101',
      '20260101-20360101',
      '20360701-20360702',
      '99991201-99991231',
    ]) {
      const files = [part(`daily/${range}/aaa`), part(`daily/${range}/bbb`)];
      expect(currentFiles(files, [])).toMatchObject({ files, missing: [], undecided: [], notes: [] });
    }
    for (const range of ['19700101-19700101', '20260101-20351231', '20360630-20360701']) {
      const files = [part(`daily/${range}/aaa`), part(`daily/${range}/bbb`)];
      expect(currentFiles(files, []).undecided).toHaveLength(2);
    }
  });

  it('leave out a run that has no manifest yet', () => {
    const files = [part(`${DAILY}/aaa`), part(`${DAILY}/bbb`)];
    expect(currentFiles(files, [run(`${DAILY}/aaa`, '2026-06-01', '2026-06-09', 1)])).toMatchObject({
      files: files.slice(0, 1),
      missing: [],
      undecided: [],
      notes: [`${ROOT}/${DAILY}/bbb/ has no manifest yet, unlike other runs, and was left out`],
    });
    const beside = [part(`${DAILY}/aaa`), `${ROOT}/${DAILY}/part.csv`];
    expect(currentFiles(beside, [run(`${DAILY}/aaa`, '2026-06-01', '2026-06-09', 1)])).toMatchObject({
      files: beside.slice(0, 1),
      notes: [`${ROOT}/${DAILY}/ has no manifest yet, unlike other runs, and was left out`],
    });
  });

  it('leave out a run that a newer one overlaps, and note the days that no run has', () => {
    const files = [part('a/20260601-20260615/a'), part('b/20260610-20260620/b')];
    expect(
      currentFiles(files, [
        run('a/20260601-20260615/a', '2026-06-01', '2026-06-15', 1),
        run('b/20260610-20260620/b', '2026-06-10', '2026-06-20', 2),
      ]),
    ).toMatchObject({
      files: files.slice(1),
      notes: [
        `${ROOT}/a/20260601-20260615/a/ was left out, because a newer run has some of its days; ` +
          'no run has 2026-06-01 to 2026-06-09',
      ],
    });
  });
});
