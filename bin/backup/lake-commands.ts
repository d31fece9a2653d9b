import type { z } from 'zod';
import type { lakePlace } from '../../api/operator/backups.ts';
import { dumpIn, filesIn } from '../../warehouse/engine/backup/lake-copy.ts';

/** Where a DuckLake is: its catalog, as a connection string without a password, and its files. */
export type LakePlace = Pick<z.infer<typeof lakePlace>, 'catalog' | 'data_path' | 'endpoint'>;

/** Returns a text as one word of a shell. */
const word = (text: string): string =>
  /^[\w./:=@-]+$/.test(text) ? text : `'${text.replaceAll(`'`, `'\\''`)}'`;

/** Returns the commands that copy a DuckLake to a folder, in their order. The dump must be there before the files are copied. */
export const copyCommands = (
  { catalog, data_path: files, endpoint }: LakePlace,
  folder: string,
): string[] => [
  `pg_dump --format=custom --file=${word(dumpIn(folder))} ${word(catalog)}`,
  transfer(files, filesIn(folder), endpoint),
];

/** Returns the commands that bring a copy back, in any order. */
export const restoreCommands = (
  { catalog, data_path: files, endpoint }: LakePlace,
  folder: string,
): string[] => [
  `pg_restore --exit-on-error --single-transaction --no-owner --dbname=${word(catalog)} ${word(dumpIn(folder))}`,
  transfer(filesIn(folder), files, endpoint),
];

/** A command of `cost-analytics`, to run again. */
export const again = (command: 'backup --to' | 'restore --from', folder: string): string =>
  `cost-analytics ${command} ${word(folder)}`;

function transfer(from: string, to: string, endpoint: string | null): string {
  const isRemote = [from, to].some((path) => path.startsWith('s3:'));
  if (!isRemote) return `mkdir -p ${word(to)} && cp -Rp ${word(`${from.replace(/\/$/, '')}/.`)} ${word(to)}`;
  return [
    `aws s3 sync ${word(from)} ${word(to)}`,
    ...(endpoint === null ? [] : [`--endpoint-url ${word(endpoint)}`]),
  ].join(' ');
}
