import { DATE, DECIMAL, DuckDBDateValue, DuckDBDecimalValue, VARCHAR } from '@duckdb/node-api';
import Big from 'big.js';
import type { Day, Month } from '../domain/calendar.ts';
import { VALUE_DECIMALS, type DecimalText } from '../domain/decimals.ts';
import { idAfter } from './ids.ts';
import { instant } from './instant.ts';
import type { Session } from './session.ts';
import type { Warehouse } from './warehouse.ts';

/** How a value came in (contract §3, Values). */
export type ValueSource = 'hand' | 'csv' | 'api' | 'warehouse' | 'payments';

/** Who changed a value. */
export interface ChangedBy {
  type: 'key' | 'import';
  id: string;
  name: string;
}

/** A value to write; `period` is its first day, `label` is empty on a metric without labels. */
export interface NewValue {
  period: Day;
  label: string;
  value: number;
}

export interface WriteResult {
  created: number;
  replaced: number;
  unchanged: number;
  /** The months that a created or replaced value belongs to, oldest first. */
  months: Month[];
}

/**
 * Creates or replaces values, all or none. The same number again is no change and leaves no trace (design §2).
 * Each change is one row in the log; all of one call share a change id that sorts after everything read.
 */
export const writeValues = (
  warehouse: Warehouse,
  orgId: string,
  metricId: string,
  values: readonly NewValue[],
  change: { source: ValueSource; by: ChangedBy; now: Date },
): Promise<WriteResult> =>
  warehouse.exclusive(`values ${metricId}`, () =>
    warehouse.transaction(async (session) => {
      await stage(session, values);
      const [summary] = await session.query<{
        newest: string | null;
        created: string;
        replaced: string;
        unchanged: string;
        months: Month[] | null;
      }>(COMPARE_STAGED, { org: orgId, metric: metricId });
      if (summary === undefined) throw new Error('the comparison of staged values answered no row');
      await session.run(INSERT_CHANGED, {
        org: orgId,
        metric: metricId,
        change: idAfter(summary.newest),
        source: change.source,
        by_type: change.by.type,
        by_id: change.by.id,
        by_name: change.by.name,
        now: change.now.toISOString(),
      });
      return {
        created: Number(summary.created),
        replaced: Number(summary.replaced),
        unchanged: Number(summary.unchanged),
        months: summary.months ?? [],
      };
    }),
  );

const MILLISECONDS_PER_DAY = 86_400_000;

const stage = async (session: Session, values: readonly NewValue[]): Promise<void> => {
  await session.run(
    'CREATE OR REPLACE TEMP TABLE staged_values (period DATE, label VARCHAR, value DECIMAL(38,10))',
  );
  await session.append(
    'staged_values',
    [DATE, VARCHAR, DECIMAL(38, VALUE_DECIMALS)],
    [
      values.map(({ period }) => new DuckDBDateValue(Date.parse(period) / MILLISECONDS_PER_DAY)),
      values.map(({ label }) => label),
      values.map(({ value }) => new DuckDBDecimalValue(unscaled(value), 38, VALUE_DECIMALS)),
    ],
  );
};

/** A value in units of 10⁻¹⁰. Small whole numbers, the most usual ones, need no decimal arithmetic. */
const unscaled = (value: number): bigint =>
  Number.isSafeInteger(value)
    ? BigInt(value) * 10n ** BigInt(VALUE_DECIMALS)
    : BigInt(Big(value).times(`1e${VALUE_DECIMALS.toString()}`).toFixed(0));

const CURRENT_VALUES = `
current_values AS (
  SELECT period, label, arg_max_null(value, change_id) AS value, max(change_id) AS change_id
  FROM metric_value_changes
  WHERE org_id = $org AND metric_id = $metric
    AND period BETWEEN (SELECT min(period) FROM staged_values) AND (SELECT max(period) FROM staged_values)
  GROUP BY ALL)`;

const COMPARE_STAGED = `
WITH ${CURRENT_VALUES},
compared AS (
  SELECT staged.period, current_values.change_id, current_values.value IS NULL AS is_new,
    current_values.value IS DISTINCT FROM staged.value AS is_change
  FROM staged_values AS staged LEFT JOIN current_values USING (period, label))
SELECT (SELECT max(change_id) FROM current_values) AS newest,
  count_if(is_new)::BIGINT AS created, count_if(is_change AND NOT is_new)::BIGINT AS replaced,
  count_if(NOT is_change)::BIGINT AS unchanged,
  list_sort(list(DISTINCT strftime(period, '%Y-%m')) FILTER (is_change)) AS months
FROM compared`;

