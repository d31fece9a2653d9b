import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { TEST_MS, WAIT_MS } from './test/support/patience.ts';
import { filesLeftOut } from './test/support/setup/service-files.ts';

// Statements run on libuv's pool. Node reads its size at the first use, so the workers must inherit the variable.
process.env['UV_THREADPOOL_SIZE'] ??= '16';

/** The slowest files, the slowest first. If one of them began last, it would run alone at the end. */
const LONGEST = [
  'e2e/nodes/nodes',
  'e2e/dashboard/accessibility',
  'warehouse/sources/rejected-months',
  'warehouse/sources/units/missing-units',
  'api/access/never-old',
  'e2e/sources/ingest',
  'model/every-month',
  'e2e/months/month-story',
  'e2e/operations/crash',
  'e2e/events/webhooks',
  'e2e/operations/lost-work',
  'e2e/access/keys-and-quotas',
  'e2e/operations/command',
  'temporal/dev-server/dev-server',
  'e2e/operations/tarball',
  'demo/demo',
  'docs/commands',
  'e2e/operations/full-disk',
  'e2e/events/unit-cost-events',
  'activities/sources/whole-files',
  'activities/raise-events',
  'warehouse/teams/bills',
  'e2e/access/conventions',
  'e2e/sources/cluster-sources',
  'attack/files',
  'warehouse/metrics/upload-memory',
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
    exclude: filesLeftOut(),
    globalSetup: [
      'test/support/setup/fresh-machine.ts',
      'test/support/setup/templates.ts',
      'test/support/service/shared-service.ts',
    ],
    runner: 'test/support/setup/runner.ts',
    pool: 'forks',
    // Files that start servers wait half of their time, so three workers keep the usual two cores busy.
    maxWorkers: 3,
    // A file reuses the process and the loaded modules of another, because no module keeps state of a test.
    isolate: false,
    sequence: { sequencer: LongestFirst },
    testTimeout: TEST_MS,
    hookTimeout: TEST_MS,
    teardownTimeout: TEST_MS,
    expect: { poll: { timeout: WAIT_MS } },
  },
});
