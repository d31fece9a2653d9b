import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { numberFrom } from '../effort.ts';

/** What a test file imports if it starts the service. */
const SERVICE = /from '.*\/(service-process|node-process|shared-service|backed-up-service|cluster)\.ts'/;

/** What a test file imports if it starts the service, opens a warehouse, or runs another server. */
const SLOW = /from '.*\/support\/(service|warehouse|nodes)\//;

/** Whether the tests of a file start the service. */
export const startsService = (file: string): boolean => SERVICE.test(readFileSync(file, 'utf8'));

/** Returns the files that HALF leaves out: of those that take long every second one, from the first (1) or the second (2) on. */
export const filesLeftOut = (): string[] => {
  const half = numberFrom('HALF', 0);
  if (half === 0) return [];
  return readdirSync('test', { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.test.ts'))
    .map((name) => join('test', name))
    .sort()
    .filter((file) => SLOW.test(readFileSync(file, 'utf8')))
    .filter((_, index) => index % 2 === half - 1);
};
