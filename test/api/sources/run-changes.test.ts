import { expect, it } from 'vitest';
import { ingestRuns, startedRun } from '../../../warehouse/sources/ingest-runs.ts';
import { dayLine, focusCsv } from '../../support/exports/focus-export.ts';
import { as } from '../../support/service/api-client.ts';
import { expectData, expectPage } from '../../support/service/envelope.ts';
import { startLocalApi } from '../../support/service/local-api.ts';
import { describeOnBothEngines } from '../../support/warehouse/engines.ts';
import { loadText, newSource, NOW } from '../../support/warehouse/tenant.ts';
import { withOpened } from '../../support/with-opened.ts';

interface Change {
  month: string;
  before: number | null;
  after: number | null;
}

describeOnBothEngines('what a run changed', (open) => {
  const api = withOpened(() => startLocalApi({ open }));

  const newStory = async () => {
    const { orgId, secret } = await api.newTenant();
    const { id: sourceId } = await newSource(api.warehouse, orgId);
    const caller = as(api, secret);
    return {
      /** Loads an export of these days by a run, which then completes. */
      run: async (runId: string, lines: ReturnType<typeof dayLine>[]): Promise<void> => {
        await loadText(api, { orgId, sourceId }, focusCsv(lines), { runId });
        const begun = startedRun({ run_id: runId, source_id: sourceId, workflow_id: 'ingest' }, NOW);
        const end = { status: 'completed', finished_at: NOW.toISOString() } as const;
        await ingestRuns.record(api.warehouse, orgId, { ...begun, ...end });
      },
      changes: async () => {
        const path = `/cost-sources/${sourceId}`;
        const { items } = expectPage(
          await caller.get<{ run_id: string; changes: Change[] }[]>(`${path}/runs`),
        );
        const runs = Object.fromEntries(items.map(({ run_id, changes }) => [run_id, changes]));
        const source = await caller.get<{ last_run: { changes: Change[] } }>(path);
        expect(expectData(source).last_run.changes).toEqual(items[0]?.changes);
        const { items: sources } = expectPage(await caller.get<object[]>('/cost-sources'));
        expect(sources).toEqual([source.body.data]);
        return runs;
      },
    };
  };

  it('is each month of the first load, and later the months that moved, before and after', async () => {
    const { run, changes } = await newStory();
    const february = dayLine('2026-02-05', '5');
    await run('run_first', [dayLine('2026-01-10', '10'), dayLine('2026-01-11', '0.25'), february]);
    await run('run_same', [dayLine('2026-01-10', '10'), dayLine('2026-01-11', '0.25'), february]);
    await run('run_restated', [dayLine('2026-01-10', '12'), dayLine('2026-01-11', '0.25'), february]);
    // The export no longer has January, which stays as it was loaded.
    await run('run_vanished', [dayLine('2026-02-05', '6')]);
    await run('run_back', [dayLine('2026-01-10', '1'), dayLine('2026-01-11', '0.25')]);
    expect(await changes()).toEqual({
      run_first: [
        { month: '2026-01', before: null, after: 10.25 },
        { month: '2026-02', before: null, after: 5 },
      ],
      run_same: [],
      run_restated: [{ month: '2026-01', before: 10.25, after: 12.25 }],
      run_vanished: [{ month: '2026-02', before: 5, after: 6 }],
      run_back: [{ month: '2026-01', before: 12.25, after: 1.25 }],
    });
  });

  it('counts once if the run was tried again, and adds the billing periods of a month', async () => {
    const { run, changes } = await newStory();
    await run('run_first', [dayLine('2026-01-10', '10')]);
    await run('run_twice', [dayLine('2026-01-10', '11')]);
    await run('run_twice', [dayLine('2026-01-10', '12')]);
    const middle = { BillingPeriodStart: '2026-01-15T00:00:00Z', BillingPeriodEnd: '2026-02-15T00:00:00Z' };
    await run('run_middle', [dayLine('2026-01-20', '3', middle)]);
    expect(await changes()).toEqual({
      run_first: [{ month: '2026-01', before: null, after: 10 }],
      run_twice: [{ month: '2026-01', before: 10, after: 12 }],
      run_middle: [{ month: '2026-01', before: 12, after: 15 }],
    });
  });

  it('is nothing before the first load', async () => {
    const { orgId, secret } = await api.newTenant();
    const { id } = await newSource(api.warehouse, orgId);
    const begun = startedRun({ run_id: 'run_1', source_id: id, workflow_id: 'ingest' }, NOW);
    await ingestRuns.record(api.warehouse, orgId, { ...begun, status: 'failed', error: 'no files' });
    const answer = await as(api, secret).get<{ changes: Change[] }[]>(`/cost-sources/${id}/runs`);
    expect(expectPage(answer).items).toMatchObject([{ run_id: 'run_1', changes: [] }]);
  });
});
