import { conflict } from '../../domain/shared/errors.ts';
import { dayOf, firstDay, monthOf, type Month } from '../../domain/shared/calendar.ts';
import { currentNumbers, UNIT_COST_DECIMALS } from '../../domain/months/month-numbers.ts';
import { lockability } from '../../domain/months/month-lockability.ts';
import { monthRecords, type MonthRecord } from '../../domain/months/month-record.ts';
import type { MonthLock } from '../../domain/months/month-facts.ts';
import { decidedBy, type ApiActor } from '../../domain/organisations/actor.ts';
import type { DecimalText } from '../../domain/shared/decimals.ts';
import { audit } from '../engine/records/audit-log.ts';
import { computeMetricMonths } from './metric-months.ts';
import { idAfter } from '../engine/sql/ids.ts';
import { instant } from '../engine/sql/instant.ts';
import type { Metric } from '../metrics/metrics.ts';
import { acceptUnits } from '../sources/units/accepted-units.ts';
import { monthFacts } from './month-facts.ts';
import { NO_NUMBERS } from './parts/newest-locks.ts';
import { frozenLabels } from './month-labels.ts';
import type { Organisation } from '../organisations/organisations.ts';
import type { Session } from '../engine/session.ts';
import type { LockedNumbers, LockPlace, RevenueVault } from '../metrics/revenue-vault.ts';
import { valuesLock } from '../metrics/value-changes.ts';
import type { Warehouse } from '../engine/warehouse.ts';

/** One version of a locked month, never rewritten (docs/concepts.md#locks-and-versions). */
export interface MonthVersion {
  version: number;
  /** Null, as the value, if they are sealed and cannot be opened. */
  cost: DecimalText | null;
  value: DecimalText | null;
  unit_cost: DecimalText | null;
  locked_at: string;
  locked_by: ApiActor;
  /** What was missing or in doubt, in words. */
  missing: string[];
}

/** Who locks a month, when, and whether despite its doubts. */
export interface Locking {
  actor: ApiActor;
  now: Date;
  acceptMissing?: boolean;
  /** Only for revenue, whose frozen numbers it seals. */
  vault?: RevenueVault | undefined;
}

/**
 * Locks a month of a metric, for the first time or again. It freezes cost, value and unit cost as a new version, and records
 * that in the audit log. Reading and freezing share one snapshot. The version counts the changes of values that it saw, so that
 * a later value shows as changed since the lock. If only doubts hold a month back, the caller can accept them; the version keeps
 * their sentences. Throws a conflict with the reasons for any other month that is neither ready to lock nor changed since its
 * lock (docs/http.md#read-and-lock-months).
 */
export async function lockMonth(
  warehouse: Warehouse,
  organisation: Organisation,
  metric: Metric,
  month: Month,
  by: Locking,
): Promise<MonthRecord> {
  const { on } = await computeMetricMonths(warehouse, organisation.id, [metric], by.now);
  return warehouse.lockedTransaction([valuesLock(metric.id)], async (session) => {
    const settlement = { settleDays: organisation.settle_days };
    const range = { newest: month, count: 1, vault: by.vault };
    await by.vault?.requireOpeningKey(session);
    const [before, facts] =
      (await monthFacts(on(session), organisation.id, [metric.id], range)).get(metric.id) ?? [];
    if (before === undefined || facts === undefined) throw new Error(`no facts of ${metric.id} for ${month}`);
    const { can_lock, missing, refusal } = lockability(facts, settlement, dayOf(by.now));
    if (refusal !== null && !(can_lock === 'without_missing' && by.acceptMissing === true))
      throw conflict(refusal);
    const sentences = missing.map(({ sentence }) => sentence);
    const { cost, value, unitCost } = currentNumbers(facts, metric);
    if (value === null || cost === null) throw new Error(`no numbers of ${metric.id} for ${month}`);
    const lock = {
      version: (facts.lock?.version ?? 0) + 1,
      cost: cost.toFixed(),
      value: value.toFixed(),
      unitCost: unitCost?.toFixed(UNIT_COST_DECIMALS) ?? null,
      lockedAt: by.now.toISOString(),
      lockedBy: decidedBy(by.actor.id, by.actor.name),
      valueChanges: facts.valueChanges,
      isIncomplete: missing.length > 0,
    } satisfies MonthLock;
    const lockId = idAfter(await newestLock(session, organisation.id, metric.id, month));
    const place = { metric_id: metric.id, month: firstDay(month), lock_id: lockId };
    await storeLock(session, organisation.id, metric, { place, lock, sentences, vault: by.vault });
    await acceptUnits(session, organisation.id, { month, doubts: missing, now: by.now });
    await audit(
      session,
      organisation.id,
      {
        actor: by.actor,
        action: 'month.lock',
        target: metric.id,
        detail: { month, version: lock.version, ...(lock.isIncomplete ? { missing: sentences } : {}) },
      },
      by.now,
    );
    const [locked] = monthRecords([before, { ...facts, lock }], metric, settlement, by.now);
    if (locked === undefined) throw new Error(`no record of ${metric.id} for ${month}`);
    return locked;
  });
}

