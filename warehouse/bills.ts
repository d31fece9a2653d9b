import { firstDay, monthOf, type Day, type Month } from '../domain/calendar.ts';
import { moneyText, type DecimalText } from '../domain/decimals.ts';
import {
  billsOf,
  missingValues,
  splitMetrics,
  unallocated,
  type BillAmounts,
  type BillStatus,
  type UncollectedPicks,
} from '../domain/bill.ts';
import { factsFrom } from '../domain/month-record.ts';
import { currentBases } from './bill-basis.ts';
import { coverageOf, type SourceMonth } from '../domain/coverage.ts';
import { sourceMonths } from './coverage.ts';
import { instant } from './instant.ts';
import { SEALED_MONTHS, SETTLED_WITH_TEAMS } from './sealed-months.ts';
import type { Session } from './session.ts';
import { splitValues } from './split-values.ts';
import { uncollectedPicks } from './uncollected-picks.ts';

/** A team's bill, or the newest version of it once it has sealed. */
export type Bill = BillAmounts & { version: number | null; sealed_at: string | null };

/** The bills of all teams in a month. */
export interface MonthBills {
  month: Month;
  status: BillStatus;
  settled: boolean;
  /** Settled before there was any team: the month seals again when teams or shared costs change. */
  settledBeforeTeams: boolean;
  /** By team; null while nothing of the month has been delivered. */
  bills: Map<string, Bill> | null;
  /** The organisation's total, as far as it has come, less all bills; null while nothing has been delivered. */
  unallocated: DecimalText | null;
  /** Metrics to split by that have no value for the month, in words. */
  missing: string[];
  uncollected: UncollectedPicks;
  /** The sources that the month waits for to settle. */
  gaps: SourceMonth[];
}

/** A team that was made after a month had sealed has no part in it. */
const NOTHING: Bill = {
  direct: moneyText(0n),
  shared: moneyText(0n),
  by_source: {
    cloud: moneyText(0n),
    kubernetes: moneyText(0n),
    hosts: moneyText(0n),
    ai_tools: moneyText(0n),
  },
  shared_costs: [],
  version: null,
  sealed_at: null,
};

/**
 * The bills of `count` months up to `newest` and of the one before them, oldest first: sealed ones as they were
 * sealed, the others from today's spend, ownership and values. Whatever is due must have been sealed
 * before (bill-sealing.ts).
 */
export const monthBills = async (
  session: Session,
  orgId: string,
  { newest, count }: { newest: Month; count: number },
): Promise<MonthBills[]> => {
  const range = { org: orgId, first: factsFrom(newest, count), last: firstDay(newest) };
  const sources = await sourceMonths(session, orgId, { first: monthOf(range.first), last: newest });
  const rows = await session.query<{
    month: Day;
    settled: boolean;
    sealed: boolean;
    before_teams: boolean;
    total: DecimalText;
    uncollected: string | null;
  }>(MONTHS, range);
  const months = rows.map((row) => {
    const { gaps, lastCovered } = coverageOf(monthOf(row.month), sources.get(monthOf(row.month)) ?? [], null);
    return { ...row, gaps, total: lastCovered.size === 0 ? null : row.total };
  });
  const teams = await session.query<{ id: string }>('SELECT team_id AS id FROM teams WHERE org_id = $org', {
    org: orgId,
  });
  const versions = await sealedBills(session, range);
  const open = months.filter(({ sealed, total }) => !sealed && total !== null).map(({ month }) => month);
  const bases = await currentBases(session, orgId, open);
  const metrics = [...new Set([...bases.values()].flatMap(splitMetrics))];
  const values = await splitValues(session, orgId, metrics, open);
  const names = await metricNames(session, orgId, metrics);
  const unsealed = months.filter(({ sealed }) => !sealed).map(({ month }) => month);
  const uncollectedNow = await uncollectedPicks(session, orgId, unsealed);

  return months.map(({ month: day, settled, before_teams, sealed, total, uncollected, gaps }) => {
    const month = monthOf(day);
    const basis = bases.get(month);
    const sums = values.get(month)?.sums ?? new Map<string, never>();
    const missing =
      basis === undefined
        ? []
        : missingValues(
            month,
            splitMetrics(basis)
              .filter((metric) => !sums.has(metric))
              .map((metric) => names.get(metric) ?? metric),
          );
    const status: BillStatus = sealed ? 'sealed' : settled && missing.length > 0 ? 'waiting' : 'estimate';
    const ofTeams = sealed
      ? versions.get(month)
      : basis === undefined
        ? null
        : new Map([...billsOf(basis, sums)].map(([id, bill]) => [id, { ...NOTHING, ...bill }]));
    const bills =
      ofTeams === null ? null : new Map(teams.map(({ id }) => [id, ofTeams?.get(id) ?? NOTHING] as const));
    return {
      month,
      status,
      settled,
      settledBeforeTeams: before_teams,
      bills,
      missing,
      gaps,
      uncollected: sealed
        ? (JSON.parse(uncollected ?? '{}') as UncollectedPicks)
        : (uncollectedNow.get(month) ?? {}),
      unallocated: total === null || bills === null ? null : unallocated(total, [...bills.values()]),
    };
  });
};

