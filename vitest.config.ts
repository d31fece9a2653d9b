import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { TEST_MS, WAIT_MS } from './test/support/patience.ts';
import { filesLeftOut } from './test/support/setup/service-files.ts';

// Statements run on libuv's pool. Node reads its size at the first use, so the workers must inherit the variable.
process.env['UV_THREADPOOL_SIZE'] ??= '16';

/** The slowest files, the slowest first. If one of them began last, it would run alone at the end. */
const LONGEST = [
  'e2e/nodes/nodes',
  'activities/sources/whole-files',
  'activities/raise-events',
  'temporal/dev-server/dev-server',
  'e2e/operations/crash',
  'warehouse/sources/units/missing-units',
  'e2e/sources/ingest',
  'e2e/sources/kinds-and-formats',
  'warehouse/teams/late-sources',
  'e2e/operations/lost-work',
  'warehouse/months/month-locks',
  'model/every-month',
  'e2e/operations/command',
  'warehouse/organisations/deleted-organisations',
  'docs/commands',
  'e2e/dashboard/accessibility',
  'e2e/exports/nightly-export',
  'warehouse/sources/charged-twice',
  'warehouse/sources/unit-shrink',
  'e2e/imports/killed-imports',
  'e2e/operations/rotate-master-key',
  'demo/demo',
  'e2e/operations/full-disk',
  'e2e/dashboard/doubt-decisions',
  'warehouse/sources/coverage',
  'attack/hostile-platforms',
  'warehouse/spend/assets/doubled-sources',
  'warehouse/spend/assets/charges-twice',
  'api/exports/exports',
  'warehouse/spend/assets/machines-on-bills',
  'e2e/months/month-story',
  'e2e/events/webhooks',
  'api/spend/cost-exports',
  'e2e/operations/deadly-step',
  'api/access/never-old',
  'e2e/events/unit-cost-events',
  'e2e/access/keys-and-quotas',
  'activities/sources/sound-exports',
  'warehouse/teams/bills',
  'attack/files',
  'warehouse/sources/poisoned-rows',
  'e2e/operations/lake-backup',
  'warehouse/engine/opening/damaged-log',
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
