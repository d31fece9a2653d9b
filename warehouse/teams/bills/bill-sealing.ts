import { dayOf, monthOf, type Day, type Month } from '../../../domain/shared/calendar.ts';
import type { SealedBasis } from '../../../domain/teams/bill.ts';
import { currentSealBases } from './bill-basis.ts';
import { storeSeals, type Seal } from './bill-seals.ts';
import { coverageOf } from '../../../domain/sources/coverage.ts';
import { sourceMonths } from '../../sources/coverage.ts';
import { IMPORT_TABLES } from '../../sources/value-imports.ts';
import { splitDoubts } from '../split-doubts.ts';
import { SPLIT_BY, splittingMetrics } from '../splitting-metrics.ts';
import { computeSpend, type ComputedSession, type ComputedSpend } from '../../spend/compute-spend.ts';
import { ctes } from '../../engine/sql/cte.ts';
import { MADE_OF_NOW, SEALED, SETTLED } from './sealed-months.ts';
import type { Session } from '../../engine/session.ts';
import type { Derived } from '../../engine/cache/derived-cache.ts';
import { ofMetric, type Revisions } from '../../engine/cache/revisions.ts';
import type { Warehouse } from '../../engine/warehouse.ts';

/**
 * Seals the bills of every month that has settled and has all values that split its shared costs. If an import brings them, it
 * must have read the month to its end. Seals bills again if their values have changed. Bills that follow today's spend and
 * definitions are also sealed again if these have changed (docs/concepts.md#teams-and-owners). Returns the sealed months,
 * usually an empty list. A bill with the same amounts gets no new version. Every read of bills calls this first, so that nobody
 * sees a bill that is due. If it runs again, it finds nothing. `revisions` is as in {@link computeSpend}.
 */
export async function sealBills(
  warehouse: Warehouse,
  orgId: string,
  now: Date,
  revisions?: Revisions,
): Promise<ComputedSpend> {
  const { on } = await computeSpend(warehouse, orgId, now, revisions);
  const cache = warehouse.cache.of(revisions ?? (await warehouse.revisions()), orgId);
  const metrics = await splittingMetrics(warehouse, cache, orgId);
  const tables = ['metric_versions', 'metric_value_changes', ...IMPORT_TABLES];
  const values = metrics.flatMap((id) => ofMetric(id, tables));
  const today = new Map([[dayOf(now), values]]);
  let months: Month[] = [];
  await cache.each(NOTHING_DUE, today, async () => {
    if ((await warehouse.session((session) => dueMonths(session, orgId))).length > 0)
      months = await sealExclusively(warehouse, orgId, (session) => sealDueMonths(on(session), orgId, now));
    return new Map([[dayOf(now), true]]);
  });
  return { months, on };
}

/** That no bill of an organisation is due. It also depends on the values of its splitting metrics. */
const NOTHING_DUE: Derived<true> = {
  name: 'no bill due',
  from: [
    ...SPLIT_BY,
    'organisation_versions',
    'cost_source_versions',
    'unit_decisions',
    'accepted_units',
    'loads',
    'month_computations',
    'settled_months',
    'team_versions',
  ],
  bytesOf: () => 0,
};

/** Runs `work` in a transaction, while no other work seals bills of the organisation. */
export const sealExclusively = <Result>(
  warehouse: Warehouse,
  orgId: string,
  work: (session: Session) => Promise<Result>,
): Promise<Result> => warehouse.lockedTransaction([`bills ${orgId}`], work);

interface DueMonth {
  month: Day;
  /** What the month was sealed from; null if that no longer holds. */
  basis: string | null;
  follows_today: boolean;
  settled_before_teams: boolean;
  backfilled: boolean;
  /** Whether this seal ends that the month follows today, because it began late. */
  closes: boolean;
  was_sealed: boolean;
  /** What has changed since the last seal. */
  spend_moved: boolean;
  definitions_moved: boolean;
  values_moved: boolean;
  /** What the month would be sealed from today. */
  computation_id: string | null;
  definition_changes: string;
  /** The metrics whose values split its shared costs. */
  split_by: string[] | null;
}

/**
 * Returns the months to seal. A month of which nothing is delivered is not due, because its bills are unknown. Nor is one whose
 * spend is in doubt: a month that follows today would seal what the doubt is about. Nor is one that is split by values of an
 * import that has not read it to its end.
 */
async function dueMonths(session: Session, orgId: string): Promise<DueMonth[]> {
  const due = await session.query<DueMonth>(DUE_MONTHS, { org: orgId });
  const unsealed = due.flatMap(({ month, basis }) => (basis === null ? [monthOf(month)] : []));
  const { doubtOf } = await splitDoubts(session, orgId, [
    ...new Set(due.flatMap(({ split_by }) => split_by ?? [])),
  ]);
  const isRead = ({ month, split_by }: DueMonth): boolean =>
    (split_by ?? []).every((metric) => doubtOf(metric, monthOf(month), true) === null);
  const [first, last] = [unsealed[0], unsealed.at(-1)];
  const sources =
    first === undefined || last === undefined
      ? new Map<Month, never>()
      : await sourceMonths(session, orgId, { first, last });
  const isCertain = (month: Month): boolean => {
    const { lastKnown, gaps, doubts } = coverageOf(month, sources.get(month) ?? [], null);
    return lastKnown.size > 0 && gaps.length === 0 && doubts.length === 0;
  };
  return due.filter((month) => isRead(month) && (month.basis !== null || isCertain(monthOf(month.month))));
}