// Late spend that comes after a month has sealed is in its total and in no bill: it is unallocated.
const MONTHS = `
WITH ${SEALED_MONTHS},
months AS (
  SELECT CAST(unnest(generate_series($first::DATE, $last::DATE, INTERVAL 1 MONTH)) AS DATE) AS month),
totals AS (
  SELECT month, sum(cost) AS total FROM month_spend JOIN current_computations USING (org_id, month, computation_id)
  WHERE org_id = $org AND month BETWEEN $first::DATE AND $last::DATE GROUP BY month)
SELECT month, settled_at IS NOT NULL AS settled, settled_at IS NOT NULL AND NOT ${SETTLED_WITH_TEAMS} AS before_teams,
  COALESCE(holds, false) AS sealed,
  COALESCE(total, 0::DECIMAL(38,15)) AS total,
  CASE WHEN holds THEN basis->'$.uncollected' END AS uncollected
FROM months LEFT JOIN settled USING (month) LEFT JOIN sealed USING (month) LEFT JOIN totals USING (month)
CROSS JOIN first_team
ORDER BY month`;

interface SealedRow {
  month: Day;
  team_id: string;
  version: string;
  direct: DecimalText;
  shared: DecimalText;
  by_source: string;
  shared_costs: string;
  sealed_at: string;
}

const SEALED_COLUMNS = 'month, team_id, version, direct, shared, by_source, shared_costs, sealed_at';

const toBill = ({ version, direct, shared, by_source, shared_costs, sealed_at }: SealedRow): Bill => ({
  direct,
  shared,
  by_source: JSON.parse(by_source) as Bill['by_source'],
  shared_costs: JSON.parse(shared_costs) as Bill['shared_costs'],
  version: Number(version),
  sealed_at: instant(sealed_at),
});

const sealedBills = async (
  session: Session,
  range: { org: string; first: Day; last: Day },
): Promise<Map<Month, Map<string, Bill>>> => {
  const rows = await session.query<SealedRow>(
    `SELECT ${SEALED_COLUMNS} FROM bill_versions WHERE org_id = $org AND month BETWEEN $first::DATE AND $last::DATE
     QUALIFY row_number() OVER (PARTITION BY month, team_id ORDER BY version DESC) = 1`,
    range,
  );
  const byMonth = new Map<Month, Map<string, Bill>>();
  for (const row of rows) {
    const ofMonth = byMonth.get(monthOf(row.month)) ?? new Map<string, Bill>();
    byMonth.set(monthOf(row.month), ofMonth.set(row.team_id, toBill(row)));
  }
  return byMonth;
};

const metricNames = async (
  session: Session,
  orgId: string,
  metricIds: readonly string[],
): Promise<Map<string, string>> => {
  if (metricIds.length === 0) return new Map();
  const rows = await session.query<{ metric_id: string; name: string }>(
    'SELECT metric_id, name FROM metrics WHERE org_id = $org AND list_contains($metrics, metric_id)',
    { org: orgId, metrics: metricIds },
  );
  return new Map(rows.map(({ metric_id, name }) => [metric_id, name]));
};

/** The sealed versions of a team's bill of a month, newest first; empty while it has not sealed. */
export const listBillVersions = async (
  session: Pick<Session, 'query'>,
  orgId: string,
  teamId: string,
  month: Month,
): Promise<Bill[]> => {
  const rows = await session.query<SealedRow>(
    `SELECT ${SEALED_COLUMNS} FROM bill_versions
     WHERE org_id = $org AND team_id = $team AND month = $month::DATE ORDER BY version DESC`,
    { org: orgId, team: teamId, month: firstDay(month) },
  );
  return rows.map(toBill);
};
