/** An export's own list of the files that make up one of its partitions. */
export interface ExportManifest {
  path: string;
  dataFiles: readonly string[];
}

const directoryOf = (path: string): string => path.slice(0, path.lastIndexOf('/') + 1);

/** AWS keeps manifests under `metadata/`, in the same folders in which the data lies under `data/`. */
const governedDirectory = (manifest: ExportManifest): string =>
  directoryOf(manifest.path).replace('/metadata/', '/data/');

/** Where the manifests of the exports in a folder can lie, as globs. */
export const manifestGlobs = (files: readonly string[]): string[] => {
  const globs = files.map((file) => {
    const directory = directoryOf(file);
    const data = directory.lastIndexOf('/data/');
    return data === -1
      ? `${directory}*Manifest.json`
      : `${directory.slice(0, data)}/metadata/**/*Manifest.json`;
  });
  return [...new Set(globs)];
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
  const outermostFirst = [...manifests].sort(
    (a, b) => governedDirectory(a).length - governedDirectory(b).length,
  );
  const governing = new Set<ExportManifest>();
  const kept = files.filter((file) => {
    const manifest = outermostFirst.find((candidate) => file.startsWith(governedDirectory(candidate)));
    if (manifest === undefined) return true;
    governing.add(manifest);
    const tail = file.slice(governedDirectory(manifest).length - 1);
    return manifest.dataFiles.some((named) => named.endsWith(tail));
  });
  const missing = [...governing].flatMap((manifest) =>
    manifest.dataFiles.filter(
      (named) => !kept.some((file) => named.endsWith(file.slice(governedDirectory(manifest).length - 1))),
    ),
  );
  return { files: kept, missing };
};
