import { statfs } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import type { Logger } from 'pino';
import type { DiskState } from '../../api/http/dependencies.ts';
import { isDuckLake, localFolder } from '../../warehouse/engine/location.ts';
import { writeProbe } from '../../files/write-probe.ts';
import type { Settings } from '../settings/settings.ts';

/** With less, a load or Temporal fills the disk within moments. */
export const LEAST_FREE_BYTES = 64 * 2 ** 20;

/** Calls within this time share one result, because a probe costs an fsync. */
const KEEP_MS = 3_000;

/** The file that a probe writes. */
const PROBE = '.disk-check';

/** Returns the folders that must be writable: the data directory, and the folder of a warehouse elsewhere. */
export function writtenFolders(
  settings: Pick<Settings, 'dataDir' | 'warehouse' | 'WAREHOUSE_DATA'>,
): string[] {
  const { dataDir, warehouse, WAREHOUSE_DATA: lake } = settings;
  const elsewhere = isDuckLake(warehouse) ? localFolder(lake) : dirname(resolve(warehouse));
  return [...new Set([dataDir, ...(elsewhere === null ? [] : [elsewhere])])];
}

/**
 * Returns a check that writes and syncs a file in each folder, to find whether it can be written to. Only one probe runs at a
 * time, and its result holds for a few seconds. Logs changes of the state.
 */
export function createDiskCheck(
  folders: readonly string[],
  log: Pick<Logger, 'info' | 'warn'>,
): () => Promise<DiskState> {
  let state: DiskState = 'ok';
  let probing: Promise<DiskState> | null = null;
  let probedAt = -Infinity;
  const probe = async (): Promise<DiskState> => {
    const states = await Promise.all(folders.map(stateOf));
    const now = states.find((each) => each !== 'ok') ?? 'ok';
    if (now !== state && now === 'ok') log.info('the disk can be written to again');
    else if (now !== state)
      log.warn({ folders, states }, 'the disk cannot be written to: free space, or repair it');
    state = now;
    probedAt = performance.now();
    return state;
  };
  return () => {
    if (performance.now() - probedAt < KEEP_MS) return Promise.resolve(state);
    probing ??= probe().finally(() => {
      probing = null;
    });
    return probing;
  };
}

async function stateOf(folder: string): Promise<DiskState> {
  try {
    await writeProbe(join(folder, PROBE));
    const free = await freeBytes(folder);
    return free !== null && free < LEAST_FREE_BYTES ? 'full' : 'ok';
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : null;
    // All other causes, for example a missing right or a broken disk, count as read-only.
    return code === 'ENOSPC' || code === 'EDQUOT' ? 'full' : 'read_only';
  }
}

/** Returns how many bytes the disk of a folder has free, or null if its file system does not report that. */
export async function freeBytes(folder: string): Promise<number | null> {
  const { blocks, bavail, bsize } = await statfs(folder);
  return blocks > 0 ? bavail * bsize : null;
}
