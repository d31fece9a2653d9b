import { byName } from '../../domain/shared/text/by-name.ts';
import { dayOf, monthOf, monthsInclusive } from '../../domain/shared/calendar.ts';
import { toWireText } from '../../domain/shared/decimals.ts';
import { fullyLoaded } from '../../domain/teams/bill.ts';
import { billStatus } from '../../domain/teams/bill-status.ts';
import { sealBills } from '../teams/bills/bill-sealing.ts';
import { monthBills, type MonthBills } from '../teams/bills/bills.ts';
import { TEAMS, type Team } from '../teams/teams.ts';
import type { Columns, TextRow } from '../engine/sql/columns.ts';
import type { ExportRequest } from './export-request.ts';
import type { ExportRows } from './export-rows.ts';

const COLUMNS = {
  month: 'VARCHAR',
  team_id: 'VARCHAR',
  team_name: 'VARCHAR',
  status: 'VARCHAR',
  version: 'INTEGER',
  sealed_at: 'TIMESTAMPTZ',
  sealed_because: 'VARCHAR',
  currency: 'VARCHAR',
  direct: 'DECIMAL(38,6)',
  shared: 'DECIMAL(38,6)',
  fully_loaded: 'DECIMAL(38,6)',
  cloud: 'DECIMAL(38,6)',
  kubernetes: 'DECIMAL(38,6)',
  hosts: 'DECIMAL(38,6)',
  ai_tools: 'DECIMAL(38,6)',
} as const satisfies Columns;

/** Returns the newest bill of each team and month, as `…/teams/bills` shows it. Months after the running one have no rows. */
export async function billsExport(request: ExportRequest): Promise<ExportRows> {
  const { warehouse, organisation, start, now, noteUpdates } = request;
  const end = request.end < monthOf(dayOf(now)) ? request.end : monthOf(dayOf(now));
  const sealed = await sealBills(warehouse, organisation.id, now);
  noteUpdates(sealed);
  if (start > end) return { columns: COLUMNS, readRows: () => [] };
  const months = { newest: end, count: monthsInclusive(start, end) };
  const { bills, teams } = await warehouse.onOneState(async (session) => ({
    bills: (await monthBills(sealed.on(session), organisation.id, months)).slice(1),
    teams: (await TEAMS.list(session, organisation.id)).sort(byName),
  }));
  const batches = bills.map((ofMonth) => teams.map((team) => rowOf(team, organisation.currency, ofMonth)));
  return { columns: COLUMNS, readRows: () => batches };
}

function rowOf({ id, name }: Team, currency: string, ofMonth: MonthBills): TextRow {
  const bill = ofMonth.bills?.get(id);
  const { direct, shared, by_source } = bill ?? {};
  const amount = (exact: string | undefined): string | null =>
    exact === undefined ? null : toWireText(exact);
  return {
    month: ofMonth.month,
    team_id: id,
    team_name: name,
    currency,
    status: billStatus({ ...ofMonth, hasBill: bill !== undefined }),
    version: bill?.version?.toString() ?? null,
    sealed_at: bill?.sealed_at ?? null,
    sealed_because: bill?.sealed_because ?? null,
    direct: amount(direct),
    shared: amount(shared),
    fully_loaded: bill === undefined ? null : toWireText(fullyLoaded(bill)),
    cloud: amount(by_source?.cloud),
    kubernetes: amount(by_source?.kubernetes),
    hosts: amount(by_source?.hosts),
    ai_tools: amount(by_source?.ai_tools),
  };
}
