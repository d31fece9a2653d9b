import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

// Statements run on libuv's pool; its size is read when it is first used, so the workers must inherit it.
process.env['UV_THREADPOOL_SIZE'] ??= '16';

/** The files that take longest, the longest first: begun last, one of them would run alone. */
const LONGEST = [
  'e2e/operations/lost-work',
  'e2e/operations/crash',
  'e2e/sources/ingest',
  'temporal/dev-server/dev-server',
  'e2e/months/month-story',
  'e2e/events/webhooks',
  'demo/demo',
  'e2e/operations/full-disk',
  'e2e/access/keys-and-quotas',
  'e2e/events/unit-cost-events',
  'e2e/operations/command',
  'activities/sources/whole-files',
  'attack/files',
  'activities/raise-events',
  'model/every-month',
  'warehouse/teams/bills',
];

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const place = ({ moduleId }: TestSpecification): number => {
      const found = LONGEST.findIndex((name) => moduleId.endsWith(`/${name}.test.ts`));
      return found === -1 ? LONGEST.length : found;
    };
    return sorted.sort((one, other) => place(one) - place(other));
  }
}

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/support/warehouse/templates.ts', 'test/support/service/shared-service.ts'],
    pool: 'forks',
    // The files that start servers spend half of their time waiting: one more than the usual two cores keeps both busy.
    maxWorkers: 3,
    // A file takes over the process of another, with the modules that are loaded: nothing in them remembers a test.
    isolate: false,
    sequence: { sequencer: LongestFirst },
    testTimeout: 120_000,
    hookTimeout: 180_000,
  },
});
