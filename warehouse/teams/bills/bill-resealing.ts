import type { ApiActor } from '../../../domain/organisations/actor.ts';
import { dayOf, firstDay, type Month } from '../../../domain/shared/calendar.ts';
import { splitMetrics } from '../../../domain/teams/bill.ts';
import { missingValues } from '../../../domain/teams/bill-status.ts';
import { conflict } from '../../../domain/shared/errors.ts';
import { settlementReasons } from '../../../domain/months/settlement.ts';
import { audit } from '../../engine/records/audit-log.ts';
import { currentSealBases } from './bill-basis.ts';
import { sealExclusively } from './bill-sealing.ts';
import { storeSeals, type Seal } from './bill-seals.ts';
import { monthBills, type MonthBills } from './bills.ts';
import { coverageOf } from '../../../domain/sources/coverage.ts';
import { deliveredMonths, sourceMonths } from '../../sources/coverage.ts';
import { computeSpend } from '../../spend/compute-spend.ts';
import type { Organisation } from '../../organisations/organisations.ts';
import { ctes } from '../../engine/sql/cte.ts';
import { MADE_OF_NOW } from './sealed-months.ts';
import type { Session } from '../../engine/session.ts';
import { metricNames, splitValues } from '../split-values.ts';
import type { By } from '../../engine/records/versioned-records.ts';
import type { Warehouse } from '../../engine/warehouse.ts';

/**
 * Seals all bills of a month again by hand, from today's spend, ownership and values, and records that in the audit log. Each
 * bill gets a new version, even if its amounts stay the same. From then on only split values and another such seal move the
 * month. Returns the bills. Throws a conflict with the reasons if the bills cannot be sealed.
 */
export async function resealBills(
  warehouse: Warehouse,
  organisation: Pick<Organisation, 'id' | 'settle_days'>,
  month: Month,
  { reason, by: { actor, now } }: { reason: string; by: By<ApiActor> },
): Promise<MonthBills> {
  const { id: orgId } = organisation;
  const { on } = await computeSpend(warehouse, orgId, now);
  return sealExclusively(warehouse, orgId, async (locked) => {
    const session = on(locked);
    const day = firstDay(month);
    const madeOf = await madeOfToday(session, organisation, month, now);
    const basis = (await currentSealBases(session, orgId, [day])).get(month);
    if (basis === undefined) throw new Error(`no spend of ${month} to seal bills from`);
    await refuseWithoutValues(session, orgId, month, splitMetrics(basis));
    await storeSeals(
      session,
      orgId,
      [{ month: day, basis, ...madeOf, sealed_because: 'resealed', reason, by: actor }],
      now,
    );
    await audit(
      session,
      orgId,
      { actor, action: 'bills.reseal', target: month, detail: { month, reason } },
      now,
    );
    const [, sealed] = await monthBills(session, orgId, { newest: month, count: 1 });
    if (sealed === undefined) throw new Error(`no bills of ${month}`);
    return sealed;
  });
}

/** Returns what the month would be sealed from today. Throws a conflict if it has not settled or there are no teams. */
async function madeOfToday(
  session: Session,
  { id: orgId, settle_days }: Pick<Organisation, 'id' | 'settle_days'>,
  month: Month,
  now: Date,
): Promise<Pick<Seal, 'computation_id' | 'definition_changes' | 'closes'>> {
  const [madeOf] = await session.query<
    Pick<Seal, 'computation_id' | 'definition_changes' | 'closes'> & { has_teams: boolean }
  >(MADE_OF, { org: orgId, month: firstDay(month) });
  const refuse = (reasons: readonly string[]): never => {
    throw conflict(`the bills of ${month} cannot be sealed again: ${reasons.join('; ')}`);
  };
  if (madeOf === undefined) {
    const sources = await sourceMonths(session, orgId, { first: month, last: month });
    const { holdingBack } = coverageOf(month, sources.get(month) ?? [], null);
    const waits = settlementReasons(month, { settleDays: settle_days, holdingBack }, dayOf(now));
    return refuse(['the month has not settled', ...waits]);
  }
  const { has_teams, ...made } = madeOf;
  if (!has_teams) return refuse(['there are no teams']);
  const isDelivered = (await deliveredMonths(session, orgId, [month])).has(month);
  return isDelivered ? made : refuse([`no spend has been ingested for ${month}`]);
}

const MADE_OF = `
WITH ${ctes(MADE_OF_NOW)}
SELECT computation_id, definition_changes, closes, EXISTS (FROM teams WHERE org_id = $org) AS has_teams
FROM made_of_now WHERE month = $month::DATE`;

async function refuseWithoutValues(
  session: Session,
  orgId: string,
  month: Month,
  metrics: readonly string[],
): Promise<void> {
  const sums = (await splitValues(session, orgId, metrics, [firstDay(month)])).get(month)?.sums;
  const without = metrics.filter((metric) => sums?.has(metric) !== true);
  if (without.length === 0) return;
  const names = await metricNames(session, orgId, without);
  const words = missingValues(
    month,
    without.map((metric) => names.get(metric) ?? metric),
  );
  throw conflict(`the bills of ${month} cannot be sealed again: ${words.join('; ')}`);
}
