import { defineConfig } from 'vitest/config';

// Statements run on libuv's pool; its size is read when it is first used, so the workers must inherit it.
process.env['UV_THREADPOOL_SIZE'] ??= '16';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    pool: 'forks',
    // Files start real servers; more at once than cores only makes each slower.
    maxWorkers: 2,
    testTimeout: 60_000,
    hookTimeout: 120_000,
  },
});
