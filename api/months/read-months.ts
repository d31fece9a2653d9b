import type { ComputedQueries } from '../../warehouse/spend/compute-spend.ts';
import { dayOf } from '../../domain/shared/calendar.ts';
import { monthRecords, type MonthRecord } from '../../domain/months/month-record.ts';
import { shownMonths } from '../../domain/months/shown-months.ts';
import type { Metric } from '../../warehouse/metrics/metrics.ts';
import { monthFacts } from '../../warehouse/months/month-facts.ts';
import { cachedMonths } from '../../warehouse/months/cached-months.ts';
import type { RevenueVault } from '../../warehouse/metrics/revenue-vault.ts';
import type { OrganisationCache } from '../../warehouse/engine/cache/derived-cache.ts';
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
  { spend, now }: Reading,
  range?: MonthRange,
): Promise<Map<string, MonthRecord[]>> {
  const { warehouse } = dependencies;
  const { organisation, revisions } = caller;
  const { metrics, vault } = await visibleNumbers(dependencies, caller, requested, viewed);
  const cache = warehouse.cache.of(revisions, organisation.id);
  const kept = range === undefined ? { cache } : { range };
  const read = (some: readonly Metric[]): Promise<Map<string, MonthRecord[]>> =>
    readMonths(spend.on(warehouse), organisation, some, now, { vault, ...kept });
  if (range !== undefined) return read(metrics);
  const revenue = metrics.filter(({ kind }) => kind === 'revenue');
  const counts = metrics.filter(({ kind }) => kind !== 'revenue');
  const known = await cachedMonths(cache, RECORDS, counts, dayOf(now), read);
  const opened = revenue.length === 0 ? new Map<string, MonthRecord[]>() : await read(revenue);
  return new Map(metrics.map(({ id }) => [id, known.get(id) ?? opened.get(id) ?? []]));
}

/** Reads the months of metrics by the caller's statements. Revenue needs its vault. Without `cache`, every month is computed anew. */
export async function readMonths(
  session: ComputedQueries,
  organisation: Caller['organisation'],
  metrics: readonly Metric[],
  now: Date,
  {
    vault,
    cache,
    range = shownMonths(now),
  }: { vault?: RevenueVault | undefined; cache?: OrganisationCache; range?: MonthRange } = {},
): Promise<Map<string, MonthRecord[]>> {
  const facts = await monthFacts(
    session,
    organisation.id,
    metrics.map(({ id }) => id),
    { ...range, today: dayOf(now), vault, ...(cache === undefined ? {} : { cache }) },
  );
  const settlement = { settleDays: organisation.settle_days };
  return new Map(
    metrics.map((metric) => [metric.id, monthRecords(facts.get(metric.id) ?? [], metric, settlement, now)]),
  );
}
