import { describe, expect, it } from 'vitest';
import { COST_SOURCES, updateCostSource } from '../../../warehouse/sources/cost-sources.ts';
import { ingestRuns, lastRuns, listRuns, type IngestRun } from '../../../warehouse/sources/ingest-runs.ts';
import { describeOnBothEngines } from '../../support/warehouse/engines.ts';
import { BY_ADMIN, newOrganisation, newSource, NOW } from '../../support/warehouse/tenant.ts';
import { withOpened } from '../../support/with-opened.ts';

const ALL = { limit: 1000, cursor: null };

describeOnBothEngines('cost sources and their runs', (open) => {
  const test = withOpened(open);

  describe('a cost source', () => {
    it('is read as it was stored, only by its own organisation', async () => {
      const { warehouse } = test;
      const [mine, theirs] = [await newOrganisation(warehouse), await newOrganisation(warehouse)];
      const source = await newSource(warehouse, mine.id, {
        name: `AWS 'prod'`,
        location: 's3://bucket/*.parquet',
        options: { cost_column: 'BilledCost' },
      });
      expect(await COST_SOURCES.find(warehouse, mine.id, source.id)).toEqual(source);
      expect(await COST_SOURCES.find(warehouse, theirs.id, source.id)).toBeNull();
      expect(await COST_SOURCES.list(warehouse, theirs.id, ALL)).toEqual([]);
      expect(
        await updateCostSource(warehouse, theirs.id, source.id, { name: 'Stolen' }, BY_ADMIN),
      ).toBeNull();
      expect(await updateCostSource(warehouse, theirs.id, source.id, 'delete', BY_ADMIN)).toBeNull();
      expect(await COST_SOURCES.find(warehouse, mine.id, source.id)).toEqual(source);
    });

    it('changes by versions, and the id decides the newest one even if the clock stands still', async () => {
      const { warehouse } = test;
      const { id: orgId } = await newOrganisation(warehouse);
      const source = await newSource(warehouse, orgId);
      for (const name of ['one', 'two', 'three', 'four', 'five']) {
        expect(await updateCostSource(warehouse, orgId, source.id, { name }, BY_ADMIN)).toEqual({
          ...source,
          name,
        });
      }
      await updateCostSource(warehouse, orgId, source.id, { schedule_paused: true }, BY_ADMIN);
      expect(await COST_SOURCES.list(warehouse, orgId, ALL)).toEqual([
        { ...source, name: 'five', schedule_paused: true },
      ]);
      const [versions] = await warehouse.query<{ versions: string }>(
        'SELECT count(*) AS versions FROM cost_source_versions WHERE org_id = $org AND source_id = $source',
        { org: orgId, source: source.id },
      );
      expect(versions?.versions).toBe('7'); // created, five names, one pause
    });

    it('is gone once deleted, and stays gone', async () => {
      const { warehouse } = test;
      const { id: orgId } = await newOrganisation(warehouse);
      const source = await newSource(warehouse, orgId);
      expect(await updateCostSource(warehouse, orgId, source.id, 'delete', BY_ADMIN)).toEqual(source);
      expect(await COST_SOURCES.find(warehouse, orgId, source.id)).toBeNull();
      expect(await updateCostSource(warehouse, orgId, source.id, { name: 'Back' }, BY_ADMIN)).toBeNull();
      expect(await updateCostSource(warehouse, orgId, source.id, 'delete', BY_ADMIN)).toBeNull();
      expect(await COST_SOURCES.list(warehouse, orgId, ALL)).toEqual([]);
    });

    it('is listed page by page, oldest first', async () => {
      const { warehouse } = test;
      const { id: orgId } = await newOrganisation(warehouse);
      const ids: string[] = [];
      for (const name of ['a', 'b', 'c']) ids.push((await newSource(warehouse, orgId, { name })).id);
      const first = await COST_SOURCES.list(warehouse, orgId, { limit: 2, cursor: null });
      const second = await COST_SOURCES.list(warehouse, orgId, { limit: 2, cursor: first[1]?.id ?? null });
      expect([...first, ...second].map(({ id }) => id)).toEqual(ids);
    });
  });

  describe('a run', () => {
    const run = (runId: string, changes: Partial<IngestRun> = {}): IngestRun => ({
      run_id: runId,
      source_id: 'src_1',
      workflow_id: 'ingest/org/src_1',
      status: 'running',
      started_at: '2026-02-07T06:00:00.000Z',
      finished_at: null,
      months: [],
      rows_read: 0,
      rows_rejected: 0,
      rows_left_out: 0,
      rejected_samples: [],
      cost_total: null,
      files_read: 0,
      files_unchanged: 0,
      bytes_read: 0,
      notes: [],
      error: null,
      ...changes,
    });
    const completed = (runId: string): IngestRun =>
      run(runId, {
        status: 'completed',
        finished_at: '2026-02-07T06:00:09.000Z',
        months: ['2026-01', '2026-02'],
        rows_read: 9_007_199,
        rows_rejected: 3,
        rows_left_out: 2,
        files_read: 2,
        files_unchanged: 22,
        bytes_read: 5_000_000_000,
        rejected_samples: [{ problem: `EffectiveCost: got "x'"`, file: '/exports/a.csv', rows: 3 }],
        cost_total: '12345678901234567890.123456789012345',
        notes: ['a note'],
      });

    it('has its result, with exact amounts', async () => {
      const { id: orgId } = await newOrganisation(test.warehouse);
      await ingestRuns.record(test.warehouse, orgId, run('run_a'));
      expect(await ingestRuns.find(test.warehouse, orgId, 'run_a')).toEqual(run('run_a'));
      await ingestRuns.record(test.warehouse, orgId, completed('run_a'));
      expect(await ingestRuns.find(test.warehouse, orgId, 'run_a')).toEqual(completed('run_a'));
    });

    it('stays ended if a late attempt records it as running', async () => {
      const { id: orgId } = await newOrganisation(test.warehouse);
      await ingestRuns.record(test.warehouse, orgId, completed('run_a'));
      await ingestRuns.record(test.warehouse, orgId, run('run_a'));
      expect(await ingestRuns.find(test.warehouse, orgId, 'run_a')).toEqual(completed('run_a'));
      expect(await listRuns(test.warehouse, orgId, 'src_1', ALL)).toEqual([completed('run_a')]);
    });

    it('is open until it ends, and can be failed once', async () => {
      const { id: orgId } = await newOrganisation(test.warehouse);
      for (const each of [run('run_open'), run('run_done'), run('run_open'), completed('run_done')])
        await ingestRuns.record(test.warehouse, orgId, each);
      const openOnes = async () =>
        (await ingestRuns.open(test.warehouse)).filter(({ org_id }) => org_id === orgId);
      expect(await openOnes()).toEqual([
        { org_id: orgId, run_id: 'run_open', source_id: 'src_1', workflow_id: 'ingest/org/src_1' },
      ]);
      const fail = (runId: string) =>
        ingestRuns.fail(test.warehouse, { org_id: orgId, run_id: runId }, 'lost', NOW);
      expect([await fail('run_open'), await fail('run_open'), await fail('run_done')]).toEqual([
        true,
        false,
        false,
      ]);
      expect(await openOnes()).toEqual([]);
      const failed = { status: 'failed', finished_at: NOW.toISOString(), error: 'lost' } as const;
      expect(await ingestRuns.find(test.warehouse, orgId, 'run_open')).toEqual(run('run_open', failed));
      expect(await ingestRuns.find(test.warehouse, orgId, 'run_done')).toEqual(completed('run_done'));
    });

    it('is read only by its own organisation', async () => {
      const mine = await newOrganisation(test.warehouse);
      const theirs = await newOrganisation(test.warehouse);
      await ingestRuns.record(test.warehouse, mine.id, run('run_shared'));
      expect(await ingestRuns.find(test.warehouse, theirs.id, 'run_shared')).toBeNull();
      expect(await listRuns(test.warehouse, theirs.id, 'src_1', ALL)).toEqual([]);
      expect((await lastRuns(test.warehouse, theirs.id)).size).toBe(0);
      await ingestRuns.record(test.warehouse, theirs.id, completed('run_shared'));
      expect(await ingestRuns.find(test.warehouse, mine.id, 'run_shared')).toEqual(run('run_shared'));
    });

    it('is listed newest first by its first record, page by page', async () => {
      const { id: orgId } = await newOrganisation(test.warehouse);
      for (const id of ['run_3', 'run_1', 'run_2']) await ingestRuns.record(test.warehouse, orgId, run(id));
      await ingestRuns.record(test.warehouse, orgId, completed('run_3')); // the oldest ends last
      const first = await listRuns(test.warehouse, orgId, 'src_1', { limit: 2, cursor: null });
      const second = await listRuns(test.warehouse, orgId, 'src_1', { limit: 2, cursor: 'run_1' });
      expect([first, second].map((page) => page.map(({ run_id }) => run_id))).toEqual([
        ['run_2', 'run_1'],
        ['run_3'],
      ]);
      expect(await listRuns(test.warehouse, orgId, 'src_2', ALL)).toEqual([]);
    });

    it('is the last run of its source by the order of recording, even if the clock was set back', async () => {
      const { id: orgId } = await newOrganisation(test.warehouse);
      await ingestRuns.record(
        test.warehouse,
        orgId,
        run('run_1', { started_at: '2026-02-07T06:00:00.000Z' }),
      );
      await ingestRuns.record(test.warehouse, orgId, completed('run_1'));
      await ingestRuns.record(test.warehouse, orgId, run('run_of_other', { source_id: 'src_2' }));
      await ingestRuns.record(
        test.warehouse,
        orgId,
        run('run_2', { started_at: '2026-02-07T06:00:00.000Z' }),
      );
      expect((await lastRuns(test.warehouse, orgId)).get('src_1')?.run_id).toBe('run_2');
      expect((await lastRuns(test.warehouse, orgId)).get('src_2')?.run_id).toBe('run_of_other');
      // Now CLOCK is set back. Ids decide the order, never timestamps.
      await ingestRuns.record(
        test.warehouse,
        orgId,
        run('run_3', { started_at: '2026-01-01T00:00:00.000Z' }),
      );
      expect((await listRuns(test.warehouse, orgId, 'src_1', ALL))[0]?.run_id).toBe('run_3');
      expect((await lastRuns(test.warehouse, orgId)).get('src_1')?.run_id).toBe('run_3');
    });
  });
});
