import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { requireRegularFile } from '../../../files/require-regular-file.ts';
import {
  damagesOf,
  filesBelow,
  filesOf,
  firstDamages,
  NAMING,
  sizeOf,
  type CatalogRow,
  type LakeFiles,
} from './lake-files.ts';

/** The dump of a DuckLake's catalog in a backup, and the folder with the files of the lake. */
export const dumpIn = (folder: string): string => join(folder, 'catalog.dump');
export const filesIn = (folder: string): string => join(folder, 'files');

/** What the copy of a DuckLake has. Its bytes are those of the dump and of the files that the dump names. */
export interface LakeCopy extends LakeFiles {
  /** The newest snapshot in the dump. */
  snapshot: number;
}

/**
 * Reads the whole dump, and looks whether every file that it names was copied with its size. Files that nothing names may be
 * there, too: those written after the dump. Needs `pg_restore`. Throws an error that names what is missing.
 */
export async function checkLakeCopy(folder: string): Promise<LakeCopy> {
  const dump = dumpIn(folder);
  const catalog = await readDump(dump);
  const snapshots = catalog.ducklake_snapshot.map((row) => Number(row['snapshot_id']));
  if (snapshots.length === 0) throw new Error(`${dump} has no snapshot: expected the dump of a DuckLake`);
  const named = filesOf(catalog);
  const damages = damagesOf(named, await filesBelow(filesIn(folder)));
  if (damages.length > 0)
    throw new Error(`the copy in ${filesIn(folder)} is not complete: ${firstDamages(damages)}`);
  const { files, bytes } = sizeOf(named);
  return {
    // A catalog may keep more snapshots than a call takes arguments.
    snapshot: snapshots.reduce((newest, snapshot) => Math.max(newest, snapshot)),
    files,
    bytes: bytes + (await stat(dump)).size,
  };
}

const READ = { ...NAMING, ducklake_snapshot: ['snapshot_id'] } as const;

type ReadTable = keyof typeof READ;

const isRead = (table: string): table is ReadTable => Object.hasOwn(READ, table);

/** Matches the line of a dump after which the rows of a table come, one a line, until a line with `\.`. */
const ROWS_OF = /^COPY (?:\S+\.)?(\w+) \((.*)\) FROM stdin;$/;

async function readDump(dump: string): Promise<Record<ReadTable, CatalogRow[]>> {
  const catalog: Record<ReadTable, CatalogRow[]> = {
    ducklake_snapshot: [],
    ducklake_schema: [],
    ducklake_table: [],
    ducklake_data_file: [],
    ducklake_delete_file: [],
  };
  let rows: { table: string; columns: string[] } | null = null;
  for await (const line of restored(dump)) {
    if (rows === null) {
      const [, table, columns = ''] = ROWS_OF.exec(line) ?? [];
      if (table !== undefined) rows = { table, columns: columns.split(', ') };
    } else if (line === '\\.') rows = null;
    else if (isRead(rows.table)) {
      const values = line.split('\t').map(valueOf);
      const read = rows.columns.map((column, index) => [column, values[index] ?? null] as const);
      catalog[rows.table].push(Object.fromEntries(read));
    }
  }
  return catalog;
}

/** What Postgres writes for characters that would end a value. */
const ESCAPED: Readonly<Record<string, string>> = {
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
};

const valueOf = (text: string): string | null =>
  text === '\\N' ? null : text.replaceAll(/\\([^])/g, (_, letter: string) => ESCAPED[letter] ?? letter);

/** Yields the lines of a dump's data. Throws at its end if the dump is damaged. */
const restored = async function* (dump: string): AsyncGenerator<string> {
  await requireRegularFile(dump);
  const program = spawn('pg_restore', ['--data-only', '--file=-', dump], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let complaints = '';
  program.stderr.on('data', (chunk: Buffer) => {
    complaints += chunk.toString();
  });
  const ended = once(program, 'close').catch((cause: unknown) => {
    throw new Error(`${dump} cannot be read: install pg_restore, which comes with Postgres`, { cause });
  });
  yield* createInterface({ input: program.stdout });
  const [code] = (await ended) as [number | null];
  if (code !== 0) throw new Error(`${dump} cannot be read: ${complaints.trim()}`);
};
