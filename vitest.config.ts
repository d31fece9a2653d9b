import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

// Statements run on libuv's pool; its size is read when it is first used, so the workers must inherit it.
process.env['UV_THREADPOOL_SIZE'] ??= '16';

/** Starts with the file that takes longest, small as it is: begun last, it would run alone. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const isLongest = ({ moduleId }: TestSpecification): boolean => moduleId.endsWith('every-month.test.ts');
    return [...sorted.filter(isLongest), ...sorted.filter((file) => !isLongest(file))];
  }
}

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/support/warehouse/templates.ts'],
    pool: 'forks',
    // Files start real servers; more at once than cores only makes each slower.
    maxWorkers: 2,
    sequence: { sequencer: LongestFirst },
    testTimeout: 60_000,
    hookTimeout: 120_000,
  },
});
