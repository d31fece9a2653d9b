import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';

/** What the next start must know about a dev server that outlived the process that started it. */
export interface DevServerRecord {
  pid: number;
  /** Of the gRPC frontend, on 127.0.0.1. */
  port: number;
  /** Byte of the log at which its output starts; undefined in a record of an earlier version. */
  logStart?: number | undefined;
}

/**
 * Writes the record with an atomic rename. Synchronous on purpose: nothing, not even a turn of the
 * event loop, comes between the start of the server and its record.
 */
export function writeDevServerRecord(path: string, record: DevServerRecord): void {
  const temporary = `${path}.${process.pid}.tmp`;
  writeFileSync(temporary, `${JSON.stringify(record)}\n`);
  renameSync(temporary, path);
}

/** @returns the record, or undefined if there is none or it is not readable as one */
export function readDevServerRecord(path: string): DevServerRecord | undefined {
  try {
    const value: unknown = JSON.parse(readFileSync(path, 'utf8'));
    return isRecord(value) ? { pid: value.pid, port: value.port, logStart: value.logStart } : undefined;
  } catch {
    return undefined;
  }
}

/** Removes the record if it is still that of `pid`: another process may have replaced it meanwhile. */
export function removeDevServerRecord(path: string, pid: number): void {
  if (readDevServerRecord(path)?.pid === pid) rmSync(path, { force: true });
}

function isRecord(value: unknown): value is DevServerRecord {
  if (typeof value !== 'object' || value === null || !('pid' in value) || !('port' in value)) return false;
  if ('logStart' in value && !Number.isSafeInteger(value.logStart)) return false;
  return Number.isSafeInteger(value.pid) && Number.isSafeInteger(value.port);
}
