import { it, TestRunner } from 'vitest';
import { lacking } from '../needs.ts';
import { startsService } from './service-files.ts';

/** Skips all tests of a file that starts the service if there is no Temporal. One title in their place says so. */
export default class extends TestRunner {
  override importFile(...[file, source]: Parameters<TestRunner['importFile']>): unknown {
    const why = lacking('temporal');
    if (source !== 'collect' || why === '' || !startsService(file)) return super.importFile(file, source);
    it.skip(`all tests of this file${why}`);
    return undefined;
  }
}
