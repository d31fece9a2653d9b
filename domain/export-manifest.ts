import type { Day } from './calendar.ts';
import { dayRanges } from './day-ranges.ts';
import { daysLeftOut, runsThatCount, type ExportRun } from './export-runs.ts';
import { escapeGlob } from './glob.ts';

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

/** AWS keeps manifests under `metadata/`, in the same folders in which the data lies under `data/`. */
const governedDirectory = (path: string): string =>
  directoryOf(path).replace(/\/metadata\/(?!.*\/metadata\/)/, '/data/');

/** Names of manifests, in any case: AWS's end in `Manifest.json`, Azure's are `manifest.json` or `_manifest.json`. */
const ANY_MANIFEST = '*[mM][aA][nN][iI][fF][eE][sS][tT].[jJ][sS][oO][nN]';

/** The manifests among the paths of a folder that lie where those of its files can: see `manifestGlobs`. */
export const manifestsAmong = (paths: readonly string[], files: readonly string[]): string[] => {
  const directories = new Set(files.map(directoryOf));
  return paths.filter(
    (path) =>
      /manifest\.json$/i.test(path) &&
      (directories.has(directoryOf(path)) ||
        (path.includes('/metadata/') && files.some((file) => file.startsWith(governedDirectory(path))))),
  );
};

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

/** The run that a folder holds; null for a folder of no run. */
const runIn = (folder: string, stated: ExportManifest['run']): ExportRun | null => {
  const [, root, range = '', y1, m1, d1, y2, m2, d2] = AZURE_RUN.exec(folder) ?? [];
  const from = stated?.from ?? (root === undefined ? null : `${y1}-${m1}-${d1}`);
  const to = stated?.to ?? (root === undefined ? null : `${y2}-${m2}-${d2}`);
  if (from === null || to === null) return null;
  const parent = directoryOf(folder.slice(0, -1));
  return {
    folder,
    scope: stated?.scope ?? null,
    root: root ?? parent,
    rangeFolder: root === undefined ? parent : `${root}${range}`,
    from,
    to,
    submitted: stated?.submitted ?? null,
  };
};

/**
 * The files that count: in a partition that has a manifest those that it names, elsewhere all. The outermost
 * manifest governs, so that of several deliveries of one partition only the current one is read (sources §1); of
 * Azure's runs, each with a manifest of its own, those that count (domain/export-runs.ts).
 */
export const currentFiles = (
  files: readonly string[],
  manifests: readonly ExportManifest[],
): CurrentFiles => {
  const outermostFirst = manifests
    .map((manifest) => {
      const directory = governedDirectory(manifest.path);
      const named = new Map(manifest.dataFiles.map((file) => [namedBelow(directory, file), file]));
      return { directory, named, run: manifest.run === undefined ? null : runIn(directory, manifest.run) };
    })
    .sort((a, b) => a.directory.length - b.directory.length);
  const governorOf = (file: string) => outermostFirst.find(({ directory }) => file.startsWith(directory));
  const governing = new Set(files.flatMap((file) => governorOf(file) ?? []));

  // A run without a manifest is a folder below that of its range. Files beside each other in the folder of the range are one
  // delivery, which is another run only where there are runs below.
  const folders = new Set(files.filter((file) => governorOf(file) === undefined).map(directoryOf));
  const stated = outermostFirst.flatMap(({ run }) => run ?? []);
  const unstated = [...folders].flatMap((folder) => runIn(folder, undefined) ?? []);
  const silent = unstated.filter(
    (run) =>
      run.rangeFolder !== run.folder ||
      [...stated, ...unstated].some((other) => other !== run && other.rangeFolder === run.folder),
  );
  const runs = runsThatCount([...stated, ...silent]);
  const leftOut = new Set([...runs.replaced, ...runs.unfinished].map(({ folder }) => folder));

  const kept = files.filter((file) => {
    const manifest = governorOf(file);
    const folder = manifest?.directory ?? directoryOf(file);
    return !leftOut.has(folder) && (manifest?.named.has(file.slice(folder.length)) ?? true);
  });
  const keptFiles = new Set(kept);
  const missing = [...governing].flatMap(({ directory, named }) =>
    leftOut.has(directory)
      ? []
      : [...named].flatMap(([name, file]) => (keptFiles.has(`${directory}${name}`) ? [] : [file])),
  );
  return {
    files: kept,
    missing,
    undecided: runs.undecided.map(({ folder }) => folder),
    notes: [
      ...runs.unfinished.map(
        ({ folder }) => `${folder} has no manifest yet, as other runs have, and was left out`,
      ),
      ...runs.replaced.flatMap((run) => leftOutNote(run, runs.current)),
    ],
  };
};

const leftOutNote = (run: ExportRun, current: readonly ExportRun[]): string[] => {
  const days = daysLeftOut(run, current);
  return days.length === 0
    ? []
    : [`${run.folder} was left out, because a newer run has some of its days; no run has ${dayRanges(days)}`];
};
