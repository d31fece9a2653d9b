import { DATE, DuckDBDateValue, VARCHAR } from '@duckdb/node-api';
import Big from 'big.js';
import { dayNumber, monthOf, type Day } from '../../domain/shared/calendar.ts';
import { valueUnits, type DecimalText } from '../../domain/shared/decimals.ts';
import { letOthersRun } from '../engine/let-others-run.ts';
import { audit } from '../engine/records/audit-log.ts';
import { idAfter } from '../engine/sql/ids.ts';
import type { Session } from '../engine/session.ts';
import type { Warehouse } from '../engine/warehouse.ts';
import type { ValueRange } from './metric-values.ts';
import type { RevenueVault } from './revenue-vault.ts';
import { valuesLock, type Change, type ChangeResult } from './value-changes.ts';

/** The organisation and metric whose revenue is changed, and the vault that seals it. */
export interface RevenueOf {
  orgId: string;
  metricId: string;
  vault: RevenueVault;
}

/** The revenue to store by period, or null to remove it. */
type NewRevenue = ReadonlyMap<Day, number | string | null>;

/**
 * Creates, replaces or removes revenue, all or none, as `changeValues` does for counts. The stored revenue is opened and compared
 * in memory, so that no statement ever holds a number (spec §5, Revenue privacy rule 1). Revenue has no labels and splits no
 * bill. The audit log records which months changed. `signal` stops the change before it is stored. `check` can refuse it under
 * the lock.
 */
export const changeRevenue = (
  warehouse: Warehouse,
  of: RevenueOf,
  values: NewRevenue,
  change: Change,
  signal?: AbortSignal,
  check: (session: Session) => Promise<void> = () => Promise.resolve(),
): Promise<ChangeResult> =>
  warehouse.exclusive(valuesLock(of.metricId), () =>
    warehouse.transaction(async (session) => {
      await check(session);
      return storeRevenue(session, of, values, change, signal);
    }),
  );

/** Removes the revenue of a range of periods, all or none, as `removeValues` does for counts. */
export const removeRevenue = (
  warehouse: Warehouse,
  of: RevenueOf,
  { start, end }: Pick<ValueRange, 'start' | 'end'>,
  change: Change,
): Promise<Pick<ChangeResult, 'removed' | 'months'>> =>
  warehouse.exclusive(valuesLock(of.metricId), () =>
    warehouse.transaction(async (session) => {
      const rows = await session.query<{ period: Day }>(
        `SELECT period FROM metric_values WHERE org_id = $org AND metric_id = $metric
         AND period BETWEEN COALESCE($start::DATE, DATE '0001-01-01') AND COALESCE($end::DATE, DATE '9999-12-31')`,
        { org: of.orgId, metric: of.metricId, start, end },
      );
      const values = new Map(rows.map(({ period }) => [period, null]));
      const { removed, months } = await storeRevenue(session, of, values, change);
      return { removed, months };
    }),
  );

const storeRevenue = async (
  session: Session,
  of: RevenueOf,
  values: NewRevenue,
  change: Change,
  signal?: AbortSignal,
): Promise<ChangeResult> => {
  const stored = await newestChanges(session, of, [...values.keys()]);
  const newest = [...stored.values()].reduce((latest, { change_id }) => maxOf(latest, change_id), '');
  const changeId = idAfter(newest === '' ? null : newest);
  const counts = { created: 0, replaced: 0, removed: 0, unchanged: 0 };
  const changed: { period: Day; sealed: string | null }[] = [];
  const pause = letOthersRun(signal);
  for (const [period, value] of values) {
    await pause();
    const before = openedOf(of, period, stored.get(period));
    const after = value === null ? null : Big(value).toFixed();
    if (before === null ? after === null : after !== null && valueUnits(before) === valueUnits(after)) {
      counts.unchanged += 1;
      continue;
    }
    counts[after === null ? 'removed' : before === null ? 'created' : 'replaced'] += 1;
    const place = { metric_id: of.metricId, period, change_id: changeId };
    changed.push({ period, sealed: after === null ? null : of.vault.sealValue(place, after) });
  }
  signal?.throwIfAborted();
  const months = [...new Set(changed.map(({ period }) => monthOf(period)))].sort();
  if (changed.length > 0) await insertSealed(session, of, changeId, changed, change);
  const { unchanged: _, ...changes } = counts;
  const recorded = { actor: change.by, action: 'values.change' as const, target: of.metricId };
  const detail = { source: change.source, ...changes, months };
  if (changed.length > 0) await audit(session, of.orgId, { ...recorded, detail }, change.now);
  return { ...counts, months };
};

const maxOf = (a: string, b: string): string => (a > b ? a : b);

interface NewestChange {
  period: Day;
  change_id: string;
  sealed_value: string | null;
}

const newestChanges = async (
  session: Session,
  { orgId, metricId }: RevenueOf,
  periods: readonly Day[],
): Promise<Map<Day, NewestChange>> => {
  const days = periods.toSorted();
  const rows = await session.query<NewestChange>(
    `SELECT period, max(change_id) AS change_id, arg_max_null(sealed_value, change_id) AS sealed_value
     FROM metric_value_changes
     WHERE org_id = $org AND metric_id = $metric AND period BETWEEN $first::DATE AND $last::DATE GROUP BY period`,
    { org: orgId, metric: metricId, first: days.at(0) ?? null, last: days.at(-1) ?? null },
  );
  return new Map(rows.map((row) => [row.period, row]));
};

const openedOf = (
  { metricId, vault }: RevenueOf,
  period: Day,
  newest: NewestChange | undefined,
): DecimalText | null =>
  newest?.sealed_value == null
    ? null
    : vault.openValue({ metric_id: metricId, period, change_id: newest.change_id }, newest.sealed_value);

const insertSealed = async (
  session: Session,
  { orgId, metricId }: RevenueOf,
  changeId: string,
  changed: readonly { period: Day; sealed: string | null }[],
  { source, by, now }: Change,
): Promise<void> => {
  await session.run('CREATE OR REPLACE TEMP TABLE sealed_changes (period DATE, sealed_value VARCHAR)');
  await session.append(
    'sealed_changes',
    [DATE, VARCHAR],
    [
      changed.map(({ period }) => new DuckDBDateValue(dayNumber(period))),
      changed.map(({ sealed }) => sealed),
    ],
  );
  await session.run(
    `INSERT INTO metric_value_changes BY NAME
     SELECT $org AS org_id, $metric AS metric_id, $change::UUID AS change_id, period, '' AS label, sealed_value,
       $source AS source, $by_type AS changed_by_type, $by_id AS changed_by_id, $by_name AS changed_by_name,
       $now::TIMESTAMP AS changed_at
     FROM temp.main.sealed_changes`,
    {
      org: orgId,
      metric: metricId,
      change: changeId,
      source,
      by_type: by.type,
      by_id: by.id,
      by_name: by.name,
      now: now.toISOString(),
    },
  );
  await session.run('DROP TABLE temp.main.sealed_changes');
};
