import { monthOf, type Day, type Month } from '../domain/calendar.ts';
import type { DecimalText } from '../domain/decimals.ts';
import { billsOf, splitMetrics, type BillAmounts, type SealedBasis } from '../domain/bill.ts';
import { currentBases } from './bill-basis.ts';
import { idAfter } from './ids.ts';
import { computeMonths } from './month-computation.ts';
import { SEALED_MONTHS } from './sealed-months.ts';
import type { Session } from './session.ts';
import { splitValues } from './split-values.ts';
import { uncollectedPicks } from './uncollected-picks.ts';
import type { Warehouse } from './warehouse.ts';

/**
 * Seals the bills of every month that has settled and whose shared costs have the values they are split by, and seals
 * anew, as a further version, those whose values have changed; answers the months, usually none (design §2, Teams).
 * A sealed month keeps the spend, the ownership and the shared costs it was sealed by: late spend does not move it. Every read of
 * bills comes through here first, so that nobody sees one that is due; run again, it finds nothing.
 */
export const sealBills = async (warehouse: Warehouse, orgId: string, now: Date): Promise<Month[]> => {
  await computeMonths(warehouse, orgId, now);
  const due = await warehouse.session((session) => dueMonths(session, orgId));
  if (due.length === 0) return [];
  return warehouse.exclusive(`bills ${orgId}`, () =>
    warehouse.transaction((session) => sealDueMonths(session, orgId, now)),
  );
};

interface DueMonth {
  month: Day;
  /** What the month was sealed from, where that still holds. */
  basis: string | null;
  definitions_id: string;
}

const dueMonths = (session: Session, orgId: string): Promise<DueMonth[]> =>
  session.query<DueMonth>(DUE_MONTHS, { org: orgId });

// A month waits while a metric that it is split by has no value there: a sealed one's own metrics, else those of today.
const DUE_MONTHS = `
WITH ${SEALED_MONTHS},
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
  SELECT sealed.month, max(change_id) AS values_id
  FROM sealed JOIN metric_value_changes AS changes
    ON changes.org_id = $org AND CAST(date_trunc('month', period) AS DATE) = sealed.month AND list_contains(metric_ids, metric_id)
  WHERE metric_id IN (SELECT unnest(metric_ids) FROM sealed)
  GROUP BY sealed.month)
SELECT month, CASE WHEN holds THEN basis END AS basis, definitions_now.definitions_id
FROM settled ANTI JOIN waiting USING (month) LEFT JOIN sealed USING (month) LEFT JOIN values_now USING (month)
CROSS JOIN definitions_now
WHERE (holds IS NOT true OR values_now.values_id IS DISTINCT FROM sealed.values_id)
  AND EXISTS (FROM teams WHERE org_id = $org)
ORDER BY month`;

const sealDueMonths = async (session: Session, orgId: string, now: Date): Promise<Month[]> => {
  const due = await dueMonths(session, orgId);
  const unsealed = due.filter(({ basis }) => basis === null).map(({ month }) => month);
  const current = await currentBases(session, orgId, unsealed);
  const uncollected = await uncollectedPicks(session, orgId, unsealed);
  const basisNow = (month: Month): SealedBasis | undefined => {
    const basis = current.get(month);
    return basis && { ...basis, uncollected: uncollected.get(month) ?? {} };
  };
  const bases = due.flatMap(({ month, basis: sealed, definitions_id }) => {
    const basis = sealed === null ? basisNow(monthOf(month)) : (JSON.parse(sealed) as SealedBasis);
    return basis === undefined ? [] : [{ month, basis, definitions_id }];
  });
  const metrics = [...new Set(bases.flatMap(({ basis }) => splitMetrics(basis)))];
  const months = bases.map(({ month }) => month);
  const values = await splitValues(session, orgId, metrics, months);
  const before = await newestBills(session, orgId, months);
  const sealed: { month: Day }[] = [];
  const bills: object[] = [];
  for (const { month, basis, definitions_id } of bases) {
    const ofMonth = values.get(monthOf(month));
    const metric_ids = splitMetrics(basis);
    if (ofMonth === undefined) continue;
    const newest = metric_ids.map((metric) => ofMonth.newest.get(metric) ?? '').sort();
    const values_id = newest.at(-1) ?? null;
    const base = { month, basis: JSON.stringify(basis), metric_ids, values_id, definitions_id };
    sealed.push(base);
    for (const [team_id, bill] of billsOf(basis, ofMonth.sums)) {
      if (before.get(`${month} ${team_id}`) === identity(bill)) continue;
      const { direct, shared } = bill;
      const texts = {
        by_source: JSON.stringify(bill.by_source),
        shared_costs: JSON.stringify(bill.shared_costs),
      };
      bills.push({ month, team_id, direct, shared, ...texts });
    }
  }
  if (sealed.length === 0) return [];
  const [newest] = await session.query<{ id: string | null }>(
    'SELECT max(version_id) AS id FROM bill_bases WHERE org_id = $org',
    { org: orgId },
  );
  const version = { org: orgId, version: idAfter(newest?.id ?? null), now: now.toISOString() };
  await session.run(INSERT_BASES, { ...version, rows: JSON.stringify(sealed) });
  await session.run(INSERT_BILLS, { ...version, rows: JSON.stringify(bills) });
  return sealed.map(({ month }) => monthOf(month));
};

/** What makes a bill another version: its amounts, not the names in it. */
const identity = ({
  direct,
  by_source,
  shared_costs,
}: Pick<BillAmounts, 'direct' | 'by_source' | 'shared_costs'>): string =>
  JSON.stringify([direct, Object.values(by_source), shared_costs.map(({ id, amount }) => [id, amount])]);

const newestBills = async (
  session: Session,
  orgId: string,
  months: readonly Day[],
): Promise<Map<string, string>> => {
  const rows = await session.query<{
    month: Day;
    team_id: string;
    direct: DecimalText;
    by_source: string;
    shared_costs: string;
  }>(
    `SELECT month, team_id, direct, by_source, shared_costs FROM sealed_bills
     WHERE org_id = $org AND list_contains($months::DATE[], month)
     QUALIFY row_number() OVER (PARTITION BY month, team_id ORDER BY version_id DESC) = 1`,
    { org: orgId, months },
  );
  return new Map(
    rows.map(({ month, team_id, direct, by_source, shared_costs }) => [
      `${month} ${team_id}`,
      identity({
        direct,
        by_source: JSON.parse(by_source) as BillAmounts['by_source'],
        shared_costs: JSON.parse(shared_costs) as BillAmounts['shared_costs'],
      }),
    ]),
  );
};

const INSERT_BASES = `
INSERT INTO bill_bases BY NAME
SELECT $org AS org_id, $version::UUID AS version_id, $now::TIMESTAMP AS sealed_at, unnest(from_json($rows,
  '[{"month":"DATE","basis":"VARCHAR","metric_ids":["VARCHAR"],"values_id":"UUID","definitions_id":"UUID"}]'), recursive := true)`;

const INSERT_BILLS = `
INSERT INTO sealed_bills BY NAME
SELECT $org AS org_id, $version::UUID AS version_id, $now::TIMESTAMP AS sealed_at, unnest(from_json($rows,
  '[{"team_id":"VARCHAR","month":"DATE","direct":"DECIMAL(38,15)","shared":"DECIMAL(38,15)","by_source":"VARCHAR",
    "shared_costs":"VARCHAR"}]'), recursive := true)`;
