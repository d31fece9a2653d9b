import { describe, expect, it } from 'vitest';
import { currentFiles, manifestGlobs } from '../../domain/export-manifest.ts';

// AWS Data Exports write <export>/data/BILLING_PERIOD=…/… and <export>/metadata/BILLING_PERIOD=…/<name>-Manifest.json.
const EXPORT = 's3://bucket/acme/focus';
const january = (name: string) => `${EXPORT}/data/BILLING_PERIOD=2026-01/${name}`;
const february = (name: string) => `${EXPORT}/data/BILLING_PERIOD=2026-02/${name}`;
const manifest = (partition: string, dataFiles: string[]) => ({
  path: `${EXPORT}/metadata/BILLING_PERIOD=${partition}/focus-Manifest.json`,
  dataFiles,
});

describe('where manifests can lie', () => {
  it('is the metadata folder beside data', () => {
    expect(manifestGlobs([january('focus-00001.csv.gz'), february('focus-00001.csv.gz')])).toContain(
      `${EXPORT}/metadata/**/*Manifest.json`,
    );
  });

  it('is the folder of the files themselves elsewhere', () => {
    expect(manifestGlobs(['/exports/a/x.csv', '/exports/a/y.csv', '/exports/b/z.csv'])).toEqual([
      '/exports/a/*Manifest.json',
      '/exports/b/*Manifest.json',
    ]);
  });

  it('is also the folder of the files when a folder above happens to be called data', () => {
    // The default SOURCE_ROOTS is <data>/exports, where <data> is ./data.
    expect(manifestGlobs(['/srv/data/exports/acme/x.csv'])).toContain(
      '/srv/data/exports/acme/*Manifest.json',
    );
  });
});

describe('the files that count', () => {
  it('are all of them without a manifest', () => {
    const files = [january('a.csv'), february('b.csv')];
    expect(currentFiles(files, [])).toEqual({ files, missing: [] });
  });

  it("are those that the partition's manifest names; other partitions are left alone", () => {
    const files = [
      january('focus-00001.csv.gz'),
      january('focus-00002.csv.gz'),
      february('focus-00001.csv.gz'),
    ];
    const current = currentFiles(files, [manifest('2026-01', [january('focus-00001.csv.gz')])]);
    // Two was left behind by a larger January; February has no manifest.
    expect(current).toEqual({
      files: [january('focus-00001.csv.gz'), february('focus-00001.csv.gz')],
      missing: [],
    });
  });

  it('are those of the newest execution, which the outermost manifest names', () => {
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
    expect(current).toEqual({ files: [second], missing: [] });
  });

  it('leave out an older file of the same name outside the execution', () => {
    // The export was switched from overwriting to a folder for each execution: both lie there now.
    const [old, named] = [january('focus-00001.csv.gz'), january('20260201T0000Z-bbb/focus-00001.csv.gz')];
    expect(currentFiles([old, named], [manifest('2026-01', [named])])).toEqual({
      files: [named],
      missing: [],
    });
  });

  it('leave out an older file of the same name inside an execution', () => {
    const [named, old] = [january('focus-00001.csv.gz'), january('20260131T0000Z-aaa/focus-00001.csv.gz')];
    expect(currentFiles([old, named], [manifest('2026-01', [named])])).toEqual({
      files: [named],
      missing: [],
    });
  });

  it('are found by a manifest beside them, wherever a copy of the export was put', () => {
    const copy = (name: string) => `/exports/acme/january/${name}`;
    const current = currentFiles(
      [copy('focus-00001.csv'), copy('focus-00001-old.csv')],
      [{ path: copy('focus-Manifest.json'), dataFiles: ['s3://bucket/acme/2026-01/focus-00001.csv'] }],
    );
    expect(current).toEqual({ files: [copy('focus-00001.csv')], missing: [] });
  });

  it('are found where a folder above is called metadata', () => {
    const root = '/metadata/exports/focus';
    const file = `${root}/data/BILLING_PERIOD=2026-01/focus-00001.csv`;
    const current = currentFiles(
      [file, `${root}/data/BILLING_PERIOD=2026-01/old.csv`],
      [{ path: `${root}/metadata/BILLING_PERIOD=2026-01/focus-Manifest.json`, dataFiles: [file] }],
    );
    expect(current).toEqual({ files: [file], missing: [] });
  });

  it('are incomplete when a named one is not there', () => {
    const named = [january('focus-00001.csv.gz'), january('focus-00002.csv.gz')];
    expect(currentFiles([january('focus-00001.csv.gz')], [manifest('2026-01', named)])).toEqual({
      files: [january('focus-00001.csv.gz')],
      missing: [january('focus-00002.csv.gz')],
    });
  });

  it('are incomplete when only an older file of the same name is there', () => {
    const named = january('20260201T0000Z-bbb/focus-00001.csv.gz');
    expect(currentFiles([january('focus-00001.csv.gz')], [manifest('2026-01', [named])]).missing).toEqual([
      named,
    ]);
  });

  it('are not judged by the manifest of a partition that was not asked for', () => {
    const files = [february('focus-00001.csv.gz')];
    expect(currentFiles(files, [manifest('2026-01', [january('focus-00001.csv.gz')])])).toEqual({
      files,
      missing: [],
    });
  });

  it('do not mistake a name for one that ends in it', () => {
    const current = currentFiles(
      [january('1.csv'), january('01.csv')],
      [manifest('2026-01', [january('01.csv')])],
    );
    expect(current.files).toEqual([january('01.csv')]);
  });
});
