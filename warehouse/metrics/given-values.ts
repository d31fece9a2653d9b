import Big from 'big.js';
import { monthOf, type Day, type Month } from '../../domain/shared/calendar.ts';
import { valueUnits, type DecimalText } from '../../domain/shared/decimals.ts';
import type { ValueChange } from '../../domain/metrics/value-months.ts';
import { letOthersRun } from '../engine/let-others-run.ts';
import { audit } from '../engine/records/audit-log.ts';
import { idAfter } from '../engine/sql/ids.ts';
import type { Session } from '../engine/session.ts';
import { sqlTexts } from '../engine/sql/sql-text.ts';
import { amendValues } from './cached-values.ts';
import {
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

/** Values of one metric to change, which are in memory: at most one for each period and label. */
export interface GivenChange {
  of: ValuesOf;
  values: readonly GivenValue[];
  change: Change;
}

/** Whether values have labels exactly if those of their metric have them. */
export const labelsFit = (values: readonly Pick<GivenValue, 'label'>[], labelled: boolean): boolean =>
  values.every(({ label }) => (label !== '') === labelled);

/**
 * Changes values that are in memory, all or none, and returns the result of each change. They happen one after the other, but one
 * statement reads what is stored, and one stores what is new. Runs within a transaction, under the locks of the metrics. Compares
 * values here, because no statement may hold revenue (docs/concepts.md#revenue-and-who-sees-it), and because that is faster for a few
 * values. {@link storeStaged} does it for many counts. The audit log records which months of revenue changed. `signal` stops the
 * changes before they are stored.
 */
export async function storeGiven(
  session: Session,
  given: readonly GivenChange[],
  signal?: AbortSignal,
): Promise<ChangeResult[]> {
  for (const { of } of given) await of.vault?.requireOpeningKey(session);
  const before = await newestChanges(session, given);
  const changed: Changed[] = [];
  const results: ChangeResult[] = [];
  const pause = letOthersRun(signal);
  for (const { of, values, change } of given) {
    const olds = values.map((value) => before.get(keyOf(of, value)));
    const newest = olds.reduce((latest, old) => maxOf(latest, old?.change_id ?? ''), '');
    const changeId = idAfter(newest === '' ? null : newest);
    const counts = { created: 0, replaced: 0, removed: 0, unchanged: 0 };
    const months = new Set<Month>();
    const first = changed.length;
    for (const [at, { period, label, value }] of values.entries()) {
      await pause();
      const old = numberOf(of, period, olds[at]);
      const number = value === null ? null : Big(value).toFixed();
      if (isSame(old, number)) {
        counts.unchanged += 1;
        continue;
      }
      counts[number === null ? 'removed' : old === null ? 'created' : 'replaced'] += 1;
      months.add(monthOf(period));
      const place = { metric_id: of.metricId, period, change_id: changeId };
      const stored = number === null ? null : (of.vault?.sealValue(place, number) ?? number);
      changed.push({ of, change, changeId, period, label, stored, before: old ?? null });
      const isSealed = of.vault !== undefined;
      before.set(keyOf(of, { period, label }), {
        change_id: changeId,
        value: isSealed ? null : stored,
        sealed_value: isSealed ? stored : null,
      });
    }
    amendCounts(session, of, changed.slice(first), change);
    results.push({ ...counts, months: [...months].sort() });
  }
  signal?.throwIfAborted();
  if (changed.length > 0) await insert(session, changed);
  for (const [at, { of, change }] of given.entries()) {
    const result = results[at];
    if (of.vault !== undefined && result !== undefined && result.months.length > 0)
      await recordChange(session, of, result, change);
  }
  return results;
}

async function recordChange(
  session: Session,
  { orgId, metricId }: ValuesOf,
  { created, replaced, removed, months }: ChangeResult,
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
  of: ValuesOf;
  change: Change;
  changeId: string;
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

const keyOf = (
  { metricId }: Pick<ValuesOf, 'metricId'>,
  value: Pick<GivenValue, 'period' | 'label'>,
): string => `${metricId} ${placeOf(value)}`;

/** The newest change of a value. */
interface Newest {
  change_id: string;
  value: DecimalText | null;
  sealed_value: string | null;
}

/** Returns the newest change of each given value that was ever stored, by {@link keyOf}. */
async function newestChanges(session: Session, given: readonly GivenChange[]): Promise<Map<string, Newest>> {
  const days = given.flatMap(({ values }) => values.map(({ period }) => period)).toSorted();
  const rows = await session.query<{ key: string; newest: Newest }>(
    // Each column that a DuckLake compares by itself costs a question to its catalog. So one comparison is of three columns.
    `SELECT concat_ws(' ', metric_id, period, label) AS key,
       max({'change_id': change_id, 'value': value, 'sealed_value': sealed_value}) AS newest
     FROM metric_value_changes
     WHERE metric_id IN ${sqlTexts([...new Set(given.map(({ of }) => of.metricId))])}
       AND period BETWEEN $first::DATE AND $last::DATE AND key IN (SELECT unnest($keys)) GROUP BY ALL`,
    {
      first: days.at(0) ?? null,
      last: days.at(-1) ?? null,
      keys: given.flatMap(({ of, values }) => values.map((value) => keyOf(of, value))),
    },
  );
  return new Map(rows.map(({ key, newest }) => [key, newest]));
}

/** Returns the stored number of a value; null without one, and undefined if it cannot be opened. */
function numberOf(
  { metricId, vault }: ValuesOf,
  period: Day,
  newest: Newest | undefined,
): DecimalText | null | undefined {
  if (newest === undefined || vault === undefined) return newest?.value ?? null;
  const { change_id, sealed_value: sealed } = newest;
  if (sealed === null) return null;
  return vault.openValue({ metric_id: metricId, period, change_id }, sealed) ?? undefined;
}

async function insert(session: Session, changed: readonly Changed[]): Promise<void> {
  const by = changed.map(({ change }) => storedBy(change));
  const stored = (isSealed: boolean): (string | null)[] =>
    changed.map(({ of, stored }) => ((of.vault !== undefined) === isSealed ? stored : null));
  await session.run(INSERT, {
    orgs: changed.map(({ of }) => of.orgId),
    metrics: changed.map(({ of }) => of.metricId),
    changes: changed.map(({ changeId }) => changeId),
    periods: changed.map(({ period }) => period),
    labels: changed.map(({ label }) => label),
    values: stored(false),
    sealed_values: stored(true),
    sources: by.map(({ source }) => source),
    by_types: by.map(({ by_type }) => by_type),
    by_ids: by.map(({ by_id }) => by_id),
    by_names: by.map(({ by_name }) => by_name),
    nows: by.map(({ now }) => now),
  });
}

const INSERT = `
INSERT INTO metric_value_changes BY NAME
SELECT unnest($orgs) AS org_id, unnest($metrics) AS metric_id, unnest($changes::UUID[]) AS change_id, unnest($periods::DATE[]) AS period,
  unnest($labels) AS label, unnest($values::DECIMAL(38,10)[]) AS value, unnest($sealed_values) AS sealed_value,
  unnest($sources) AS source, unnest($by_types) AS changed_by_type, unnest($by_ids) AS changed_by_id,
  unnest($by_names) AS changed_by_name, unnest($nows::TIMESTAMP[]) AS changed_at`;
