import type { ValueSource } from '../../domain/metrics/metric.ts';
import type { ValueActor } from '../../domain/organisations/actor.ts';
import type { Day } from '../../domain/shared/calendar.ts';
import type { DecimalText } from '../../domain/shared/decimals.ts';
import { instant } from '../engine/sql/instant.ts';
import type { RevenueVault, ValuePlace } from './revenue-vault.ts';
import type { Warehouse } from '../engine/warehouse.ts';

/** A stored value and its last change. */
export interface StoredValue {
  period: Day;
  label: string;
  /** Null if it is sealed and cannot be opened. */
  value: DecimalText | null;
  source: ValueSource;
  changed_by: ValueActor;
  changed_at: string;
}

interface ChangeRow {
  change_id: string;
  period: Day;
  label: string;
  source: ValueSource;
  changed_by_type: ValueActor['type'];
  changed_by_id: string;
  changed_by_name: string;
  changed_at: string;
}

/** The text of a value; the sealed text of revenue. */
const VALUE_TEXT = 'COALESCE(CAST(value AS VARCHAR), sealed_value)';

/**
 * Returns a stored value; null if it cannot be opened. Only revenue has a vault. Without it, its text stays sealed and is no
 * number.
 */
const opened = (text: string, place: ValuePlace, vault: RevenueVault | undefined): DecimalText | null =>
  vault === undefined ? text : vault.openValue(place, text);

const changedBy = (row: ChangeRow): ValueActor => ({
  type: row.changed_by_type,
  id: row.changed_by_id,
  name: row.changed_by_name,
});

/** Returns the values from `start` to `end` (both inclusive) after `cursor`, by period and label. Revenue needs its vault. */
export async function listValues(
  warehouse: Warehouse,
  orgId: string,
  metricId: string,
  range: { start: Day | null; end: Day | null; limit: number; cursor: { period: Day; label: string } | null },
  vault?: RevenueVault,
): Promise<StoredValue[]> {
  const rows = await warehouse.query<ChangeRow & { value: string }>(
    `SELECT change_id, period, label, ${VALUE_TEXT} AS value, source, changed_by_type, changed_by_id, changed_by_name, changed_at
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
    value: opened(row.value, { metric_id: metricId, ...row }, vault),
    source: row.source,
    changed_by: changedBy(row),
    changed_at: instant(row.changed_at),
  }));
}

/** One change of a value, with the value before (docs/http.md#send-values). */
export interface ValueChange {
  changeId: string;
  period: Day;
  label: string;
  action: 'set' | 'remove';
  value: DecimalText | null;
  previous: DecimalText | null;
  /** Whether the value or the one before is null because it cannot be opened. */
  isUnreadable: boolean;
  source: ValueSource;
  changed_by: ValueActor;
  changed_at: string;
}

/** Which changes to return: of periods from `start` to `end` (both inclusive), made at `since` or later. */
interface ChangeFilter {
  start: Day | null;
  end: Day | null;
  /** An instant in UTC. */
  since: string | null;
}

const EVERY_CHANGE: ChangeFilter = { start: null, end: null, since: null };

/** Returns the changes before `cursor`, newest first. The log itself has the value before each change. Revenue needs its vault. */
export async function listValueChanges(
  warehouse: Warehouse,
  orgId: string,
  metricId: string,
  page: { limit: number; cursor: { changeId: string; period: Day; label: string } | null },
  vault?: RevenueVault,
  filter = EVERY_CHANGE,
): Promise<ValueChange[]> {
  const rows = await warehouse.query<
    ChangeRow & { value: string | null; previous: string | null; previous_id: string | null }
  >(
    `WITH changes AS (
       SELECT * REPLACE (${VALUE_TEXT} AS value), lag(${VALUE_TEXT}) OVER before AS previous, lag(change_id) OVER before AS previous_id
       FROM metric_value_changes
       WHERE org_id = $org AND metric_id = $metric
         AND period >= coalesce($start::DATE, DATE '0001-01-01') AND period <= coalesce($end::DATE, DATE '9999-12-31')
       WINDOW before AS (PARTITION BY period, label ORDER BY change_id))
     SELECT change_id, period, label, value, previous, previous_id, source, changed_by_type, changed_by_id, changed_by_name, changed_at
     FROM changes
     WHERE ($changeId::UUID IS NULL OR (change_id, period, label) < ($changeId::UUID, $period::DATE, $label))
       AND ($since::TIMESTAMP IS NULL OR changed_at >= $since::TIMESTAMP)
     ORDER BY change_id DESC, period DESC, label DESC LIMIT $limit`,
    {
      org: orgId,
      metric: metricId,
      changeId: page.cursor?.changeId ?? null,
      period: page.cursor?.period ?? null,
      label: page.cursor?.label ?? null,
      limit: page.limit,
      ...filter,
    },
  );
  const openedOf = (text: string | null, period: Day, change_id: string | null): DecimalText | null =>
    text === null || change_id === null
      ? null
      : opened(text, { metric_id: metricId, period, change_id }, vault);
  return rows.map((row) => {
    const value = openedOf(row.value, row.period, row.change_id);
    const previous = openedOf(row.previous, row.period, row.previous_id);
    return {
      changeId: row.change_id,
      period: row.period,
      label: row.label,
      action: row.value === null ? 'remove' : 'set',
      value,
      previous,
      isUnreadable: (row.value !== null && value === null) || (row.previous !== null && previous === null),
      source: row.source,
      changed_by: changedBy(row),
      changed_at: instant(row.changed_at),
    };
  });
}
