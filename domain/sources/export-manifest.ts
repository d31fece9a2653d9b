import type { Day } from '../shared/calendar.ts';
import { rangesInWords } from '../shared/day-ranges.ts';
import { daysLeftOut } from './days-left-out.ts';
import { runsThatCount, type ExportRun } from './export-runs.ts';
import { escapeGlob } from './glob.ts';
import { pushTo } from '../shared/push-to.ts';
import { isReadableRange } from './readable-days.ts';

/** An export's own list of the files that make up one of its partitions. */
export interface ExportManifest {
  path: string;
  dataFiles: readonly string[];
  /** The run that delivered the files, where the manifest is of a single one, as Azure's are. */
  run?: { scope: string | null; from: Day | null; to: Day | null; submitted: number | null };
}

/** The files that count, and what was decided about the others. */
export interface CurrentFiles {
  files: string[];
  /** Files that a manifest names and that are not there. */
  missing: string[];
  /** Folders of runs that hold the same days, and no manifest tells which is the newest. */
  undecided: string[];
  notes: string[];
}

const directoryOf = (path: string): string => path.slice(0, path.lastIndexOf('/') + 1);

const METADATA = '/metadata/';

/** AWS keeps manifests under `metadata/`, in the same folders in which the data lies under `data/`. */
const governedDirectory = (path: string): string => {
  const directory = directoryOf(path);
  const at = directory.lastIndexOf(METADATA);
  return at === -1 ? directory : `${directory.slice(0, at)}/data/${directory.slice(at + METADATA.length)}`;
};

/** Names of manifests, in any case: AWS's end in `Manifest.json`, Azure's are `manifest.json` or `_manifest.json`. */
const ANY_MANIFEST = '*[mM][aA][nN][iI][fF][eE][sS][tT].[jJ][sS][oO][nN]';

/** The manifests among the paths of a folder that lie where those of its files can: see `manifestGlobs`. */
export const manifestsAmong = (paths: readonly string[], files: readonly string[]): string[] => {
  const directories = new Set(files.map(directoryOf));
  const holding = new Set(directories);
  for (const directory of directories)
    for (let outer = outerOf(directory); outer !== null && !holding.has(outer); outer = outerOf(outer))
      holding.add(outer);
  return paths.filter(
    (path) =>
      /manifest\.json$/i.test(path) &&
      (directories.has(directoryOf(path)) ||
        (path.includes(METADATA) && holding.has(governedDirectory(path)))),
  );
};

/** The folder around a folder; null for the outermost. */
const outerOf = (directory: string): string | null =>
  directory === '' ? null : directoryOf(directory.slice(0, -1));

/** Where the manifests of the exports in a folder can lie, as globs: beside the files, or under `metadata/`. */
export const manifestGlobs = (files: readonly string[]): string[] => {
  const globs = files.flatMap((file) => {
    const directory = directoryOf(file);
    const data = directory.lastIndexOf('/data/');
    const beside = `${escapeGlob(directory)}${ANY_MANIFEST}`;
    return data === -1
      ? [beside]
      : [beside, `${escapeGlob(directory.slice(0, data))}/metadata/**/${ANY_MANIFEST}`];
  });
  return [...new Set(globs)];
};

/**
 * A file that a manifest names, as its path below the governed folder: manifests name where the export was
 * delivered, which a copy of it need not share.
 */
const namedBelow = (directory: string, named: string): string => {
  const folder = `/${directory.slice(0, -1).split('/').at(-1) ?? ''}/`;
  const at = named.lastIndexOf(folder);
  return at === -1 ? named.slice(named.lastIndexOf('/') + 1) : named.slice(at + folder.length);
};

/** Azure's folders: `<root>/<export>/<yyyymmdd-yyyymmdd>/[<time>/]<run>/`. */
const AZURE_RUN = /^(.*\/|)([^/]+\/(\d{4})(\d\d)(\d\d)-(\d{4})(\d\d)(\d\d)\/)(?:[^/]+\/)*$/;

/** The run that a folder holds; null for a folder of no run. A folder whose name has no such days holds no run. */
const runIn = (folder: string, stated: ExportManifest['run'], lastDay: Day): ExportRun | null => {
  const [, root, range = '', y1, m1, d1, y2, m2, d2] = AZURE_RUN.exec(folder) ?? [];
  const named = root === undefined ? null : { from: `${y1}-${m1}-${d1}`, to: `${y2}-${m2}-${d2}` };
  const days = stated?.from != null && stated.to !== null ? { from: stated.from, to: stated.to } : named;
  if (days === null || !isReadableRange(days, lastDay)) return null;
  const parent = directoryOf(folder.slice(0, -1));
  return {
    folder,
    scope: stated?.scope ?? null,
    root: root ?? parent,
    rangeFolder: root === undefined ? parent : `${root}${range}`,
    ...days,
    submitted: stated?.submitted ?? null,
  };
};

