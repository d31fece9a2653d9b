import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { numberFrom } from '../effort.ts';

/** What a test file imports if it starts the service. */
const STARTS_SERVICE =
  /from '.*\/(service-process|node-process|shared-service|backed-up-service|cluster)\.ts'/;

/** Whether the tests of a file start the service. */
export const startsService = (file: string): boolean => STARTS_SERVICE.test(readFileSync(file, 'utf8'));

/** Returns the files that HALF leaves out: every second one of those that start the service, from the first or the second on. */
export const filesLeftOut = (): string[] => {
  const half = numberFrom('HALF', 0);
  if (half === 0) return [];
  return readdirSync('test', { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.test.ts'))
    .map((name) => join('test', name))
    .sort()
    .filter(startsService)
    .filter((_, index) => index % 2 === half % 2);
};
