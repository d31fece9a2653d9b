import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { importStatus } from '../../../domain/imports/connection.ts';
import type { ImportedValue } from '../../../domain/imports/imported-value.ts';
import { Sealer } from '../../../security/sealing.ts';
import { eraseDeleted } from '../../../warehouse/engine/maintenance/erasure.ts';
import { compact } from '../../../warehouse/engine/maintenance/maintenance.ts';
import { importHistories, importRuns, openImportRun } from '../../../warehouse/imports/import-runs.ts';
import { changesOfRun, storeImported } from '../../../warehouse/imports/import-values.ts';
import {
  connectImport,
  credentialOf,
  disconnectImport,
  findImport,
} from '../../../warehouse/imports/imports.ts';
import type { Metric } from '../../../warehouse/metrics/metrics.ts';
import { listValueChanges } from '../../../warehouse/metrics/value-history.ts';
import { filesWith } from '../../support/fakes/search-bytes.ts';
import { describeOnBothEngines } from '../../support/warehouse/engines.ts';
import { BY_ADMIN, newMetric, newOrganisation, NOW } from '../../support/warehouse/tenant.ts';
import { withOpened } from '../../support/with-opened.ts';

const SEALER = new Sealer(randomBytes(32));
const DAYS = { start: '2026-01-01', end: '2026-02-07' };

