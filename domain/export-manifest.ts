/** An export's own list of the files that make up one of its partitions. */
export interface ExportManifest {
  path: string;
  dataFiles: readonly string[];
}

const directoryOf = (path: string): string => path.slice(0, path.lastIndexOf('/') + 1);

/** AWS keeps manifests under `metadata/`, in the same folders in which the data lies under `data/`. */
const governedDirectory = (manifest: ExportManifest): string =>
  directoryOf(manifest.path).replace(/\/metadata\/(?!.*\/metadata\/)/, '/data/');

/** Where the manifests of the exports in a folder can lie, as globs: beside the files, or under `metadata/`. */
export const manifestGlobs = (files: readonly string[]): string[] => {
  const globs = files.flatMap((file) => {
    const directory = directoryOf(file);
    const data = directory.lastIndexOf('/data/');
    const beside = `${directory}*Manifest.json`;
    return data === -1 ? [beside] : [beside, `${directory.slice(0, data)}/metadata/**/*Manifest.json`];
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

/**
 * The files that count: in a partition that has a manifest those that it names, elsewhere all. The outermost
 * manifest governs, so that of several deliveries of one partition only the current one is read (sources §1).
 * `missing` are files that a manifest names and that are not there.
 */
export const currentFiles = (
  files: readonly string[],
  manifests: readonly ExportManifest[],
): { files: string[]; missing: string[] } => {
  const outermostFirst = manifests
    .map((manifest) => {
      const directory = governedDirectory(manifest);
      const named = new Map(manifest.dataFiles.map((file) => [namedBelow(directory, file), file]));
      return { directory, named };
    })
    .sort((a, b) => a.directory.length - b.directory.length);
  const governing = new Set<(typeof outermostFirst)[number]>();
  const kept = files.filter((file) => {
    const manifest = outermostFirst.find(({ directory }) => file.startsWith(directory));
    if (manifest === undefined) return true;
    governing.add(manifest);
    return manifest.named.has(file.slice(manifest.directory.length));
  });
  const missing = [...governing].flatMap(({ directory, named }) =>
    [...named].flatMap(([name, file]) => (kept.includes(`${directory}${name}`) ? [] : [file])),
  );
  return { files: kept, missing };
};
