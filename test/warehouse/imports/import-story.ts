import { randomBytes } from 'node:crypto';
import { importedValueOf } from '../../../domain/imports/bigquery/query-rows.ts';
import { dayOf, type Month } from '../../../domain/shared/calendar.ts';
import { conflict } from '../../../domain/shared/errors.ts';
import { monthRecords, type MonthRecord } from '../../../domain/months/month-record.ts';
import { firstImportedMonth } from '../../../domain/imports/connection.ts';
import { Sealer } from '../../../security/sealing.ts';
import type { Queries } from '../../../warehouse/engine/session.ts';
import { importRuns, openImportRun, type ImportRun } from '../../../warehouse/imports/import-runs.ts';
import { changesOfRun, storeImported } from '../../../warehouse/imports/import-values.ts';
import { connectImport, disconnectImport, findImport } from '../../../warehouse/imports/imports.ts';
import { RevenueVault } from '../../../warehouse/metrics/revenue-vault.ts';
import { writeValues } from '../../../warehouse/metrics/write-values.ts';
import { listValueChanges, listValues } from '../../../warehouse/metrics/value-history.ts';
import type { Metric } from '../../../warehouse/metrics/metrics.ts';
import { listMonthVersions, lockMonth } from '../../../warehouse/months/month-locks.ts';
import { monthFacts } from '../../../warehouse/months/month-facts.ts';
import { computeSpend } from '../../../warehouse/spend/compute-spend.ts';
import type { TestWarehouse } from '../../support/warehouse/engines.ts';
import { BY_ADMIN, NOW } from '../../support/warehouse/tenant.ts';
import { KEY, newMonthStory } from '../months/month-story.ts';
import { revenueValues } from '../../support/warehouse/given-values.ts';

const SEALER = new Sealer(randomBytes(32));

/** A value of a platform: its day, then its label if it has one, and its number. */
export type Row = [day: string, value: string] | [day: string, label: string, value: string];

interface RunOptions {
  /** When the run begins. */
  at?: string;
  startMonth?: Month;
  /** A failed run stores nothing. One that is cut off has stored its values, and does not complete. */
  outcome?: 'completed' | 'failed' | 'cut off';
  /** Rows that the platform gave, if they are not the values. */
  rows?: number;
  /** Seals what the run does not count, by its id. */
  uncounted?: (vault: RevenueVault, runId: string) => string | null;
}

/** Returns the steps of a story about the import of a metric. */
export function importSteps({ warehouse }: Pick<TestWarehouse, 'warehouse'>, orgId: string, metric: Metric) {
  const vault = metric.kind === 'revenue' ? new RevenueVault(SEALER, orgId) : undefined;
  let runs = 0;

  const connect = (now: Date = NOW) =>
    connectImport(
      warehouse,
      SEALER,
      orgId,
      metric.id,
      metric.kind === 'revenue'
        ? { type: 'stripe' }
        : { type: 'bigquery', project_id: 'p', location: null, query: 'q' },
      'a credential',
      firstImportedMonth(now),
      { ...BY_ADMIN, now },
    );

  /** Opens a run, which fixes the days that it reads. */
  const open = async ({ at = NOW.toISOString(), startMonth }: RunOptions = {}): Promise<ImportRun> => {
    runs += 1;
    const runId = `run_${metric.id}_${runs}`;
    const connection = await findImport(warehouse, orgId, metric.id);
    if (connection === null) throw new Error('the metric is not connected');
    const of = { orgId, metricId: metric.id, startMonth: startMonth ?? null, runId, workflowId: 'w' };
    await openImportRun(warehouse, of, connection.credential_id, new Date(at));
    const opened = await importRuns.find(warehouse, orgId, runId);
    if (opened === null) throw new Error('the run was not recorded');
    return opened;
  };

  /** Stores what the platform gives of an opened run's days, and records the run's end. A failed run stores nothing. */
  const close = async (
    opened: ImportRun,
    given: readonly Row[],
    { at = NOW.toISOString(), outcome = 'completed', rows, uncounted }: RunOptions = {},
  ) => {
    const { run_id: runId, credential_id: credentialId, start_day: start, end_day: end } = opened;
    const now = new Date(at);
    const fail = (reason: string) =>
      importRuns.fail(warehouse, { org_id: orgId, run_id: runId }, reason, now);
    if (outcome === 'failed') {
      await fail('the key was revoked');
      return { changed: 0, removed: 0 };
    }
    const parts = async function* () {
      await Promise.resolve();
      yield given
        .filter(([day]) => day >= start && day <= end)
        .map((row, index) => {
          const [day, label, value] = row.length === 3 ? row : [row[0], undefined, row[1]];
          return importedValueOf({ day, label, value }, index + 1, { start, end });
        });
    };
    const check = async (session: Queries): Promise<void> => {
      const connection = await findImport(session, orgId, metric.id);
      if (connection?.credential_id !== credentialId) throw conflict('the connection was changed');
    };
    const stored = await storeImported(
      {
        orgId,
        metric,
        credentialId,
        vault,
        days: { start, end },
        ...(rows === undefined ? {} : { rows }),
        parts: parts(),
        change: { source: 'warehouse', by: { type: 'import', id: runId, name: 'BigQuery' }, now },
        check,
        signal: new AbortController().signal,
      },
      warehouse,
    ).catch(async (error: unknown) => {
      await fail(String(error));
      throw error;
    });
    const changes = await changesOfRun(warehouse, orgId, metric.id, runId);
    if (outcome === 'cut off') return changes;
    await importRuns.record(warehouse, orgId, {
      ...opened,
      ...changes,
      rows_read: stored,
      sealed_totals: vault === undefined ? null : (uncounted?.(vault, runId) ?? null),
      status: 'completed',
      finished_at: now.toISOString(),
    });
    return changes;
  };

  /** Opens a run, and closes it at once. */
  const run = async (given: readonly Row[], options: RunOptions = {}) =>
    close(await open(options), given, options);

  return {
    vault,
    connect,
    open,
    close,
    run,
    disconnect: (now: Date = NOW) => disconnectImport(warehouse, orgId, metric.id, { ...BY_ADMIN, now }),
  };
}

