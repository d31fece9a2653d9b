import type { DevServerFiles } from './dev-server-files.ts';
import { readDevServerRecord, type DevServerRecord } from './dev-server-record.ts';
import { isRunningWith } from './server-process.ts';

/** Returns the record of the dev server that serves the database of a data directory now; undefined if none does. */
export async function runningDevServer(
  files: Pick<DevServerFiles, 'record' | 'database'>,
): Promise<DevServerRecord | undefined> {
  const record = readDevServerRecord(files.record);
  return record !== undefined && (await isRunningWith(record.pid, files.database)) ? record : undefined;
}
