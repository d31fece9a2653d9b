import { readdir, rm, writeFile } from 'node:fs/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { newOrganisation, waitFor } from '../../support/service/api-client.ts';
import { scrape } from '../../support/service/scrape.ts';
import { runCommand } from '../../support/service/service-process.ts';
import { withService } from '../../support/service/with-service.ts';
import { openTemporal, runScheduled } from '../../support/service/temporal-client.ts';

/** The backup of each night, and what an operator sees of it. Each test continues the story, which begins on 7 February 2026. */

const SCHEDULE = 'back-up-warehouse';
const DAY = 86_400;

let copies: string;

const service = withService((dataDir) => {
  copies = `${dataDir}-copies`;
  return { CLOCK: '2026-02-07T03:00:00Z', BACKUP_TO: copies, BACKUP_KEEP: '2' };
});

beforeAll(() => newOrganisation(service));
afterAll(() => rm(copies, { recursive: true, force: true }));

async function backUpNow(): Promise<void> {
  const temporal = await openTemporal(service.dataDir);
  await runScheduled(temporal, SCHEDULE);
  await temporal.close();
}

/** Returns age and result of the newest backup, as Prometheus sees them. */
async function seen(): Promise<(number | undefined)[]> {
  const metrics = await scrape(service.url);
  return ['age_seconds', 'result'].map((name) => metrics.value(`cost_analytics_backup_${name}`));
}

async function hours(): Promise<number[]> {
  const temporal = await openTemporal(service.dataDir);
  try {
    const { spec } = await temporal.client.schedule.getHandle(SCHEDULE).describe();
    return (spec.calendars ?? []).flatMap(({ hour }) => hour.map(({ start: first }) => first));
  } finally {
    await temporal.close();
  }
}

it('makes dated copies, and keeps as many as the settings say', async () => {
  expect(await seen()).toEqual([undefined, undefined]);
  for (let night = 0; night < 3; night += 1) await backUpNow();
  // The clock stands still, so that each copy takes the next free second.
  expect((await readdir(copies)).sort()).toEqual(['2026-02-07T03-00-01Z', '2026-02-07T03-00-02Z']);
  expect(await seen()).toEqual([0, 1]);
  expect(service.logs()).toContain('"msg":"a backup is complete"');
});

it('shows its age after a restart, and follows another hour', async () => {
  expect(await hours()).toEqual([3]);
  await service.stop();
  await service.start({
    CLOCK: '2026-02-09T03:00:00Z',
    BACKUP_TO: copies,
    BACKUP_KEEP: '2',
    BACKUP_HOUR: '22',
  });
  expect(await seen()).toEqual([2 * DAY, 1]);
  await waitFor(async () => ((await hours()).join() === '22' ? true : undefined));
});

it('that fails is a line of the log with its reason, and a metric, and the doctor names the setting', async () => {
  await rm(copies, { recursive: true });
  await writeFile(copies, 'a file where the folder was');
  const temporal = await openTemporal(service.dataDir);
  await temporal.client.schedule.getHandle(SCHEDULE).trigger();
  await waitFor(async () => ((await seen())[1] === 0 ? true : undefined));
  await temporal.close();
  // The last complete backup stays the one from two days before.
  expect(await seen()).toEqual([2 * DAY, 0]);
  const reason = `${copies}: expected a folder that can be made, but it is there already, and is no folder`;
  expect(service.logs()).toContain(reason);
  const { code, stdout } = await runCommand(['doctor'], { DATA_DIR: service.dataDir, BACKUP_TO: copies });
  expect([code, stdout]).toEqual([1, expect.stringContaining(`PROBLEM BACKUP_TO: ${reason}\n`)]);
});

it('without BACKUP_TO has no schedule', async () => {
  await service.stop();
  await service.start({ CLOCK: '2026-02-09T03:00:00Z' });
  const temporal = await openTemporal(service.dataDir);
  await waitFor(async () => {
    const ids: string[] = [];
    for await (const { scheduleId } of temporal.client.schedule.list()) ids.push(scheduleId);
    return ids.includes('maintain-warehouse') && !ids.includes(SCHEDULE) ? true : undefined;
  });
  await temporal.close();
});
