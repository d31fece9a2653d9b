import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** What a test file imports if it starts the service. */
const SERVICE = /from '.*\/(service-process|node-process|shared-service|backed-up-service|cluster)\.ts'/;

/** What a test file imports if it starts the service, opens a warehouse, or runs another server. */
const SLOW = /from '.*\/support\/(service|warehouse|nodes)\//;

/** Whether the tests of a file start the service. */
export const startsService = (file: string): boolean => SERVICE.test(readFileSync(file, 'utf8'));

/** Returns the files that PART leaves out: `1/2` keeps every second of the slow files, from the first on, and `2/2` the others. */
export const filesLeftOut = (): string[] => {
  const part = process.env['PART'] ?? '';
  if (part === '') return [];
  const [, kept, parts] = (/^([1-9])\/([1-9])$/.exec(part) ?? []).map(Number);
  if (kept === undefined || parts === undefined || kept > parts)
    throw new Error(`PART: expected a part such as 1/2, got ${JSON.stringify(part)}`);
  return readdirSync('test', { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.test.ts'))
    .map((name) => join('test', name))
    .sort()
    .filter((file) => SLOW.test(readFileSync(file, 'utf8')))
    .filter((_, index) => index % parts !== kept - 1);
};
