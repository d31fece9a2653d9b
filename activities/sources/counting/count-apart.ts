import { execFile } from 'node:child_process';
import { createRequire } from 'node:module';
import { promisify } from 'node:util';
import { Outage } from '../../../domain/shared/errors.ts';
import type { CountedApart } from './count-process.ts';
import type { CountedBy } from './count-rows.ts';

const run = promisify(execFile);

/** The built program of the process, because Node cannot run the sources. */
const PROGRAM = createRequire(import.meta.url).resolve('#count-process');

/** As that of the reader (reader.ts): whoever asks the API meanwhile comes first. */
const NICENESS = '10';

/**
 * Counts the records of a local CSV file in a process of its own. Decompression takes seconds, which the service's threads would
 * take from the reader. `signal` ends the process.
 */
export async function countApart(
  path: string,
  { by, isCompressed }: { by: CountedBy; isCompressed: boolean },
  signal: AbortSignal,
): Promise<CountedApart> {
  const how = [by, isCompressed ? 'gzip' : 'none'];
  try {
    const { stdout } = await run('nice', ['-n', NICENESS, process.execPath, PROGRAM, path, ...how], {
      signal,
    });
    return JSON.parse(stdout) as CountedApart;
  } catch (error) {
    signal.throwIfAborted();
    throw new Outage('the process that counts the rows of a file ended without a result', { cause: error });
  }
}