/** A manifest with the files that it names, by their paths below the folder that it governs. */
interface Governor {
  path: string;
  named: ReadonlyMap<string, string>;
  run: ExportRun | null;
}

/**
 * The files that count: in a partition that has manifests those that they name, elsewhere all. Those of the outermost
 * folder govern, so that of several deliveries of one partition only the current one is read (sources §1); of Azure's runs,
 * each with a manifest of its own, those that count (domain/export-runs.ts).
 *
 * @param lastDay the last day that the name of a folder can mean.
 */
export const currentFiles = (
  files: readonly string[],
  manifests: readonly ExportManifest[],
  lastDay: Day,
): CurrentFiles => {
  const governors = new Map<string, Governor[]>();
  for (const { path, dataFiles, run } of manifests) {
    const directory = governedDirectory(path);
    const named = new Map(dataFiles.map((file) => [namedBelow(directory, file), file]));
    pushTo(governors, directory, {
      path,
      named,
      run: run === undefined ? null : runIn(directory, run, lastDay),
    });
  }
  const governingFolder = outermostAmong(governors);
  const governed = new Map<string, string[]>();
  const ungoverned = new Map<string, string[]>();
  for (const file of files) {
    const folder = governingFolder(directoryOf(file));
    if (folder === null) pushTo(ungoverned, directoryOf(file), file);
    else pushTo(governed, folder, file);
  }

  const stated = [...governors.values()].flat().flatMap(({ run }) => run ?? []);
  const unstated = [...ungoverned.keys()].flatMap((folder) => runIn(folder, undefined, lastDay) ?? []);
  const runs = runsThatCount([...stated, ...runsWithoutManifest(stated, unstated)]);
  const replaced = new Set(runs.replaced);
  const kept = new Set(files);
  for (const { folder } of runs.unfinished)
    for (const file of ungoverned.get(folder) ?? []) kept.delete(file);

  const missing: string[] = [];
  const notes: string[] = [];
  for (const [folder, all] of governed) {
    const counting = (governors.get(folder) ?? []).filter(({ run }) => run === null || !replaced.has(run));
    const named = new Map(counting.flatMap((governor) => [...governor.named]));
    const leftOut = all.filter((file) => !named.has(file.slice(folder.length)));
    for (const file of leftOut) kept.delete(file);
    for (const [name, file] of named) if (!kept.has(`${folder}${name}`)) missing.push(file);
    if (leftOut.length > 0)
      for (const governor of counting)
        if (governor.named.size === 0)
          notes.push(`${governor.path} names no file; files of its folder left out: ${leftOut.length}`);
  }
  return {
    files: [...kept],
    missing,
    undecided: runs.undecided.map(({ folder }) => folder),
    notes: [
      ...runs.unfinished.map(
        ({ folder }) => `${folder} has no manifest yet, as other runs have, and was left out`,
      ),
      ...daysLeftOut(runs.replaced, runs.current).map(
        ({ run, days }) =>
          `${run.folder} was left out, because a newer run has some of its days; no run has ${rangesInWords(days)}`,
      ),
      ...notes,
    ],
  };
};

/** Finds the outermost of some folders that a folder lies in or is; null if there is none. */
const outermostAmong = (folders: ReadonlyMap<string, unknown>): ((folder: string) => string | null) => {
  const known = new Map<string, string | null>();
  const find = (folder: string): string | null => {
    const before = known.get(folder);
    if (before !== undefined) return before;
    const outer = outerOf(folder);
    const found = (outer === null ? null : find(outer)) ?? (folders.has(folder) ? folder : null);
    known.set(folder, found);
    return found;
  };
  return find;
};

/**
 * The folders of files that are runs. A run without a manifest is a folder below that of its range. Files beside each other
 * in the folder of the range are one delivery, which is another run only where there are runs below.
 */
const runsWithoutManifest = (stated: readonly ExportRun[], unstated: readonly ExportRun[]): ExportRun[] => {
  const isBelowRange = (run: ExportRun) => run.rangeFolder !== run.folder;
  const ranges = new Set([...stated, ...unstated].filter(isBelowRange).map(({ rangeFolder }) => rangeFolder));
  return unstated.filter((run) => isBelowRange(run) || ranges.has(run.folder));
};
