import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { z } from 'zod';

const schema = z.object({
  pid: z.int(),
  /** Of the gRPC frontend, on 127.0.0.1. */
  port: z.int(),
  /** Byte of the log at which its output starts. */
  logStart: z.int(),
  /** Of its web page, on 127.0.0.1; null if it serves none. */
  uiPort: z.int().nullable(),
});

/** What the next start must know about a dev server that outlived the process that started it. */
export type DevServerRecord = z.infer<typeof schema>;

/**
 * Writes the record with an atomic rename. It is synchronous, so that not even a turn of the event loop comes between
 * the start of the server and its record.
 */
export function writeDevServerRecord(path: string, { pid, port, logStart, uiPort }: DevServerRecord): void {
  const temporary = `${path}.${process.pid}.tmp`;
  writeFileSync(temporary, `${JSON.stringify({ pid, port, logStart, uiPort })}\n`);
  renameSync(temporary, path);
}

/** @returns the record, or undefined if there is none or it is not readable as one */
export function readDevServerRecord(path: string): DevServerRecord | undefined {
  try {
    return schema.parse(JSON.parse(readFileSync(path, 'utf8')));
  } catch {
    return undefined;
  }
}

/** Removes the record if it is still that of `pid`: another process may have replaced it meanwhile. */
export function removeDevServerRecord(path: string, pid: number): void {
  if (readDevServerRecord(path)?.pid === pid) rmSync(path, { force: true });
}
