import Big from 'big.js';
import { monthOf, type Day, type Month } from '../../domain/shared/calendar.ts';
import { valueUnits, type DecimalText } from '../../domain/shared/decimals.ts';
import { conflict } from '../../domain/shared/errors.ts';
import type { ValueChange } from '../../domain/metrics/value-months.ts';
import { letOthersRun } from '../engine/let-others-run.ts';
import { audit } from '../engine/records/audit-log.ts';
import { idAfter } from '../engine/sql/ids.ts';
import type { Session } from '../engine/session.ts';
import { amendValues } from './cached-values.ts';
import {
  LABEL_KEY_CHANGED,
  storedBy,
  type Change,
  type ChangeResult,
  type NewValue,
  type Removal,
  type ValuesOf,
} from './value-changes.ts';

/** A value to store, or null to remove it. */
export type GivenValue = Omit<NewValue, 'value'> & { value: NewValue['value'] | null };

/** Returns the given values, and as null the stored ones that a change removes and does not give. */
export async function withRemoved(
  session: Session,
  values: readonly NewValue[],
  { sql, parameters }: Removal,
): Promise<GivenValue[]> {
  const given = new Set(values.map(placeOf));
  const removed = await session.query<Pick<NewValue, 'period' | 'label'>>(sql, parameters);
  return [
    ...values,
    ...removed.filter((stored) => !given.has(placeOf(stored))).map((stored) => ({ ...stored, value: null })),
  ];
}

/**
 * Changes values that are in memory, all or none: at most one for each period and label. Runs within a transaction, under the
 * metric's lock. Compares them here, because no statement may hold revenue (docs/concepts.md#revenue-and-who-sees-it), and because
 * that is faster for a few values. {@link storeStaged} does it for many counts. The audit log records which months of revenue
 * changed. `signal` stops the change before it is stored.
 */
export async function storeGiven(
  session: Session,
  of: ValuesOf,
  values: readonly GivenValue[],
  change: Change,
  signal?: AbortSignal,
): Promise<ChangeResult> {
  await of.vault?.requireOpeningKey(session);
  const before = await newestChanges(session, of, values);
  const newest = [...before.values()].reduce((latest, { change_id }) => maxOf(latest, change_id), '');
  const changeId = idAfter(newest === '' ? null : newest);
  const counts = { created: 0, replaced: 0, removed: 0, unchanged: 0 };
  const changed: Changed[] = [];
  const pause = letOthersRun(signal);
  for (const { period, label, value } of values) {
    await pause();
    const old = numberOf(of, before.get(placeOf({ period, label })));
    const number = value === null ? null : Big(value).toFixed();
    if (isSame(old, number)) {
      counts.unchanged += 1;
      continue;
    }
    counts[number === null ? 'removed' : old === null ? 'created' : 'replaced'] += 1;
    const place = { metric_id: of.metricId, period, change_id: changeId };
    const stored = number === null ? null : (of.vault?.sealValue(place, number) ?? number);
    changed.push({ period, label, stored, before: old ?? null });
  }
  signal?.throwIfAborted();
  const months = [...new Set(changed.map(({ period }) => monthOf(period)))].sort();
  if (changed.length > 0) await insert(session, of, changeId, changed, change);
  amendCounts(session, of, changed, change);
  if (changed.length > 0 && of.vault !== undefined) await recordChange(session, of, counts, months, change);
  return { ...counts, months };
}

async function recordChange(
  session: Session,
  { orgId, metricId }: ValuesOf,
  { created, replaced, removed }: Pick<ChangeResult, 'created' | 'replaced' | 'removed'>,
  months: readonly Month[],
  { source, by: actor, now }: Change,
): Promise<void> {
  const detail = { source, created, replaced, removed, months };
  await audit(session, orgId, { actor, action: 'values.change', target: metricId, detail }, now);
}

/** Whether a value stays as it is. Revenue that cannot be opened never does, so that it can be given again. */
const isSame = (old: DecimalText | null | undefined, given: DecimalText | null): boolean =>
  old === undefined
    ? false
    : old === null || given === null
      ? old === given
      : valueUnits(old) === valueUnits(given);

