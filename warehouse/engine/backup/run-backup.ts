import { join } from 'node:path';
import type { Logger } from 'pino';
import type { Clock } from '../../../domain/shared/clock.ts';
import { conflict } from '../../../domain/shared/errors.ts';
import type { Metrics } from '../../../telemetry/metrics.ts';
import type { Warehouse } from '../warehouse.ts';
import { backUp, takeEmptyFolder, takeFolder } from './back-up.ts';
import { noteBackup } from './backup-log.ts';
import { newCopyName, removeOldCopies, withNamedCopy } from './kept-copies.ts';
import { totalRows, type BackupManifest } from './manifest.ts';

/** A backup of a DuckDB file that somebody has asked for. */
export interface BackupRequest {
  /** The folder of the copy, or of dated copies. */
  to: string;
  /** How many dated copies stay in `to`; null makes `to` itself the copy. */
  keep: number | null;
  version: string;
  /** Stops it. */
  signal: AbortSignal;
}

export interface StartedBackup {
  /** The folder of the copy. */
  to: string;
  /** The instant of which the data is. */
  takenAt: Date;
  ended: Promise<BackupManifest>;
}

interface Parts {
  warehouse: Warehouse;
  metrics: Metrics;
  clock: Clock;
  log: Pick<Logger, 'info' | 'warn' | 'error'>;
}

/** Warehouses with a backup under way. A second one would take its scratch folder for one of a killed process. */
const RUNNING = new WeakSet<Warehouse>();

/**
 * Starts a backup. Throws at once if its folder cannot be used, or if another one is running. Later it logs and records how the
 * backup ends, unless it was stopped.
 */
export async function startBackup(parts: Parts, request: BackupRequest): Promise<StartedBackup> {
  const { warehouse, clock } = parts;
  if (RUNNING.has(warehouse)) throw conflict('a backup is running: wait until it has ended');
  RUNNING.add(warehouse);
  try {
    const { to, keep } = request;
    const takenAt = clock.now();
    await (keep === null ? takeEmptyFolder(to) : takeFolder(to));
    const name = keep === null ? null : await newCopyName(to, takenAt);
    const ended = copy(parts, request, { name, takenAt }).finally(() => RUNNING.delete(warehouse));
    return { to: name === null ? to : join(to, name), takenAt, ended };
  } catch (error) {
    RUNNING.delete(warehouse);
    throw error;
  }
}

async function copy(
  parts: Parts,
  { to, keep, version, signal }: BackupRequest,
  { name, takenAt }: { name: string | null; takenAt: Date },
): Promise<BackupManifest> {
  const { warehouse, clock, log } = parts;
  const options = { version, now: takenAt, signal };
  try {
    const manifest = await (name === null
      ? backUp(warehouse, to, options)
      : withNamedCopy(to, name, (folder) => backUp(warehouse, folder, { ...options, keptAs: name })));
    const removed = keep === null ? [] : await removeOldCopies(to, keep, manifest);
    log.info({ to, name, removed, bytes: manifest.bytes, rows: totalRows(manifest) }, 'a backup is complete');
    await noteBackup(parts, { takenAt, endedAt: clock.now(), isComplete: true });
    return manifest;
  } catch (error) {
    signal.throwIfAborted();
    const failure = isDiskFull(error) ? diskFull(to, error) : error;
    log.error({ err: failure, to }, 'the backup failed');
    await noteBackup(parts, { takenAt, endedAt: clock.now(), isComplete: false });
    throw failure;
  }
}

/** Matches DuckDB's message and the codes of Node for a disk without space. */
const isDiskFull = (error: unknown): boolean =>
  error instanceof Error && /No space left on device|ENOSPC|EDQUOT/.test(error.message);

const diskFull = (to: string, cause: unknown): Error =>
  new Error(`the disk of ${to} is full: free space, or choose a folder on another disk`, { cause });
