import type { ApiActor } from '../../../domain/organisations/actor.ts';
import { monthOf, type Day } from '../../../domain/shared/calendar.ts';
import type { DecimalText } from '../../../domain/shared/decimals.ts';
import {
  billsOf,
  splitMetrics,
  type BillAmounts,
  type SealCause,
  type SealedBasis,
} from '../../../domain/teams/bill.ts';
import { idAfter } from '../../engine/sql/ids.ts';
import type { Session } from '../../engine/session.ts';
import { splitValues } from '../split-values.ts';

/** What to seal a month's bills from, and why. */
export interface Seal {
  /** The month's first day. */
  month: Day;
  basis: SealedBasis;
  computation_id: string | null;
  definition_changes: string;
  /** Whether a later month has settled in time, so that a month that began late no longer follows today. */
  closes: boolean;
  sealed_because: SealCause;
  reason: string | null;
  /** Who sealed by hand. */
  by: ApiActor | null;
}

/**
 * Seals the bills of some months, split by today's values. A bill with the amounts of its newest version gets no new version.
 * A seal by hand always makes one, because a person vouches for it.
 */
export async function storeSeals(
  session: Session,
  orgId: string,
  seals: readonly Seal[],
  now: Date,
): Promise<void> {
  if (seals.length === 0) return;
  const metrics = [...new Set(seals.flatMap(({ basis }) => splitMetrics(basis)))];
  const months = seals.map(({ month }) => month);
  const values = await splitValues(session, orgId, metrics, months);
  const before = await newestBills(session, orgId, months);
  const bases: object[] = [];
  const bills: object[] = [];
  for (const { basis, by, ...seal } of seals) {
    const ofMonth = values.get(monthOf(seal.month));
    if (ofMonth === undefined) continue;
    const metric_ids = splitMetrics(basis);
    bases.push({
      ...seal,
      basis: JSON.stringify(basis),
      metric_ids,
      value_changes: metric_ids.reduce((sum, metric) => sum + (ofMonth.changes.get(metric) ?? 0), 0),
      sealed_by_id: by?.id ?? null,
      sealed_by_name: by?.name ?? null,
    });
    for (const [team_id, bill] of billsOf(basis, ofMonth.sums)) {
      const isSame = before.get(`${seal.month} ${team_id}`) === identity(bill);
      if (isSame && seal.sealed_because !== 'resealed') continue;
      const { direct, shared } = bill;
      const texts = {
        by_source: JSON.stringify(bill.by_source),
        shared_costs: JSON.stringify(bill.shared_costs),
      };
      bills.push({ month: seal.month, team_id, direct, shared, ...texts });
    }
  }
  const [newest] = await session.query<{ id: string | null }>(
    'SELECT max(version_id) AS id FROM bill_bases WHERE org_id = $org',
    { org: orgId },
  );
  const version = { org: orgId, version: idAfter(newest?.id ?? null), now: now.toISOString() };
  await session.run(INSERT_BASES, { ...version, rows: JSON.stringify(bases) });
  await session.run(INSERT_BILLS, { ...version, rows: JSON.stringify(bills) });
}

/** Returns what makes a bill a new version: its amounts, not the names in it. */
const identity = ({
  direct,
  by_source,
  shared_costs,
}: Pick<BillAmounts, 'direct' | 'by_source' | 'shared_costs'>): string =>
  JSON.stringify([direct, Object.values(by_source), shared_costs.map(({ id, amount }) => [id, amount])]);

async function newestBills(
  session: Session,
  orgId: string,
  months: readonly Day[],
): Promise<Map<string, string>> {
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
}

const INSERT_BASES = `
INSERT INTO bill_bases BY NAME
SELECT $org AS org_id, $version::UUID AS version_id, $now::TIMESTAMP AS sealed_at, unnest(from_json($rows,
  '[{"month":"DATE","basis":"VARCHAR","metric_ids":["VARCHAR"],"computation_id":"UUID","definition_changes":"BIGINT",
    "value_changes":"BIGINT","closes":"BOOLEAN","sealed_because":"VARCHAR","reason":"VARCHAR","sealed_by_id":"VARCHAR","sealed_by_name":"VARCHAR"}]'), recursive := true)`;

const INSERT_BILLS = `
INSERT INTO sealed_bills BY NAME
SELECT $org AS org_id, $version::UUID AS version_id, $now::TIMESTAMP AS sealed_at, unnest(from_json($rows,
  '[{"team_id":"VARCHAR","month":"DATE","direct":"DECIMAL(38,15)","shared":"DECIMAL(38,15)","by_source":"VARCHAR",
    "shared_costs":"VARCHAR"}]'), recursive := true)`;