describeOnBothEngines('imports', (open) => {
  const test = withOpened(open);

  const newStory = async (more: Partial<Metric> = {}) => {
    const { id: orgId } = await newOrganisation(test.warehouse);
    const metric = await newMetric(test.warehouse, orgId, more);
    return { orgId, metric };
  };

  const connect = async (
    { orgId, metric }: Awaited<ReturnType<typeof newStory>>,
    credential = 'rk_test_secret',
  ) =>
    connectImport(
      test.warehouse,
      SEALER,
      orgId,
      metric.id,
      { type: 'stripe' },
      credential,
      '2025-03',
      BY_ADMIN,
    );

  const store = (
    { orgId, metric }: Awaited<ReturnType<typeof newStory>>,
    runId: string,
    values: readonly ImportedValue[],
    check: () => Promise<void> = () => Promise.resolve(),
  ): Promise<number> => {
    const parts = async function* () {
      await Promise.resolve();
      yield values;
    };
    return storeImported(
      {
        orgId,
        metric,
        credentialId: 'cred_1',
        vault: undefined,
        days: DAYS,
        parts: parts(),
        change: { source: 'warehouse', by: { type: 'import', id: runId, name: 'BigQuery' }, now: NOW },
        check,
        signal: new AbortController().signal,
      },
      test.warehouse,
    );
  };

  describe('the values of a run', () => {
    it('replace labels of the days read, and are counted the same if the run repeats', async () => {
      const story = await newStory({ label_key: 'region' });
      await store(story, 'run_1', [
        { day: '2026-01-01', label: 'eu', value: '1' },
        { day: '2026-01-01', label: 'us', value: '2' },
      ]);
      const next = [
        { day: '2026-01-01', label: 'eu', value: '1' },
        { day: '2026-01-02', label: 'us', value: '3.123456789' },
      ];
      expect(await store(story, 'run_2', next)).toBe(2);
      expect(await store(story, 'run_2', next)).toBe(2);
      const counts = await changesOfRun(test.warehouse, story.orgId, story.metric.id, 'run_2');
      expect(counts).toEqual({ changed: 1, removed: 1 });
      expect(await store(story, 'run_3', [])).toBe(0);
      const changes = await listValueChanges(test.warehouse, story.orgId, story.metric.id, {
        limit: 10,
        cursor: null,
      });
      expect(changes.map(({ period, label, action }) => [period, label, action])).toEqual([
        ['2026-01-02', 'us', 'set'],
        ['2026-01-01', 'us', 'remove'],
        ['2026-01-01', 'us', 'set'],
        ['2026-01-01', 'eu', 'set'],
      ]);
    });

    it('are refused if the connection was replaced meanwhile, even if there are none', async () => {
      const story = await newStory();
      const replaced = () => Promise.reject(new Error('the connection was replaced'));
      for (const values of [[{ day: '2026-01-01', value: '1' }], []])
        await expect(store(story, 'run_1', values, replaced)).rejects.toThrow('the connection was replaced');
      const counts = await changesOfRun(test.warehouse, story.orgId, story.metric.id, 'run_1');
      expect(counts).toEqual({ changed: 0, removed: 0 });
    });

    it('are refused as a whole if one comes twice or cannot be stored', async () => {
      const story = await newStory();
      const one = { day: '2026-01-01', value: '1' };
      await expect(store(story, 'run_1', [one, { ...one, value: '2' }])).rejects.toThrow(
        /two for 2026-01-01/,
      );
      await expect(store(story, 'run_1', [one, { day: '2026-02-08', value: '1' }])).rejects.toThrow(
        /2026-02-08.*future/,
      );
      expect(await changesOfRun(test.warehouse, story.orgId, story.metric.id, 'run_1')).toEqual({
        changed: 0,
        removed: 0,
      });
    });
  });

  describe('the runs of a connection', () => {
    it('catch up with missed days, and fail after three failed days in a row', async () => {
      const story = await newStory();
      const { credential_id } = await connect(story);
      const runOn = async (day: string, outcome: 'completed' | 'failed'): Promise<string> => {
        const runId = `run_${day}_${outcome}`;
        const now = new Date(`${day}T05:45:00Z`);
        const run = {
          orgId: story.orgId,
          metricId: story.metric.id,
          startMonth: null,
          runId,
          workflowId: 'w',
        };
        await openImportRun(test.warehouse, run, credential_id, now);
        const opened = await importRuns.find(test.warehouse, story.orgId, runId);
        if (opened === null) throw new Error('the run was not recorded');
        if (outcome === 'failed')
          await importRuns.fail(test.warehouse, { org_id: story.orgId, run_id: runId }, 'no key', now);
        else
          await importRuns.record(test.warehouse, story.orgId, {
            ...opened,
            status: 'completed',
            finished_at: now.toISOString(),
          });
        const history = (await importHistories(test.warehouse, story.orgId)).get(credential_id);
        return `${opened.start_day} ${importStatus(null, history?.failedDays ?? 0)}`;
      };
      // The first run reads twelve months, the next ones the month before. Two failures on one day are one failed day.
      expect(await runOn('2026-02-07', 'completed')).toBe('2025-03-01 connected');
      expect(await runOn('2026-02-08', 'failed')).toBe('2026-01-01 connected');
      expect(await runOn('2026-02-09', 'failed')).toBe('2026-01-01 connected');
      expect(await runOn('2026-02-10', 'failed')).toBe('2026-01-01 failed');
      // After an outage until May, the run also reads the months since February.
      expect(await runOn('2026-05-02', 'completed')).toBe('2026-02-01 connected');
      expect(await runOn('2026-05-03', 'completed')).toBe('2026-04-01 connected');
      // A new credential begins with twelve months.
      const replaced = await connect(story, 'rk_test_other');
      expect(
        (await importHistories(test.warehouse, story.orgId)).get(replaced.credential_id),
      ).toBeUndefined();
    });
  });

  describe('a credential', () => {
    it('opens only while its connection has it', async () => {
      const story = await newStory();
      const first = await connect(story, 'rk_test_first');
      expect(await credentialOf(test.warehouse, SEALER, story.orgId, first)).toBe('rk_test_first');
      const second = await connect(story, 'rk_test_second');
      await expect(credentialOf(test.warehouse, SEALER, story.orgId, first)).rejects.toThrow(
        /no longer stored/,
      );
      expect(await credentialOf(test.warehouse, SEALER, story.orgId, second)).toBe('rk_test_second');
      expect(
        await credentialOf(test.warehouse, new Sealer(Buffer.alloc(32, 7)), story.orgId, second),
      ).toBeNull();
      expect(await disconnectImport(test.warehouse, story.orgId, story.metric.id, BY_ADMIN)).toBe(true);
      expect(await disconnectImport(test.warehouse, story.orgId, story.metric.id, BY_ADMIN)).toBe(false);
      expect(await findImport(test.warehouse, story.orgId, story.metric.id)).toBeNull();
      await expect(credentialOf(test.warehouse, SEALER, story.orgId, second)).rejects.toThrow(
        /no longer stored/,
      );
    });

    it('leaves nothing on disk after the maintenance that follows its deletion', async () => {
      // A DuckDB file reuses freed blocks, so that only some of the deleted ones stay in it. A DuckLake drops whole files.
      const count = test.warehouse.isDuckLake ? 2 : 6;
      const stories = await Promise.all(Array.from({ length: count }, () => newStory()));
      const [kept, ...others] = stories;
      if (kept === undefined) throw new Error('no story');
      for (const story of stories) {
        await connect(story, JSON.stringify({ private_key: randomBytes(1_200).toString('base64') }));
        await compact(test.warehouse);
      }
      const sealedOf = async (orgId: string): Promise<string> => {
        const [row] = await test.warehouse.query<{ sealed: string }>(
          'SELECT sealed_credential AS sealed FROM credentials WHERE org_id = $org',
          { org: orgId },
        );
        return row?.sealed ?? '';
      };
      const sealed = await Promise.all(others.map(({ orgId }) => sealedOf(orgId)));
      // Any part of it: a file holds texts in pieces.
      const parts = sealed.flatMap((text) =>
        [100, 2_000, 5_000, 9_000].map((at) => Buffer.from(text.slice(at, at + 40))),
      );
      for (const { orgId, metric } of others)
        await disconnectImport(test.warehouse, orgId, metric.id, BY_ADMIN);
      await compact(test.warehouse);
      if (!test.warehouse.isDuckLake)
        expect(await filesWith(test.directory, parts)).toContain('warehouse.duckdb');
      await eraseDeleted(test.warehouse);
      expect(await filesWith(test.directory, parts)).toEqual([]);
      const connection = await findImport(test.warehouse, kept.orgId, kept.metric.id);
      if (connection === null) throw new Error('the connection is gone');
      expect(await credentialOf(test.warehouse, SEALER, kept.orgId, connection)).toContain('private_key');
      // Nothing more to erase, and no table is left behind.
      await eraseDeleted(test.warehouse);
      const tables = await test.warehouse.query<{ name: string }>(
        `SELECT table_name AS name FROM duckdb_tables() WHERE table_name LIKE '%filler%' OR table_name LIKE '%anew%'`,
      );
      expect(tables).toEqual([]);
    });
  });
});
