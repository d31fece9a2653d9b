import { dayOf, type Day, type Month } from '../../domain/shared/calendar.ts';
import { computeStaleMonths } from './compute-stale-months.ts';
import { INSERT_SCOPE_COSTS, SCOPE_COSTS_MISSING } from './scope-costs.ts';
import { scopeDayCostsMissing, storeScopeDayCosts } from './scope-day-costs.ts';
import { staleMonths } from './stale-months.ts';
import type { Queries, Session } from '../engine/session.ts';
import type { Derived } from '../engine/cache/derived-cache.ts';
import type { Revisions } from '../engine/cache/revisions.ts';
import type { Warehouse } from '../engine/warehouse.ts';

/** That an organisation's spend is up to date, on a day. */
const UP_TO_DATE: Derived<void> = {
  name: 'spend up to date',
  from: [
    'loads',
    'cost_source_versions',
    'metric_versions',
    'team_versions',
    'shared_cost_versions',
    'month_computations',
    'unit_decisions',
  ],
  bytesOf: () => 0,
};

declare const isComputed: unique symbol;

/** Marks that an organisation's spend is up to date. What reads spend asks for it; only this file gives it. */
interface Computed {
  readonly [isComputed]: true;
}

/** A session on which an organisation's spend is up to date. */
export type ComputedSession = Session & Computed;

/** Runs single statements, on any session, while an organisation's spend is up to date. */
export type ComputedQueries = Queries & Computed;

/** Streams rows while an organisation's spend is up to date. */
export type ComputedWarehouse = Warehouse & Computed;

/** An organisation's spend after it was brought up to date. */
export interface ComputedSpend {
  /** The months that were computed, oldest first; usually none. */
  months: Month[];
  /** Lets spend be read on a session, by single statements, or in streams. */
  on: <Own extends Queries>(session: Own) => Own & Computed;
}

const computed = (months: Month[]): ComputedSpend => ({
  months,
  on: (session) => session as typeof session & Computed,
});

/** Spend as it was last computed, however old: what an upgrade's dry run compares with. */
export const STORED_SPEND: ComputedSpend = computed([]);

/**
 * Brings an organisation's counted spend up to date. It computes exactly the months whose published loads are not
 * those they were last computed from. Then it stores what every scope costs in each month, and by day in the running
 * month and the one before it (scope-day-costs.ts). Every read of spend asks for it, so that no number can be stale,
 * whoever published, deleted a source, changed a scope, or died before computing. It is one transaction, so that a
 * reader sees all of a month or nothing of it.
 *
 * @param revisions began after the request that reads the spend; by default a new one.
 */
export async function computeSpend(
  warehouse: Warehouse,
  orgId: string,
  now: Date,
  revisions?: Revisions,
): Promise<ComputedSpend> {
  const today = dayOf(now);
  let months: Month[] = [];
  await warehouse.cache.cached(
    revisions ?? (await warehouse.revisions()),
    UP_TO_DATE,
    orgId,
    today,
    async () => {
      if (!(await warehouse.session((session) => isUpToDate(session, orgId, today))))
        months = await warehouse.lockedTransaction([spendLock(orgId)], (session) =>
          bringUpToDate(session, orgId, now),
        );
    },
  );
  return computed(months);
}

/** That the months of an organisation's spend are up to date, on a day. */
const MONTHS_UP_TO_DATE: Derived<void> = {
  name: 'months up to date',
  from: ['loads', 'cost_source_versions', 'month_computations', 'unit_decisions'],
  bytesOf: () => 0,
};

/**
 * Brings only the months up to date. The next read of any scope computes what scopes cost in them. So the creation of a metric
 * does not wait for it.
 */
export async function computeMonths(warehouse: Warehouse, orgId: string, now: Date): Promise<void> {
  const today = dayOf(now);
  await warehouse.cache.cached(await warehouse.revisions(), MONTHS_UP_TO_DATE, orgId, today, async () => {
    const stale = await warehouse.session((session) => staleMonths(session, orgId, today));
    if (stale.length > 0) await computeSpend(warehouse, orgId, now);
  });
}

const isUpToDate = async (session: Session, orgId: string, today: Day): Promise<boolean> =>
  (await staleMonths(session, orgId, today)).length === 0 &&
  !(await scopeCostsMissing(session, orgId)) &&
  !(await scopeDayCostsMissing(session, orgId, today));

/** How long a load waits in seconds. It is longer than others wait, because a load that gives up was read in vain. */
const PUBLISH_PATIENCE_S = 1_800;

/** The lock under which an organisation's spend is computed. */
const spendLock = (orgId: string): string => `spend ${orgId}`;

/**
 * Runs `publish`, which publishes loads, and computes the months that they change. Both share one transaction, so that a load
 * whose months cannot be computed is never current. If the computation throws, nothing is published.
 */
export const publishComputed = <Result>(
  warehouse: Warehouse,
  session: Session,
  { orgId, now }: { orgId: string; now: Date },
  publish: () => Promise<Result>,
): Promise<Result> =>
  warehouse.withLock(
    [spendLock(orgId)],
    (confirm) =>
      session.transaction(async () => {
        const result = await publish();
        await bringUpToDate(session, orgId, now);
        return result;
      }, confirm),
    PUBLISH_PATIENCE_S,
  );

async function bringUpToDate(session: Session, orgId: string, now: Date): Promise<Month[]> {
  const months = await computeStaleMonths(session, orgId, now);
  // A month that borrows assets depends on the month that lends them. Borrowed days lend nothing, so that twice is enough.
  if (months.length > 0) months.push(...(await computeStaleMonths(session, orgId, now)));
  if (await scopeCostsMissing(session, orgId)) await session.run(INSERT_SCOPE_COSTS, { org: orgId });
  await storeScopeDayCosts(session, orgId, dayOf(now));
  return months.sort();
}

async function scopeCostsMissing(session: Session, orgId: string): Promise<boolean> {
  const [row] = await session.query<{ missing: boolean }>(SCOPE_COSTS_MISSING, { org: orgId });
  return row?.missing === true;
}
