/** The names in a location, as steps write them. A name that is not typed yet is a word in capitals. */
export interface LocationNames {
  bucket: string;
  /** The path in the bucket or container without blanks, globs and files, such as `exports/focus`; empty for all of it. */
  prefix: string;
  account: string;
  container: string;
  project: string;
  dataset: string;
  table: string;
}

/** Returns the part of a path before its first glob, without the name of a file. */
function folderOf(path: string): string {
  const parts = path.split('/').filter((part) => part !== '');
  const glob = parts.findIndex((part) => /[*?[]/.test(part));
  const before = glob < 0 ? parts : parts.slice(0, glob);
  const last = before.at(-1) ?? '';
  return (/\.(?:csv|csv\.gz|parquet)$/i.test(last) ? before.slice(0, -1) : before).join('/');
}

/** Returns the names in what is typed as a location, whatever its scheme. */
export function namesIn(location: string): LocationNames {
  const [, scheme = '', rest = ''] = /^\s*([a-z][a-z0-9]*):\/\/(\S*)/i.exec(location) ?? [];
  const isA = (wanted: string): boolean => scheme.toLowerCase() === wanted;
  const [host = '', ...path] = rest.split('/');
  const [container = '', ...inContainer] = path;
  const [project = '', dataset = '', table = ''] = isA('bigquery') ? rest.split('.') : [];
  const bucket = isA('s3') || isA('gs') ? host : '';
  return {
    bucket: bucket === '' ? 'BUCKET' : bucket,
    prefix: folderOf((isA('az') ? inContainer : path).join('/')),
    account: isA('az') && host !== '' ? host : 'ACCOUNT',
    container: isA('az') && container !== '' ? container : 'CONTAINER',
    project: project === '' ? 'PROJECT' : project,
    dataset: dataset === '' ? 'DATASET' : dataset,
    table: table === '' ? 'TABLE' : table,
  };
}

/** Whether steps name everything, so that nobody copies a word in capitals. */
export const isNamed = (steps: readonly { code?: string }[]): boolean =>
  steps.every(({ code = '' }) => !/\b(?:BUCKET|ACCOUNT|CONTAINER|PROJECT|DATASET)\b/.test(code));