/** Returns an organisation with one metric, and the steps of a story about its import. */
export async function newImportStory(
  test: Pick<TestWarehouse, 'warehouse' | 'directory'>,
  metricChanges: Partial<Omit<Metric, 'id' | 'created_at'>> = {},
) {
  const { warehouse } = test;
  const story = await newMonthStory(test, {}, metricChanges);
  const { orgId, metric, organisation } = story;
  const steps = importSteps(test, orgId, metric);
  const { vault } = steps;
  return {
    ...story,
    ...steps,
    /** Returns the record of a month. */
    month: async (month: Month = '2026-01', now: Date = NOW): Promise<MonthRecord> => {
      const { on } = await computeSpend(warehouse, orgId, now);
      const [record] = await warehouse.session(async (session) => {
        const range = { newest: month, count: 1, today: dayOf(now), vault };
        const facts = await monthFacts(on(session), orgId, [metric.id], range);
        return monthRecords(
          facts.get(metric.id) ?? [],
          metric,
          { settleDays: organisation.settle_days },
          now,
        );
      });
      if (record === undefined) throw new Error(`no record of ${month}`);
      return record;
    },
    lock: (month: Month = '2026-01', acceptMissing = false, now: Date = NOW) =>
      lockMonth(warehouse, organisation, metric, month, { actor: KEY, now, acceptMissing, vault }),
    versions: (month: Month = '2026-01') => listMonthVersions(warehouse, orgId, metric.id, month, vault),
    /** Records values by hand. */
    type: async (values: Record<string, number>, label = ''): Promise<void> => {
      if (vault === undefined) await story.values(values, label);
      else
        await writeValues(
          warehouse,
          { orgId, metricId: metric.id, vault },
          revenueValues(Object.entries(values)),
          { source: 'hand', by: KEY, now: NOW },
        );
    },
    /** Returns the sum of each month's values. */
    sums: async (): Promise<Record<Month, number>> => {
      const all = { start: null, end: null, limit: 1_000, cursor: null };
      const sums: Record<Month, number> = {};
      for (const { period, value } of await listValues(warehouse, orgId, metric.id, all, vault))
        sums[period.slice(0, 7)] = (sums[period.slice(0, 7)] ?? 0) + Number(value);
      return sums;
    },
    history: (limit = 100) => listValueChanges(warehouse, orgId, metric.id, { limit, cursor: null }, vault),
  };
}