const INSERT_CHANGED = `
INSERT INTO metric_value_changes BY NAME
WITH ${CURRENT_VALUES}
SELECT $org AS org_id, $metric AS metric_id, $change::UUID AS change_id, period, label, staged.value,
  $source AS source, $by_type AS changed_by_type, $by_id AS changed_by_id, $by_name AS changed_by_name,
  $now::TIMESTAMP AS changed_at
FROM staged_values AS staged LEFT JOIN current_values USING (period, label)
WHERE current_values.value IS DISTINCT FROM staged.value`;

/** A stored value and its last change. */
export interface StoredValue {
  period: Day;
  label: string;
  value: DecimalText;
  source: ValueSource;
  changed_by: ChangedBy;
  changed_at: string;
}

interface ChangeRow {
  period: Day;
  label: string;
  source: ValueSource;
  changed_by_type: ChangedBy['type'];
  changed_by_id: string;
  changed_by_name: string;
  changed_at: string;
}

const changedBy = (row: ChangeRow): ChangedBy => ({
  type: row.changed_by_type,
  id: row.changed_by_id,
  name: row.changed_by_name,
});

/** The values from `start` to `end` (both inclusive) after `cursor`, by period and label. */
export const listValues = async (
  warehouse: Warehouse,
  orgId: string,
  metricId: string,
  range: { start: Day | null; end: Day | null; limit: number; cursor: { period: Day; label: string } | null },
): Promise<StoredValue[]> => {
  const rows = await warehouse.query<ChangeRow & { value: DecimalText }>(
    `SELECT period, label, value, source, changed_by_type, changed_by_id, changed_by_name, changed_at
     FROM metric_values
     WHERE org_id = $org AND metric_id = $metric
       AND period >= coalesce($start::DATE, DATE '0001-01-01') AND period <= coalesce($end::DATE, DATE '9999-12-31')
       AND (period, label) > (coalesce($cursorPeriod::DATE, DATE '0001-01-01'), coalesce($cursorLabel, ''))
     ORDER BY period, label LIMIT $limit`,
    {
      org: orgId,
      metric: metricId,
      start: range.start,
      end: range.end,
      cursorPeriod: range.cursor?.period ?? null,
      cursorLabel: range.cursor?.label ?? null,
      limit: range.limit,
    },
  );
  return rows.map((row) => ({
    period: row.period,
    label: row.label,
    value: row.value,
    source: row.source,
    changed_by: changedBy(row),
    changed_at: instant(row.changed_at),
  }));
};

/** One change of a value: what it became and what it was (spec §2, Metric value rule 2). */
export interface ValueChange {
  changeId: string;
  period: Day;
  label: string;
  action: 'set' | 'remove';
  value: DecimalText | null;
  previous: DecimalText | null;
  source: ValueSource;
  changed_by: ChangedBy;
  changed_at: string;
}

/** The changes before `cursor`, newest first; the value before is read off the log itself. */
export const listValueChanges = async (
  warehouse: Warehouse,
  orgId: string,
  metricId: string,
  page: { limit: number; cursor: { changeId: string; period: Day; label: string } | null },
): Promise<ValueChange[]> => {
  const rows = await warehouse.query<
    ChangeRow & { change_id: string; value: DecimalText | null; previous: DecimalText | null }
  >(
    `WITH changes AS (
       SELECT *, lag(value) OVER (PARTITION BY period, label ORDER BY change_id) AS previous
       FROM metric_value_changes WHERE org_id = $org AND metric_id = $metric)
     SELECT change_id, period, label, value, previous, source, changed_by_type, changed_by_id, changed_by_name, changed_at
     FROM changes
     WHERE $changeId::UUID IS NULL OR (change_id, period, label) < ($changeId::UUID, $period::DATE, $label)
     ORDER BY change_id DESC, period DESC, label DESC LIMIT $limit`,
    {
      org: orgId,
      metric: metricId,
      changeId: page.cursor?.changeId ?? null,
      period: page.cursor?.period ?? null,
      label: page.cursor?.label ?? null,
      limit: page.limit,
    },
  );
  return rows.map((row) => ({
    changeId: row.change_id,
    period: row.period,
    label: row.label,
    action: row.value === null ? 'remove' : 'set',
    value: row.value,
    previous: row.previous,
    source: row.source,
    changed_by: changedBy(row),
    changed_at: instant(row.changed_at),
  }));
};
