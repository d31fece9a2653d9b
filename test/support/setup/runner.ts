import { TestRunner, type RunnerTestFile, type RunnerTestSuite } from 'vitest';
import { lacking } from '../needs.ts';
import { startsService } from './service-files.ts';

/** Skips the files whose tests start the service, if there is no Temporal. Their titles say so. */
export default class extends TestRunner {
  onCollected(files: RunnerTestFile[]): void {
    const why = lacking('temporal');
    if (why === '') return;
    for (const file of files) {
      if (!startsService(file.filepath)) continue;
      for (const task of file.tasks) task.name += why;
      skip(file);
    }
  }
}

const skip = (suite: RunnerTestSuite): void => {
  suite.mode = 'skip';
  for (const task of suite.tasks) {
    if (task.type === 'suite') skip(task);
    else task.mode = 'skip';
  }
};
