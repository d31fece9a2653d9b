import { firstAndMore } from '../../shared/text/for-message.ts';

/** What is in files that no reader opens, by the end of their name, and what to do with them. */
const KINDS: readonly { name: RegExp; is: string; advice: string }[] = [
  {
    name: /\.(?:xlsx?|xlsm|ods)$/i,
    is: 'a workbook',
    advice: 'save it as CSV, or let the export write CSV or Parquet',
  },
  {
    name: /\.(?:zip|7z|rar|tar|tgz|tar\.gz)$/i,
    is: 'an archive',
    advice: 'unpack it, or let the export write .csv.gz or Parquet',
  },
  {
    name: /\.(?:bz2|zst|xz|lz4|snappy)$/i,
    is: 'compressed in another way',
    advice: 'compress it with gzip as .csv.gz',
  },
  { name: /\.(?:json|jsonl|ndjson)(?:\.gz)?$/i, is: 'JSON', advice: 'let the export write CSV or Parquet' },
  {
    name: /\.(?:tsv|txt|dat)(?:\.gz)?$/i,
    is: 'a text file',
    advice: 'if it is CSV with commas, give it a name that ends in .csv',
  },
];

const isManifest = (path: string): boolean => /manifest\.json$/i.test(path);

const nameOf = (path: string): string => JSON.stringify(path.slice(path.lastIndexOf('/') + 1));

/** Returns a sentence for each file that may have data of an export in another form, such as a workbook beside CSV files. */
export const otherForms = (paths: readonly string[]): string[] =>
  paths.flatMap((path) => {
    const kind = KINDS.slice(0, 3).find(({ name }) => name.test(path));
    return kind === undefined ? [] : [`${nameOf(path)} is ${kind.is} and was left out: ${kind.advice}`];
  });

const MOST_NAMED = 3;

/** Returns what is in a location without files that can be read, and what to do. */
export function onlyOtherFiles(paths: readonly string[]): string {
  if (paths.length === 0)
    return 'nothing is there: check the path, or wait until the export has written its first files';
  const others = paths.filter((path) => !isManifest(path));
  if (others.length === 0)
    return 'there are only manifests: wait until the export has written its files, or name the folder that has them, too';
  const kind = KINDS.find(({ name }) => name.test(others[0] ?? ''));
  const names = firstAndMore(others.map(nameOf), MOST_NAMED).join(', ');
  return kind === undefined ? `there is ${names}` : `there is ${names}, which is ${kind.is}: ${kind.advice}`;
}