/** Stores a lock with its numbers, those of revenue sealed, and with the labels of the month. */
async function storeLock(
  session: Session,
  orgId: string,
  metric: Metric,
  {
    place,
    lock,
    sentences,
    vault,
  }: {
    place: LockPlace;
    lock: MonthLock & { cost: DecimalText; value: DecimalText };
    sentences: readonly string[];
    vault: RevenueVault | undefined;
  },
): Promise<void> {
  const numbers = { cost: lock.cost, value: lock.value, unit_cost: lock.unitCost };
  const stored =
    metric.kind === 'revenue'
      ? { ...NO_NUMBERS, sealed: sealedBy(vault, place, numbers) }
      : { ...numbers, sealed: null };
  await session.run(
    `INSERT INTO month_locks BY NAME
        SELECT $org AS org_id, $metric AS metric_id, $month::DATE AS month, $lock::UUID AS lock_id,
          $cost::DECIMAL(38,15) AS cost, $value::DECIMAL(38,10) AS value, $unit_cost AS unit_cost_text, $sealed AS sealed_numbers,
          $labels::JSON AS label_values, $missing::JSON AS missing, $value_changes::BIGINT AS value_changes, $now::TIMESTAMP AS locked_at, $actor AS locked_by_id,
          $actor_name AS locked_by_name`,
    {
      org: orgId,
      metric: place.metric_id,
      month: place.month,
      lock: place.lock_id,
      ...stored,
      labels:
        metric.label_key === null ? null : await frozenLabels(session, orgId, metric, monthOf(place.month)),
      missing: lock.isIncomplete ? JSON.stringify(sentences) : null,
      value_changes: lock.valueChanges,
      now: lock.lockedAt,
      actor: lock.lockedBy.id,
      actor_name: lock.lockedBy.name,
    },
  );
}

function sealedBy(vault: RevenueVault | undefined, place: LockPlace, numbers: LockedNumbers): string {
  if (vault === undefined) throw new Error('a month of revenue was locked without its vault');
  return vault.sealLock(place, numbers);
}

async function newestLock(
  session: Session,
  orgId: string,
  metricId: string,
  month: Month,
): Promise<string | null> {
  const [newest] = await session.query<{ lock_id: string | null }>(
    `SELECT max(lock_id) AS lock_id FROM month_locks
     WHERE org_id = $org AND metric_id = $metric AND month = $month::DATE`,
    { org: orgId, metric: metricId, month: `${month}-01` },
  );
  return newest?.lock_id ?? null;
}

/** Returns the versions of a month, newest first; empty if it was never locked. Revenue needs its vault. */
export async function listMonthVersions(
  warehouse: Warehouse,
  orgId: string,
  metricId: string,
  month: Month,
  vault?: RevenueVault,
): Promise<MonthVersion[]> {
  const rows = await warehouse.query<
    Omit<MonthVersion, 'version' | 'locked_by' | 'missing'> & {
      version: string;
      lock_id: string;
      sealed_numbers: string | null;
      missing: string | null;
      locked_by_id: string;
      locked_by_name: string;
    }
  >(
    `SELECT version, lock_id, cost, value, unit_cost_text AS unit_cost, sealed_numbers, locked_at, locked_by_id, locked_by_name, missing
     FROM month_versions
     WHERE org_id = $org AND metric_id = $metric AND month = $month::DATE ORDER BY version DESC`,
    { org: orgId, metric: metricId, month: `${month}-01` },
  );
  return rows.map(({ locked_by_id, locked_by_name, missing, lock_id, sealed_numbers, ...row }) => ({
    ...row,
    ...(vault === undefined || sealed_numbers === null
      ? {}
      : (vault.openLock({ metric_id: metricId, month: firstDay(month), lock_id }, sealed_numbers) ??
        NO_NUMBERS)),
    missing: missing === null ? [] : (JSON.parse(missing) as string[]),
    version: Number(row.version),
    locked_at: instant(row.locked_at),
    locked_by: decidedBy(locked_by_id, locked_by_name),
  }));
}