/** A changed value. `stored` is a number, or sealed revenue; null if the value is removed. */
interface Changed {
  period: Day;
  label: string;
  stored: string | null;
  /** Its number before; null without one. */
  before: DecimalText | null;
}

/** Amends cached values of a count without labels by what clients and people have changed. */
function amendCounts(session: Session, of: ValuesOf, changed: readonly Changed[], { by, now }: Change): void {
  if (of.vault !== undefined || by.type === 'import' || changed.some(({ label }) => label !== '')) return;
  const changes = changed.map(({ period, before, stored }) => ({ period, before, after: stored }));
  amendValues(session, of, changes.sort(byPeriod), now);
}

const byPeriod = (one: ValueChange, other: ValueChange): number => (one.period < other.period ? -1 : 1);

const maxOf = (a: string, b: string): string => (a > b ? a : b);

/** Returns what identifies a value of a metric. */
export const placeOf = ({ period, label }: Pick<GivenValue, 'period' | 'label'>): string =>
  `${period} ${label}`;

interface NewestChange {
  period: Day;
  label: string;
  change_id: string;
  value: DecimalText | null;
  sealed_value: string | null;
}

async function newestChanges(
  session: Session,
  { orgId, metricId }: ValuesOf,
  values: readonly GivenValue[],
): Promise<Map<string, NewestChange>> {
  const periods = values.map(({ period }) => period);
  const days = periods.toSorted();
  const rows = await session.query<NewestChange>(
    `SELECT period, label, max(change_id) AS change_id, arg_max_null(value, change_id) AS value,
       arg_max_null(sealed_value, change_id) AS sealed_value
     FROM metric_value_changes
     SEMI JOIN (SELECT unnest($periods::DATE[]) AS period, unnest($labels) AS label) AS given USING (period, label)
     WHERE org_id = $org AND metric_id = $metric AND period BETWEEN $first::DATE AND $last::DATE GROUP BY ALL`,
    {
      org: orgId,
      metric: metricId,
      periods,
      labels: values.map(({ label }) => label),
      first: days.at(0) ?? null,
      last: days.at(-1) ?? null,
    },
  );
  return new Map(rows.map((row) => [placeOf(row), row]));
}

/** Returns the stored number of a value; null without one, and undefined if it cannot be opened. */
function numberOf(
  { metricId, vault }: ValuesOf,
  newest: NewestChange | undefined,
): DecimalText | null | undefined {
  if (newest === undefined || vault === undefined) return newest?.value ?? null;
  const { period, change_id, sealed_value: sealed } = newest;
  if (sealed === null) return null;
  return vault.openValue({ metric_id: metricId, period, change_id }, sealed) ?? undefined;
}

async function insert(
  session: Session,
  { orgId, metricId, vault }: ValuesOf,
  changeId: string,
  changed: readonly Changed[],
  change: Change,
): Promise<void> {
  const value = vault === undefined ? 'stored::DECIMAL(38,10) AS value' : 'stored AS sealed_value';
  const count = await session.run(
    `INSERT INTO metric_value_changes BY NAME
     SELECT $org AS org_id, $metric AS metric_id, $change::UUID AS change_id, period, label, ${value},
       $source AS source, $by_type AS changed_by_type, $by_id AS changed_by_id, $by_name AS changed_by_name,
       $now::TIMESTAMP AS changed_at
     FROM (SELECT unnest($periods::DATE[]) AS period, unnest($labels) AS label, unnest($stored) AS stored)
     WHERE (label <> '') = (SELECT arg_max(label_key IS NOT NULL, version_id) FROM metric_versions
       WHERE org_id = $org AND metric_id = $metric)`,
    {
      org: orgId,
      metric: metricId,
      change: changeId,
      ...storedBy(change),
      periods: changed.map(({ period }) => period),
      labels: changed.map(({ label }) => label),
      stored: changed.map(({ stored }) => stored),
    },
  );
  if (count < changed.length) throw conflict(LABEL_KEY_CHANGED);
}
