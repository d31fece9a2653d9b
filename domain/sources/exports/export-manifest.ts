import { firstDayAfter, isDay, lastDay, monthOf, type Day } from '../../shared/calendar.ts';
import { rangesInWords } from '../../shared/day-ranges.ts';
import { daysLeftOut } from '../days-left-out.ts';
import { runsThatCount, type ExportRun } from './export-runs.ts';
import { isOfBillingPeriod, periodFolderOf, undecidedVersions } from './aws-versions.ts';
import { costSetOf, type CostSet } from './cost-set.ts';
import { escapeGlob } from './glob.ts';
import { pushTo } from '../../shared/push-to.ts';
import { isReadableRange } from '../readable-days.ts';

/** An export's own list of the files of one of its partitions. */
export interface ExportManifest {
  path: string;
  dataFiles: readonly string[];
  /** The run that delivered the files, if the manifest belongs to a single run, as Azure's do. */
  run?: {
    scope: string | null;
    type?: string | null;
    from: Day | null;
    to: Day | null;
    submitted: number | null;
  };
}

/** Files that an export delivered together, so that none of them is a copy of another. */
export interface Delivery {
  /** Its folder, or its only file. */
  name: string;
  files: readonly string[];
  /** The days of its charges; null if they are not known. */
  from: Day | null;
  to: Day | null;
  /** What its run reports on; null if no manifest says so. */
  scope: string | null;
  /** The set of costs that it has, if Azure's manifest or its name says so. */
  costSet: CostSet | null;
}

/** The files that count, and the decisions about the others. */
export interface CurrentFiles {
  files: string[];
  /** The files of `files`, by delivery. */
  deliveries: Delivery[];
  /** Files that a manifest names but that do not exist. */
  missing: string[];
  /** Folders of runs with the same days, if no manifest states which run is the newest. */
  undecided: string[];
  notes: string[];
  /** When the run that delivered a file was submitted, in milliseconds since 1970, if its manifest says so. */
  submitted: Map<string, number>;
}

const directoryOf = (path: string): string => path.slice(0, path.lastIndexOf('/') + 1);

const METADATA = '/metadata/';

/** Returns the folder of a manifest's files. AWS keeps manifests under `metadata/`, in the same subfolders as under `data/`. */
function governedDirectory(path: string): string {
  const directory = directoryOf(path);
  const at = directory.lastIndexOf(METADATA);
  return at === -1 ? directory : `${directory.slice(0, at)}/data/${directory.slice(at + METADATA.length)}`;
}

/** Matches manifests in any case: AWS's end in `Manifest.json`, Azure's are named `manifest.json` or `_manifest.json`. */
const ANY_MANIFEST = '*[mM][aA][nN][iI][fF][eE][sS][tT].[jJ][sS][oO][nN]';

/** Returns those of `paths` that are manifests and lie where manifests of `files` can be: see `manifestGlobs`. */
export function manifestsAmong(paths: readonly string[], files: readonly string[]): string[] {
  const directories = new Set(files.map(directoryOf));
  const holding = new Set(directories);
  for (const directory of directories)
    for (let outer = outerOf(directory); outer !== null && !holding.has(outer); outer = outerOf(outer))
      holding.add(outer);
  return paths.filter(
    (path) =>
      /manifest\.json$/i.test(path) &&
      (directories.has(directoryOf(path)) ||
        (holding.has(directoryOf(path)) && periodFolderOf(`${directoryOf(path)}version/`) !== null) ||
        (path.includes(METADATA) && holding.has(governedDirectory(path)))),
  );
}

/** Returns the parent of a folder; null for the outermost folder. */
const outerOf = (directory: string): string | null =>
  directory === '' ? null : directoryOf(directory.slice(0, -1));

/** Returns globs for the places where manifests of files can be: beside the files, or under `metadata/`. */
export function manifestGlobs(files: readonly string[]): string[] {
  const globs = files.flatMap((file) => {
    const directory = directoryOf(file);
    const data = directory.lastIndexOf('/data/');
    const besides = [directory, periodFolderOf(directory) ?? directory].map(
      (folder) => `${escapeGlob(folder)}${ANY_MANIFEST}`,
    );
    return data === -1
      ? besides
      : [...besides, `${escapeGlob(directory.slice(0, data))}/metadata/**/${ANY_MANIFEST}`];
  });
  return [...new Set(globs)];
}

/**
 * Returns the path below the governed folder of a file that a manifest names. Manifests name the place where the export was
 * delivered, and a copy may lie elsewhere.
 */
function namedBelow(directory: string, named: string): string {
  const folder = `/${directory.slice(0, -1).split('/').at(-1) ?? ''}/`;
  const at = named.lastIndexOf(folder);
  return at === -1 ? named.slice(named.lastIndexOf('/') + 1) : named.slice(at + folder.length);
}

/** Azure's folders: `<root>/<export>/<yyyymmdd-yyyymmdd>/[<time>/]<run>/`. */
const AZURE_RUN = /^(.*\/|)([^/]+\/(\d{4})(\d\d)(\d\d)-(\d{4})(\d\d)(\d\d)\/)(?:[^/]+\/)*$/;

/** Returns a range with its last day. AWS's folders name a month by its first day and that of the next one. */
const inclusive = ({ from, to }: { from: Day; to: Day }): { from: Day; to: Day } =>
  from.endsWith('-01') && isDay(from) && to === firstDayAfter(monthOf(from))
    ? { from, to: lastDay(monthOf(from)) }
    : { from, to };

