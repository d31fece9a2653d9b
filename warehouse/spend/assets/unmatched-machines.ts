import type { Day } from '../../../domain/shared/calendar.ts';
import { toWire, type DecimalText } from '../../../domain/shared/decimals.ts';
import type { DoubtCode } from '../../../domain/sources/doubts.ts';
import type { Session } from '../../engine/session.ts';
import { machinesOf, onDays } from './asset-notes.ts';
import { canHave } from './clouds-of-machines.ts';
import { BILLED_IDENTITIES } from './matched-resources.ts';

/**
 * Machines with an id that matches no line of a bill, although a bill of their cloud has delivered the day. A mere name can be on
 * any bill. There is a row for each machine and day, and one for the allocations of a day on which a cluster borrows such
 * machines. Each has the cost that counts beside the bills, or that does not count because of `options.on_bill`.
 *
 * These machines are left out:
 *
 * - A bill has the machine on the day before or after, because clocks and time zones differ. Other days with its line say nothing.
 * - The day is fresh, and other machines of the source match. Clouds deliver lines for two more days.
 * - The source says never.
 */
export const UNMATCHED_MACHINES = `
CREATE TEMP TABLE unmatched_machines AS
WITH known AS (
  SELECT DISTINCT month, identity, day + unnest([-1, 0, 1]) AS day FROM (${BILLED_IDENTITIES})),
own AS (
  SELECT day, month, cluster, host, identity, COALESCE(provider_id, host) AS provider_id, cloud, on_bill, source_id, is_told_on_bill,
    false AS is_borrowed, cost
  FROM unbilled_assets
  WHERE stands_for_itself AND cost <> 0 AND ((is_outside AND provider_id IS NOT NULL) OR is_told_on_bill)),
borrowed AS (
  SELECT day, month, cluster, lent.host, identity, provider_id, cloud, on_bill, source_id, false AS is_told_on_bill, true AS is_borrowed,
    borrowed_days.cost
  FROM (FROM assets WHERE is_borrowed AND stands_for_itself) AS lent
  JOIN borrowed_days USING (day, cluster) JOIN cluster_days USING (day, cluster) JOIN reporters USING (day, cluster)
  WHERE NOT is_on_bill AND borrowed_days.cost <> 0),
machines AS (FROM own UNION ALL FROM borrowed),
delivered AS (
  SELECT machines.day, identity, cluster, host, bool_and(is_fresh) AS is_fresh
  FROM machines JOIN bill_days_of_clouds AS bill ON bill.day = machines.day AND ${canHave('bill.cloud', 'machines.cloud')}
  GROUP BY ALL),
trusted AS (
  SELECT DISTINCT month, source_id FROM found_assets
  JOIN reporters ON reporters.day = found_assets.day AND reporters.cluster IS NOT DISTINCT FROM found_assets.cluster
    AND reporters.host IS NOT DISTINCT FROM found_assets.host
  JOIN (SELECT DISTINCT month, day FROM assets) AS months ON months.day = found_assets.day
  WHERE is_machine),
doubted AS (
  SELECT machines.* FROM machines
  LEFT JOIN delivered ON delivered.day = machines.day AND delivered.identity = machines.identity
    AND delivered.cluster IS NOT DISTINCT FROM machines.cluster AND delivered.host IS NOT DISTINCT FROM machines.host
  LEFT JOIN trusted USING (month, source_id)
  WHERE is_told_on_bill OR (on_bill = 'auto' AND delivered.day IS NOT NULL AND NOT (is_fresh AND trusted.month IS NOT NULL)
    AND NOT EXISTS (FROM known WHERE known.month = machines.month AND known.identity = machines.identity AND known.day = machines.day)))
SELECT day, month, cluster, host, source_id, provider_id, is_told_on_bill AS is_on_bill, sum(cost) AS cost
FROM doubted WHERE NOT is_borrowed GROUP BY ALL
UNION ALL
SELECT day, month, cluster, host, source_id, min(provider_id), false, any_value(cost)
FROM doubted WHERE is_borrowed GROUP BY ALL`;

interface UnmatchedOfSource {
  month: Day;
  source_id: string;
  machines: number;
  example: string;
  days: number;
  first_day: Day;
  last_day: Day;
  cost: DecimalText;
}

/** Stores a doubt for each source and month with unmatched machines that nobody has decided. */
export async function storeUnmatchedDoubts(
  session: Pick<Session, 'query' | 'run'>,
  parameters: { org: string; computation: string },
): Promise<void> {
  const unmatched = await session.query<UnmatchedOfSource>(UNMATCHED_OF_SOURCES);
  const doubts = unmatched.map((one) => ({ ...one, phrase: phraseOf(one), amount: one.cost }));
  await storeMonthDoubts(session, parameters, 'unmatched_machines', doubts);
}

const phraseOf = (unmatched: UnmatchedOfSource): string =>
  `has costs that a bill may include too: ${machinesOf(unmatched)} no line of a connected bill ${onDays(unmatched)}, ` +
  `so that ${String(toWire(unmatched.cost))} counts beside the bills`;

const UNMATCHED_OF_SOURCES = `
SELECT month, source_id, CAST(count(DISTINCT provider_id) AS INTEGER) AS machines, min(provider_id) AS example,
  CAST(count(DISTINCT day) AS INTEGER) AS days, min(day) AS first_day, max(day) AS last_day, sum(cost) AS cost
FROM unmatched_machines WHERE NOT is_on_bill GROUP BY month, source_id ORDER BY month, source_id`;

/** A doubt about a month of a source. `phrase` continues the sentence that names the source. */
interface MonthDoubt {
  month: Day;
  source_id: string;
  phrase: string;
  amount: DecimalText | null;
}

/** Stores the doubts of one code that a computation has found. */
export async function storeMonthDoubts(
  session: Pick<Session, 'run'>,
  parameters: { org: string; computation: string },
  code: DoubtCode,
  doubts: readonly MonthDoubt[],
): Promise<void> {
  if (doubts.length === 0) return;
  await session.run(INSERT_DOUBTS, {
    ...parameters,
    code,
    months: doubts.map(({ month }) => month),
    sources: doubts.map(({ source_id }) => source_id),
    phrases: doubts.map(({ phrase }) => phrase),
    amounts: doubts.map(({ amount }) => amount),
  });
}

const INSERT_DOUBTS = `
INSERT INTO month_doubts BY NAME
SELECT $org AS org_id, unnest($months)::DATE AS month, $computation::UUID AS computation_id, unnest($sources) AS source_id,
  $code AS code, CAST(NULL AS VARCHAR) AS unit, unnest($phrases) AS phrase,
  unnest($amounts)::DECIMAL(38,15) AS amount`;