// A month waits while a metric that splits it has no value there. A sealed month keeps its metrics, others use today's.
const DUE_MONTHS = `
WITH ${ctes(SETTLED, MADE_OF_NOW, SEALED)},
split_by AS (
  SELECT month, unnest(metric_ids) AS metric_id FROM sealed WHERE holds
  UNION ALL
  SELECT month, split->>'$.metric_id' FROM settled LEFT JOIN sealed USING (month) CROSS JOIN shared_costs
  WHERE holds IS NOT true AND org_id = $org AND (split->>'$.type') = 'metric'),
with_values AS (
  SELECT DISTINCT CAST(date_trunc('month', period) AS DATE) AS month, metric_id FROM metric_values
  WHERE org_id = $org AND metric_id IN (SELECT metric_id FROM split_by)),
waiting AS (SELECT DISTINCT month FROM split_by ANTI JOIN with_values USING (month, metric_id)),
values_now AS (
  SELECT sealed.month, count(*) AS value_changes
  FROM sealed JOIN metric_value_changes AS changes
    ON changes.org_id = $org AND CAST(date_trunc('month', period) AS DATE) = sealed.month AND list_contains(metric_ids, metric_id)
  WHERE metric_id IN (SELECT unnest(metric_ids) FROM sealed)
  GROUP BY sealed.month),
moved AS (
  SELECT month, COALESCE(holds, false) AS holds, basis, sealed.month IS NOT NULL AS was_sealed,
    sealed.computation_id IS DISTINCT FROM made_of_now.computation_id AS spend_moved,
    sealed.definition_changes IS DISTINCT FROM made_of_now.definition_changes AS definitions_moved,
    COALESCE(sealed.value_changes, 0) <> COALESCE(values_now.value_changes, 0) AS values_moved
  FROM made_of_now LEFT JOIN sealed USING (month) LEFT JOIN values_now USING (month))
SELECT month, CASE WHEN holds THEN basis END AS basis, follows_today, NOT with_teams AS settled_before_teams, backfilled,
  made_of_now.closes, was_sealed, spend_moved, definitions_moved, values_moved, made_of_now.computation_id,
  made_of_now.definition_changes, split_by
FROM settled JOIN moved USING (month) JOIN made_of_now USING (month) ANTI JOIN waiting USING (month)
  LEFT JOIN (SELECT month, list(DISTINCT metric_id) AS split_by FROM split_by GROUP BY month) USING (month)
WHERE (NOT holds OR values_moved OR (settled.closes AND NOT is_closed AND with_teams AND NOT backfilled))
  AND EXISTS (FROM teams WHERE org_id = $org)
ORDER BY month`;

async function sealDueMonths(session: ComputedSession, orgId: string, now: Date): Promise<Month[]> {
  const due = await dueMonths(session, orgId);
  const unsealed = due.filter(({ basis }) => basis === null).map(({ month }) => month);
  const today = await currentSealBases(session, orgId, unsealed);
  const seals = due.flatMap((month): Seal[] => {
    const basis =
      month.basis === null ? today.get(monthOf(month.month)) : (JSON.parse(month.basis) as SealedBasis);
    const { computation_id, definition_changes, closes } = month;
    return basis === undefined
      ? []
      : [
          {
            month: month.month,
            basis,
            computation_id,
            definition_changes,
            closes,
            ...causeOf(month),
            by: null,
          },
        ];
  });
  await storeSeals(session, orgId, seals, now);
  return seals.map(({ month }) => monthOf(month));
}

/**
 * Returns why a month is sealed now. If it follows today, the reason says what has changed. The seal that closes a month of which
 * nothing has changed has no bill of its own, so that nobody reads its cause.
 */
function causeOf(month: DueMonth): Pick<Seal, 'sealed_because' | 'reason'> {
  if (!month.follows_today)
    return { sealed_because: month.values_moved ? 'values_changed' : 'settled', reason: null };
  const moved = [
    ...(month.spend_moved ? ['spend'] : []),
    ...(month.definitions_moved ? ['teams or shared costs'] : []),
    ...(month.values_moved ? ['values that shared costs are split by'] : []),
  ];
  const first = month.settled_before_teams
    ? 'the month had settled before there were teams'
    : month.backfilled
      ? 'the spend of the month was complete late'
      : 'the month had ended before its first spend, or before one of its sources was connected';
  return {
    sealed_because: 'backfill',
    reason: month.was_sealed ? `changed since: ${moved.join(', ')}` : first,
  };
}
