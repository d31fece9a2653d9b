import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isInPart, partFrom } from '../effort.ts';

/** What a test file imports if it starts the service. */
const SERVICE =
  /from '.*\/(service-process|with-service|node-process|shared-service|backed-up-service|cluster)\.ts'/;

/** What a test file imports if it starts the service, opens a warehouse, or runs another server. */
const SLOW = /from '.*\/support\/(service|warehouse|nodes)\//;

/** Whether the tests of a file start the service. */
export const startsService = (file: string): boolean => SERVICE.test(readFileSync(file, 'utf8'));

/** Returns the files that PART leaves out: of the slow files it keeps a part. */
export function filesLeftOut(): string[] {
  const part = partFrom('PART');
  if (part === null) return [];
  return readdirSync('test', { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.test.ts'))
    .map((name) => join('test', name))
    .sort()
    .filter((file) => SLOW.test(readFileSync(file, 'utf8')))
    .filter((_, index) => !isInPart(part, index));
}
