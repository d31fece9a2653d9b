import type { ComputedQueries } from '../../warehouse/spend/compute-spend.ts';
import { dayOf } from '../../domain/shared/calendar.ts';
import { monthRecords, type MonthRecord } from '../../domain/months/month-record.ts';
import type { MonthFacts } from '../../domain/months/month-facts.ts';
import { shownMonths } from '../../domain/months/shown-months.ts';
import type { Metric } from '../../warehouse/metrics/metrics.ts';
import { monthFacts } from '../../warehouse/months/month-facts.ts';
import { cachedMonths } from '../../warehouse/months/cached-months.ts';
import type { RevenueVault } from '../../warehouse/metrics/revenue-vault.ts';
import type { Derived } from '../../warehouse/engine/cache/derived-cache.ts';
import type { Caller } from '../access/authentication.ts';
import { visibleNumbers, type Viewed } from '../access/revenue-access.ts';
import type { ApiDependencies } from '../http/dependencies.ts';
import type { MonthRange } from '../http/month-range.ts';
import type { Reading } from '../routes/up-to-date.ts';

/** The shown months of a metric. */
const RECORDS = {
  name: 'months of a metric',
  bytesOf: (records: readonly MonthRecord[]) => records.length * RECORD_BYTES,
};

const RECORD_BYTES = 1_000;

/**
 * Returns the last twelve months, or those of `range`, of those metrics whose numbers the caller may see, newest first, by metric
 * id. The audit log records the view of revenue. Of it and of a range, nothing is kept in memory.
 *
 * @param reading of the months of the metrics.
 */
export async function monthsOf(
  dependencies: Pick<ApiDependencies, 'warehouse' | 'sealer' | 'clock'>,
  caller: Caller,
  requested: readonly Metric[],
  viewed: Viewed,
  reading: Reading,
  range?: MonthRange,
): Promise<ReadonlyMap<string, MonthRecord[]>> {
  const { organisation } = caller;
  if (range === undefined)
    return shownOf(dependencies, caller, requested, viewed, reading, {
      ...RECORDS,
      of: (facts, metric) => recordsOf(facts, metric, organisation, reading.now),
    });
  const { metrics, vault } = await visibleNumbers(dependencies, caller, requested, viewed);
  return readMonths(reading.spend.on(dependencies.warehouse), organisation, metrics, reading.now, {
    vault,
    range,
  });
}

/** What is shown of a metric, made of the facts of its last twelve months and the month before them. */
export interface Shown<Value> extends Omit<Derived<Value>, 'from'> {
  of: (facts: readonly MonthFacts[], metric: Metric) => Value;
}

/**
 * Returns what is shown of those metrics whose numbers the caller may see, by metric id. The audit log records the view of revenue.
 * Of it nothing is kept in memory.
 *
 * @param reading of the months of the metrics.
 */
export async function shownOf<Value>(
  dependencies: Pick<ApiDependencies, 'warehouse' | 'sealer' | 'clock'>,
  caller: Caller,
  requested: readonly Metric[],
  viewed: Viewed,
  { spend, now }: Reading,
  shown: Shown<Value>,
): Promise<ReadonlyMap<string, Value>> {
  const { warehouse } = dependencies;
  const { organisation, revisions } = caller;
  const { metrics, vault } = await visibleNumbers(dependencies, caller, requested, viewed);
  const cache = warehouse.cache.of(revisions, organisation.id);
  const read = async (some: readonly Metric[]): Promise<Map<string, Value>> => {
    const ids = some.map(({ id }) => id);
    const range = { ...shownMonths(now), today: dayOf(now) };
    const facts = await monthFacts(spend.on(warehouse), organisation.id, ids, { ...range, vault, cache });
    return new Map(some.map((metric) => [metric.id, shown.of(facts.get(metric.id) ?? [], metric)]));
  };
  const revenue = metrics.filter(({ kind }) => kind === 'revenue');
  const counts = metrics.filter(({ kind }) => kind !== 'revenue');
  const known = await cachedMonths(cache, shown, counts, dayOf(now), read);
  return revenue.length === 0 ? known : new Map([...known, ...(await read(revenue))]);
}

const recordsOf = (
  facts: readonly MonthFacts[],
  metric: Metric,
  { settle_days }: Caller['organisation'],
  now: Date,
): MonthRecord[] => monthRecords(facts, metric, { settleDays: settle_days }, now);

/** Reads the months of metrics by the caller's statements. Revenue needs its vault. Every month is computed anew. */
export async function readMonths(
  session: ComputedQueries,
  organisation: Caller['organisation'],
  metrics: readonly Metric[],
  now: Date,
  { vault, range = shownMonths(now) }: { vault?: RevenueVault | undefined; range?: MonthRange } = {},
): Promise<Map<string, MonthRecord[]>> {
  const ids = metrics.map(({ id }) => id);
  const facts = await monthFacts(session, organisation.id, ids, { ...range, today: dayOf(now), vault });
  return new Map(
    metrics.map((metric) => [metric.id, recordsOf(facts.get(metric.id) ?? [], metric, organisation, now)]),
  );
}
