import { firstDay, monthOf, type Day, type Month } from '../../../domain/shared/calendar.ts';
import { decidedBy, type ApiActor } from '../../../domain/organisations/actor.ts';
import type { DecimalText } from '../../../domain/shared/decimals.ts';
import type { BillAmounts, SealCause } from '../../../domain/teams/bill.ts';
import { instant } from '../../engine/sql/instant.ts';
import type { Queries } from '../../engine/session.ts';

/** A team's bill; once it has sealed, its newest version. */
export type Bill = BillAmounts & BillSeal;

/** The version of a sealed bill, and why it was sealed. All fields are null before. */
interface BillSeal {
  version: number | null;
  sealed_at: string | null;
  sealed_because: SealCause | null;
  /** What had changed, or the admin's own words. */
  reason: string | null;
  sealed_by: ApiActor | null;
}

interface SealedRow {
  month: Day;
  team_id: string;
  version: string;
  direct: DecimalText;
  shared: DecimalText;
  by_source: string;
  shared_costs: string;
  sealed_at: string;
  sealed_because: SealCause;
  reason: string | null;
  sealed_by_id: string | null;
  sealed_by_name: string | null;
}

const SEALED_COLUMNS = `month, team_id, version, direct, shared, by_source, shared_costs, sealed_at, sealed_because,
  reason, sealed_by_id, sealed_by_name`;

const toBill = (row: SealedRow): Bill => ({
  direct: row.direct,
  shared: row.shared,
  by_source: JSON.parse(row.by_source) as Bill['by_source'],
  shared_costs: JSON.parse(row.shared_costs) as Bill['shared_costs'],
  version: Number(row.version),
  sealed_at: instant(row.sealed_at),
  sealed_because: row.sealed_because,
  reason: row.reason,
  sealed_by:
    row.sealed_by_id === null ? null : decidedBy(row.sealed_by_id, row.sealed_by_name ?? row.sealed_by_id),
});

/** Returns the newest version of each sealed bill from `first` to `last` (first days of months), by month and team. */
export async function sealedBills(
  session: Queries,
  range: { org: string; first: Day; last: Day },
): Promise<Map<Month, Map<string, Bill>>> {
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
}

/** Returns the sealed versions of a team's bill of a month, newest first; empty before the first seal. */
export async function listBillVersions(
  session: Queries,
  orgId: string,
  teamId: string,
  month: Month,
): Promise<Bill[]> {
  const rows = await session.query<SealedRow>(
    `SELECT ${SEALED_COLUMNS} FROM bill_versions
     WHERE org_id = $org AND team_id = $team AND month = $month::DATE ORDER BY version DESC`,
    { org: orgId, team: teamId, month: firstDay(month) },
  );
  return rows.map(toBill);
}
