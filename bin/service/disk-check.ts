import { open, rm, statfs } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import type { Logger } from 'pino';
import type { DiskState } from '../../api/http/dependencies.ts';
import { isDuckLake, localFolder } from '../../warehouse/engine/location.ts';
import type { Settings } from '../settings/settings.ts';

/** Below it a load or Temporal fills the disk within moments. */
const LEAST_FREE_BYTES = 64 * 2 ** 20;

/** Probes cost an fsync: callers within this time share one answer. */
const KEEP_MS = 3_000;

/** What the probe writes; a killed process's is overwritten and removed by the next one. */
const PROBE = '.disk-check';
const PROBE_BYTES = Buffer.alloc(4096, 1);

/** The folders in which the service must be able to write: the data directory, and that of a warehouse elsewhere. */
export const writtenFolders = (
  settings: Pick<Settings, 'dataDir' | 'warehouse' | 'WAREHOUSE_DATA'>,
): string[] => {
  const { dataDir, warehouse, WAREHOUSE_DATA: lake } = settings;
  const elsewhere = isDuckLake(warehouse) ? localFolder(lake) : dirname(resolve(warehouse));
  return [...new Set([dataDir, ...(elsewhere === null ? [] : [elsewhere])])];
};

/**
 * Tells whether folders can be written to, by really writing and syncing a file in each. One probe runs at a time; its
 * answer holds for a few seconds. Changes of the state are logged.
 */
export const createDiskCheck = (
  folders: readonly string[],
  log: Pick<Logger, 'info' | 'warn'>,
): (() => Promise<DiskState>) => {
  let state: DiskState = 'ok';
  let probing: Promise<DiskState> | null = null;
  let probedAt = -Infinity;
  const probe = async (): Promise<DiskState> => {
    const states = await Promise.all(folders.map(stateOf));
    const now = states.find((each) => each !== 'ok') ?? 'ok';
    if (now !== state && now === 'ok') log.info('the disk can be written to again');
    else if (now !== state)
      log.warn({ folders, states }, 'the disk cannot be written to: make room, or mend it');
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
};

const stateOf = async (folder: string): Promise<DiskState> => {
  const path = join(folder, PROBE);
  try {
    const file = await open(path, 'w', 0o600);
    try {
      await file.writeFile(PROBE_BYTES);
      await file.sync();
    } finally {
      await file.close();
      await rm(path, { force: true });
    }
    const { blocks, bavail, bsize } = await statfs(folder);
    // Some file systems do not tell their size.
    return blocks > 0 && bavail * bsize < LEAST_FREE_BYTES ? 'full' : 'ok';
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : null;
    // Whatever else keeps the service from writing, a missing right or a broken disk, comes to the same.
    return code === 'ENOSPC' || code === 'EDQUOT' ? 'full' : 'read_only';
  }
};