/** Returns the run in a folder; null if neither its manifest nor its name states readable days. */
function runIn(folder: string, stated: ExportManifest['run'], lastDay: Day): ExportRun | null {
  const [, root, range = '', y1, m1, d1, y2, m2, d2] = AZURE_RUN.exec(folder) ?? [];
  const named = root === undefined ? null : inclusive({ from: `${y1}-${m1}-${d1}`, to: `${y2}-${m2}-${d2}` });
  const days = stated?.from != null && stated.to !== null ? { from: stated.from, to: stated.to } : named;
  if (days === null || !isReadableRange(days, lastDay)) return null;
  const parent = directoryOf(folder.slice(0, -1));
  return {
    folder,
    scope: stated?.scope ?? null,
    costSet: costSetOf(stated?.type ?? null, folder),
    root: root ?? parent,
    rangeFolder: root === undefined ? parent : `${root}${range}`,
    ...days,
    submitted: stated?.submitted ?? null,
  };
}

/** A manifest with its files, by their paths below the folder that it governs. */
interface Governor {
  path: string;
  named: ReadonlyMap<string, string>;
  run: ExportRun | null;
}

/**
 * Returns the files that count: in a partition with manifests the files that they name, elsewhere all files. The manifests of
 * the outermost folder govern, so that only the current delivery of a partition is read
 * (docs/data-formats.md#focus-billing-exports). Azure's runs each have their own manifest; of these the runs that count are read
 * (export-runs.ts).
 *
 * @param lastDay the last day that a folder's name can state.
 */
export function currentFiles(
  files: readonly string[],
  manifests: readonly ExportManifest[],
  lastDay: Day,
): CurrentFiles {
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
  const submitted = new Map<string, number>();
  for (const [folder, all] of governed) {
    const counting = (governors.get(folder) ?? []).filter(({ run }) => run === null || !replaced.has(run));
    const named = new Map(counting.flatMap((governor) => [...governor.named]));
    for (const { run, named: files } of counting)
      for (const name of files.keys())
        if (run !== null && run.submitted !== null) submitted.set(`${folder}${name}`, run.submitted);
    const leftOut = all.filter((file) => !named.has(file.slice(folder.length)));
    for (const file of leftOut) kept.delete(file);
    for (const [name, file] of named) if (!kept.has(`${folder}${name}`)) missing.push(file);
    if (leftOut.length > 0)
      for (const governor of counting)
        if (governor.named.size === 0)
          notes.push(`${governor.path} names no file; files of its folder left out: ${leftOut.length}`);
  }
  // Folders of files that are governed by their own manifest, or by none. Azure's runs are decided above.
  const decided = new Set([...stated, ...unstated].map(({ folder }) => folder));
  const ownFolders = new Set(
    [...kept].map(directoryOf).filter((folder) => {
      const governing = governingFolder(folder);
      const isOwn = governing === folder || (governing === null && isOfBillingPeriod(folder));
      return isOwn && !decided.has(folder);
    }),
  );
  return {
    files: [...kept],
    deliveries: deliveriesOf([...kept], governingFolder, governors),
    missing,
    submitted,
    undecided: [...runs.undecided.map(({ folder }) => folder), ...undecidedVersions(ownFolders)],
    notes: [
      ...runs.unfinished.map(
        ({ folder }) => `${folder} has no manifest yet, unlike other runs, and was left out`,
      ),
      ...daysLeftOut(runs.replaced, runs.current).map(
        ({ run, days }) =>
          `${run.folder} was left out, because a newer run has some of its days; no run has ${rangesInWords(days)}`,
      ),
      ...notes,
    ],
  };
}

/**
 * Groups files by what delivered them. All partitions of an AWS export are one delivery, and each Azure run is one. Without a
 * manifest nothing says that files belong together, so that each is a delivery of its own.
 */
function deliveriesOf(
  files: readonly string[],
  governingFolder: (folder: string) => string | null,
  governors: ReadonlyMap<string, readonly Governor[]>,
): Delivery[] {
  const deliveries = new Map<string, Omit<Delivery, 'name'> & { files: string[] }>();
  for (const file of files) {
    const folder = governingFolder(directoryOf(file));
    const [governor] = folder === null ? [] : (governors.get(folder) ?? []);
    const name = folder === null ? file : governor?.run === null ? exportOf(folder, governor) : folder;
    const { from = null, to = null, scope = null, costSet = costSetOf(null, name) } = governor?.run ?? {};
    const delivery = deliveries.get(name) ?? { from, to, scope, costSet, files: [] };
    delivery.files.push(file);
    deliveries.set(name, delivery);
  }
  return [...deliveries].map(([name, delivery]) => ({ name, ...delivery }));
}

/** Returns the folder of an AWS export, which holds its partitions' manifests under `metadata/`; else the partition's folder. */
function exportOf(folder: string, { path }: Governor): string {
  const at = path.lastIndexOf(METADATA);
  return at === -1 ? folder : path.slice(0, at + 1);
}

/** Returns a function that finds the outermost of `folders` that is a folder or contains it; null if there is none. */
function outermostAmong(folders: ReadonlyMap<string, unknown>): (folder: string) => string | null {
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
}

/**
 * Returns the runs without a manifest: folders below the folder of their range. Files directly in the folder of a range are one
 * delivery. They are another run only if the folder contains runs.
 */
function runsWithoutManifest(stated: readonly ExportRun[], unstated: readonly ExportRun[]): ExportRun[] {
  const isBelowRange = (run: ExportRun) => run.rangeFolder !== run.folder;
  const ranges = new Set([...stated, ...unstated].filter(isBelowRange).map(({ rangeFolder }) => rangeFolder));
  return unstated.filter((run) => isBelowRange(run) || ranges.has(run.folder));
}
