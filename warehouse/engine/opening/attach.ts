import { dirname, resolve } from 'node:path';
import { makeFolder } from '../../../files/make-folder.ts';
import type { ObjectStorage } from '../../../domain/sources/exports/object-storage.ts';
import { loadExtension } from './extensions.ts';
import { isDuckLake, localFolder, postgresCatalog } from '../location.ts';
import { connectObjectStorage } from '../remote-files.ts';
import type { Session } from '../session.ts';
import { sqlText } from '../sql/sql-text.ts';

/** Where a warehouse is, and what it takes to attach it. */
export interface WarehousePlace {
  /** A DuckDB file, or `ducklake:…` with its catalog (docs/design.md#a-batch-pipeline-with-a-thin-api). */
  location: string;
  /** Where DuckLake keeps its Parquet files: a shared path or `s3://…`. A DuckDB file does not use it. */
  dataPath: string | null;
  /** The directory with signed DuckDB extensions. If null, DuckDB installs them. */
  extensions: string | null;
  objectStorage: ObjectStorage;
}

/**
 * Rows of new tables that are compressed together. A write first holds them uncompressed. The default, 122,880 rows, takes 30 MB
 * more for a large upload. Fewer rows make the file larger: this number by a tenth, half of it by a fifth.
 */
const ROW_GROUP_ROWS = 40_960;

/**
 * How DuckLake repeats a commit that met another: after 20 ms, then each time a fifth later, for about four seconds. Its own waits
 * grow from 100 ms by half each time, so that an unlucky write of one value took eleven seconds beside seven others.
 */
const COMMIT_AGAIN = {
  ducklake_max_retry_count: 20,
  ducklake_retry_wait_ms: 20,
  ducklake_retry_backoff: 1.2,
} as const;

/** The location of a warehouse that ends with its process, or once it is closed. */
export const IN_MEMORY = ':memory:';

/** Attaches a warehouse. Creates it if it does not exist. */
export async function attach(session: Session, place: WarehousePlace): Promise<void> {
  if (isDuckLake(place.location)) {
    await attachLake(session, place);
    return;
  }
  if (place.location !== IN_MEMORY) await makeFolder(dirname(resolve(place.location)));
  await attachFile(session, place.location);
}

/** Attaches a DuckLake. `options` are further ones of DuckLake's ATTACH. */
export async function attachLake(
  session: Session,
  place: WarehousePlace,
  options: readonly string[] = [],
): Promise<void> {
  await loadExtension(session, 'ducklake', place.extensions);
  if (postgresCatalog(place.location) !== null)
    await loadExtension(session, 'postgres_scanner', place.extensions);
  if (place.dataPath === null)
    throw new Error('WAREHOUSE is a DuckLake: set WAREHOUSE_DATA to where it keeps its files');
  if (place.dataPath.startsWith('s3:')) {
    await connectObjectStorage(session, place.objectStorage, place.extensions);
  }
  for (const [name, value] of Object.entries(COMMIT_AGAIN))
    await session.run(`SET GLOBAL ${name} = ${value}`);
  const folder = localFolder(place.dataPath);
  if (folder !== null) await makeFolder(folder);
  const all = [`DATA_PATH ${sqlText(place.dataPath)}`, ...options];
  await session.run(`ATTACH ${sqlText(place.location)} AS warehouse (${all.join(', ')})`);
}

/**
 * Attaches a warehouse's file. Throws an error that says what to do if another process uses it, or if its log is damaged. DuckDB
 * replays the log, and leaves both files as they are if a checksum in it is wrong.
 */
export async function attachFile(
  session: Session,
  location: string,
  access: 'READ_WRITE' | 'READ_ONLY' = 'READ_WRITE',
): Promise<void> {
  const file = location === IN_MEMORY ? location : resolve(location);
  try {
    await session.run(`ATTACH ${sqlText(file)} AS warehouse (${access}, ROW_GROUP_SIZE ${ROW_GROUP_ROWS})`);
  } catch (cause) {
    if (cause instanceof Error && /could not set lock/i.test(cause.message)) {
      throw new Error(`another process uses ${file}: stop it, or choose another DATA_DIR or WAREHOUSE`, {
        cause,
      });
    }
    if (cause instanceof Error && /replaying WAL/i.test(cause.message)) {
      const [, reason = cause.message] = /Corrupt WAL file: (.*)/i.exec(cause.message) ?? [];
      throw new Error(
        `${file}.wal, the log of ${file}, is damaged (${reason}): nothing was changed. Keep a copy of both files, check the ` +
          'disk, then restore the newest backup into a new DATA_DIR (docs/operation.md, Backup). ' +
          'Never delete the log alone: it has the newest writes',
        { cause },
      );
    }
    throw cause;
  }
}
