import { firstDay, lastDay, monthOf, type Day, type Month } from '../../domain/shared/calendar.ts';
import { fullyLoaded } from '../../domain/teams/bill.ts';
import { billStatus, billWaits } from '../../domain/teams/bill-status.ts';
import type { DecimalText } from '../../domain/shared/decimals.ts';
import { factsFrom } from '../../domain/months/shown-months.ts';
import { monthRecords } from '../../domain/months/month-record.ts';
import { assetNotes } from '../spend/assets/asset-notes.ts';
import { monthBills } from '../teams/bills/bills.ts';
import { METRICS } from '../metrics/metrics.ts';
import { monthFacts } from '../months/month-facts.ts';
import type { Organisation } from '../organisations/organisations.ts';
import { STORED_SPEND } from '../spend/compute-spend.ts';
import type { Session } from '../engine/session.ts';
import { TEAMS } from '../teams/teams.ts';
import type { Warehouse } from '../engine/warehouse.ts';

/** A number of a month: the organisation's total, a metric's cost, or a team's bill. */
export interface ShownNumber {
  of: 'organisation' | 'metric' | 'team';
  id: string;
  name: string;
  month: Month;
  /** Null while it is not known. */
  cost: DecimalText | null;
  /** The status of the metric's month or the bill; null for the organisation's total. */
  status: string | null;
  /**
   * Of a metric's month: why it is open or partial, and its notes. Of a bill: what it waits for, or why its newest version was
   * sealed. Null if there is nothing to say.
   */
  reason: string | null;
}

/** The numbers of some months as they were last computed, settled and sealed. */
export interface ShownMonths {
  numbers: ShownNumber[];
  notes: Map<Month, string[]>;
  /** The number of the counting rules by which each month was last computed. */
  rules: Map<Month, number>;
}

/** Reads `count` months up to `newest`, without computing, settling or sealing anything. */
export async function shownMonths(
  warehouse: Warehouse,
  organisation: Organisation,
  range: { newest: Month; count: number },
  now: Date,
): Promise<ShownMonths> {
  const { id } = organisation;
  const read = await warehouse.onOneState(async (session) => ({
    numbers: [
      ...(await totals(session, organisation, range)),
      ...(await metricNumbers(session, organisation, range, now)),
      ...(await teamNumbers(session, id, range)),
    ],
    rules: await countingRules(session, id),
  }));
  const notes = new Map<Month, string[]>();
  for (const month of new Set(read.numbers.map((number) => number.month))) {
    const notesOfMonth = await assetNotes(warehouse, id, { start: firstDay(month), end: lastDay(month) });
    notes.set(
      month,
      notesOfMonth.map(({ note }) => note),
    );
  }
  return { ...read, notes };
}

async function totals(
  session: Session,
  { id, name }: Organisation,
  { newest, count }: { newest: Month; count: number },
): Promise<ShownNumber[]> {
  const rows = await session.query<{ month: Day; cost: DecimalText }>(TOTALS, {
    org: id,
    first: factsFrom(newest, count - 1),
    last: firstDay(newest),
  });
  return rows.map(({ month, cost }) => ({
    ...({ of: 'organisation', id, name, month: monthOf(month), cost } as const),
    status: null,
    reason: null,
  }));
}

const TOTALS = `
WITH months AS (
  SELECT CAST(unnest(generate_series($first::DATE, $last::DATE, INTERVAL 1 MONTH)) AS DATE) AS month),
totals AS (
  SELECT month, sum(cost) AS cost FROM daily_totals JOIN current_computations USING (org_id, month, computation_id)
  WHERE org_id = $org GROUP BY month)
SELECT month, CAST(COALESCE(cost, 0) AS DECIMAL(38,15)) AS cost FROM months LEFT JOIN totals USING (month) ORDER BY month`;

async function metricNumbers(
  session: Session,
  { id: orgId, settle_days }: Organisation,
  range: { newest: Month; count: number },
  now: Date,
): Promise<ShownNumber[]> {
  // Revenue stays sealed.
  const metrics = (await METRICS.list(session, orgId)).filter(({ kind }) => kind === 'count');
  const ids = metrics.map(({ id }) => id);
  const facts = await monthFacts(STORED_SPEND.on(session), orgId, ids, range);
  return metrics.flatMap((metric) => {
    const months = facts.get(metric.id) ?? [];
    const costs = new Map(months.map(({ month, lock, cost }) => [month, lock?.cost ?? cost]));
    return monthRecords(months, metric, { settleDays: settle_days }, now).map(
      ({ month, status, reason, notes }): ShownNumber => ({
        of: 'metric',
        id: metric.id,
        name: metric.name,
        month,
        status,
        cost: costs.get(month) ?? null,
        reason: inWords([...(reason === null ? [] : [reason]), ...notes]),
      }),
    );
  });
}

async function teamNumbers(
  session: Session,
  orgId: string,
  range: { newest: Month; count: number },
): Promise<ShownNumber[]> {
  const teams = await TEAMS.list(session, orgId);
  // Leaves out the month before the range, which `monthBills` adds for comparisons.
  const months = (await monthBills(STORED_SPEND.on(session), orgId, range)).slice(1);
  return months.flatMap((monthOfBills) =>
    teams.map(({ id, name }): ShownNumber => {
      const bill = monthOfBills.bills?.get(id);
      const facts = { ...monthOfBills, hasBill: bill !== undefined };
      const status = billStatus(facts);
      return {
        of: 'team',
        id,
        name,
        month: monthOfBills.month,
        status,
        cost: bill === undefined ? null : fullyLoaded(bill),
        reason: bill?.reason ?? (status === 'waiting' ? inWords(billWaits(facts)) : null),
      };
    }),
  );
}

/** Joins sentences into one reason. Returns null if there are none. */
export const inWords = (sentences: readonly string[]): string | null =>
  sentences.length === 0 ? null : sentences.join('; ');

async function countingRules(session: Session, orgId: string): Promise<Map<Month, number>> {
  const rows = await session.query<{ month: Day; rules: number }>(COUNTING_RULES_OF_MONTHS, {
    org: orgId,
  });
  return new Map(rows.map(({ month, rules }) => [monthOf(month), rules]));
}

// `made_of` begins with the number of the counting rules (stale-months.ts). It is empty if no load of the month is left.
const COUNTING_RULES_OF_MONTHS = `
SELECT month, CAST(split_part(made_of, '/', 1) AS INTEGER) AS rules
FROM current_computations WHERE org_id = $org AND made_of <> ''`;
