import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { create } from '../support/service/create.ts';
import { ingest, newOrganisation, waitFor, type Api, type Run } from '../support/service/api-client.ts';
import { expectData, expectPage } from '../support/service/envelope.ts';
import { textLike } from '../support/service/matchers.ts';
import { withService } from '../support/service/with-service.ts';
import { HOSTILE_FILES as ALL_FILES, layGood, type HostileFile } from './hostile-files.ts';
import { someOf } from '../support/effort.ts';

const HOSTILE_FILES = someOf(ALL_FILES, 5);

interface Costs {
  total: number;
  by_account: { account: string; total: number }[];
}
const costsOf = async (api: Api): Promise<Costs> =>
  expectData(await api.get<Costs>('/costs?start_date=2026-01-01&end_date=2026-01-31'));

/** One organisation has a source for each hostile file, and reads all of them at once. Another one must not notice. */
describe('hostile files', () => {
  interface Story extends HostileFile {
    path: string;
    account: string;
    sourceId: string;
    run: Run | undefined;
  }
  const service = withService({ CLOCK: '2026-02-07T06:00:00Z' });
  let admin: Api;
  let bystander: Api;
  let before: Costs;
  const stories = new Map<string, Story>();

  const layStory = async (hostile: HostileFile, index: number): Promise<Omit<Story, 'run'>> => {
    const account = `account-${index}`;
    const folder = join(service.dataDir, 'exports', account);
    const path = join(folder, hostile.file);
    await mkdir(folder, { recursive: true });
    const location = join(folder, hostile.glob ?? hostile.file);
    const id = await create(admin, '/cost-sources', { name: hostile.title, kind: 'focus', location });
    // The file comes after its source, because an accepted source can turn hostile later.
    await hostile.lay(path, account);
    return { ...hostile, path, account, sourceId: id };
  };
  /** Reads all sources at once. Returns the ended run of each. */
  const ingestAll = async (all: readonly Omit<Story, 'run'>[]): Promise<Map<string, Run>> => {
    const started = new Set<string>();
    for (const { sourceId } of all) {
      const answer = await admin.post<{ run_id: string }>(`/cost-sources/${sourceId}/ingest`);
      started.add(expectData(answer).run_id);
    }
    return waitFor(async () => {
      const { items } = expectPage(
        await admin.get<{ id: string; last_run: Run | null }[]>('/cost-sources?limit=1000'),
      );
      const ended = new Map<string, Run>();
      for (const { id, last_run: run } of items)
        if (run !== null && started.has(run.run_id) && run.status !== 'running') ended.set(id, run);
      return ended.size === all.length ? ended : undefined;
    });
  };

  beforeAll(async () => {
    ({ admin } = await newOrganisation(service));
    ({ admin: bystander } = await newOrganisation(service, { name: 'Bystander' }));
    const path = join(service.dataDir, 'exports/bystander/f.csv');
    await layGood(path, 'quiet');
    const id = await create(bystander, '/cost-sources', { name: 'Bill', kind: 'focus', location: path });
    expect(await ingest(bystander, id)).toMatchObject({ status: 'completed', cost_total: 200 });
    before = await costsOf(bystander);
    const laid = await Promise.all(HOSTILE_FILES.map(layStory));
    const runs = await ingestAll(laid);
    for (const story of laid) stories.set(story.title, { ...story, run: runs.get(story.sourceId) });
  });

  it.each(HOSTILE_FILES)('end as expected: $title', ({ title, ending }) => {
    const run = stories.get(title)?.run;
    if ('error' in ending)
      expect(run).toMatchObject({
        status: 'failed',
        error: textLike(ending.error),
        months: [],
        cost_total: null,
      });
    else
      expect(run).toMatchObject({
        status: 'completed',
        rows_read: ending.stored + ending.rejected,
        rows_rejected: ending.rejected,
        rows_left_out: 0,
        cost_total: ending.stored,
        error: null,
      });
  });

  it('count only if they were read completely', async () => {
    const expected = HOSTILE_FILES.flatMap(({ ending }, index) =>
      'stored' in ending && ending.stored > 0 ? [[`account-${index}`, ending.stored]] : [],
    );
    const { by_account } = await costsOf(admin);
    expect(Object.fromEntries(by_account.map(({ account, total }) => [account, total]))).toEqual(
      Object.fromEntries(expected),
    );
  });

  it('do not change the numbers of another organisation', async () => {
    expect(await costsOf(bystander)).toEqual(before);
  });

  it('leave nothing behind once a valid export replaces them', async () => {
    const all = [...stories.values()];
    const failed = all.filter(({ run }) => run?.status === 'failed');
    for (const { path, account, sourceId } of failed) {
      await layGood(path, account);
      expectData(await admin.patch(`/cost-sources/${sourceId}`, { location: path }));
    }
    const corrected = (await ingestAll(failed)).values();
    for (const run of corrected)
      expect(run).toMatchObject({ status: 'completed', rows_read: 200, rows_rejected: 0, cost_total: 200 });
    const kept = HOSTILE_FILES.reduce((sum, { ending }) => sum + ('stored' in ending ? ending.stored : 0), 0);
    expect((await costsOf(admin)).total).toBe(200 * failed.length + kept);
    expect(await costsOf(bystander)).toEqual(before);
  });
});
