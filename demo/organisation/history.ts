import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Month } from '../../domain/shared/calendar.ts';
import type { MonthRecord } from '../../domain/months/month-record.ts';
import { replaceFile } from '../exports/write-exports.ts';
import { named, type Shop } from './apply.ts';
import { nullIf, type Bill, type Client, type Metric, type MetricWithMonths, type Named } from './client.ts';
import { GATEWAY_CALLS } from './sample-shop.ts';
import { recordMissing, valuesOf } from './values.ts';

/** Returns a metric with its last twelve months, newest first. */
export const withMonths = (admin: Client, { id }: Named): Promise<MetricWithMonths> =>
  admin.get(`/api/v1/metrics/${id}`);

/** Returns a team's bills of the last twelve months, newest first. Bills that are due seal. */
export const billsOf = (admin: Client, { id }: Named): Promise<Bill[]> =>
  admin.get(`/api/v1/teams/${id}/bills`);

/** Seals bills, locks months, and corrects some values afterwards, as far as no earlier run has. */
export async function makeHistory(shop: Shop): Promise<void> {
  await sealBills(shop);
  const { metrics, sales } = shop;
  const locked = sales === null ? metrics : [...metrics, sales];
  await Promise.all(locked.map((metric) => lockMonths(shop.admin, metric)));
  await correctLockedMonths(shop.admin, named(shop.metrics, 'Orders'));
}

/**
 * Seals the bills of the settled months but the newest, whose values the user can send. Their spend came late, so
 * that they follow today's spend. An admin seals one by hand and then corrects a value: it has three versions.
 */
async function sealBills({ admin, time, teams: [team], gatewayCalls }: Shop): Promise<void> {
  const newest = team && (await billsOf(admin, team)).find(({ status }) => status !== 'estimate')?.month;
  if (!newest) return;
  const values = valuesOf(GATEWAY_CALLS, time).filter(({ period }) => period < newest);
  await recordMissing(admin, gatewayCalls, values);
  const sealed = (await billsOf(admin, team)).filter(({ status }) => status === 'sealed');
  const period = sealed[1]?.month;
  const isDone = sealed.some(({ sealed_because: why }) => why === 'resealed' || why === 'values_changed');
  if (period === undefined || isDone) return;
  await admin.post(`/api/v1/teams/bills/${period}/reseal`, { reason: 'compared with the ledger' });
  await sendValue(admin, gatewayCalls, { period, label: 'checkout', value: 950 });
}

/** Locks the settled months but the newest, which the user can lock. Of a team's metric it locks only one. */
async function lockMonths(admin: Client, metric: Metric): Promise<void> {
  const { months } = await withMonths(admin, metric);
  const settled = months.filter(({ status }) => status !== 'open');
  for (const { month, status } of settled.slice(1, metric.scope.type === 'team' ? 2 : 12).reverse())
    if (status === 'ready_to_lock') await lock(admin, metric, month);
}

/** Corrects a value of one locked month, and one of an earlier month, which is then locked again as version 2. */
async function correctLockedMonths(admin: Client, metric: Named): Promise<void> {
  const { months } = await withMonths(admin, metric);
  const [, changed, , relocked] = firstLocks(months);
  const corrected = months.filter(({ current, version }) => current ?? (version ?? 0) > 1).length;
  if (corrected === 0 && relocked) {
    await sendValue(admin, metric, { period: `${relocked.month}-03`, value: 4_000 });
    await lock(admin, metric, relocked.month);
  }
  if (corrected < 2 && changed)
    await sendValue(admin, metric, { period: `${changed.month}-15`, value: 9_000 });
}

const sendValue = (admin: Client, { id }: Named, value: object): Promise<unknown> =>
  admin.post(`/api/v1/metrics/${id}/values`, { values: [value] });
const lock = (admin: Client, { id }: Named, month: Month): Promise<unknown> =>
  // Below Business, revenue cannot change.
  admin.post(`/api/v1/metrics/${id}/months/${month}/lock`).catch(nullIf(403));
const firstLocks = (months: readonly MonthRecord[]): MonthRecord[] =>
  months.filter(({ status, version }) => status === 'locked' && version === 1);
const markerOf = (dataDir: string): string => join(dataDir, 'demo-restated-month');

/** Returns the month whose AWS bill the demo has restated, or null. */
export async function restatedMonth(dataDir: string): Promise<Month | null> {
  const text = (await readFile(markerOf(dataDir), 'utf8').catch(() => '')).trim();
  return /^\d{4}-\d\d$/.test(text) ? text : null;
}

/** Chooses a locked month to restate, and remembers it, so that a run after a crash writes the same bill. */
export async function chooseRestatedMonth(shop: Shop, dataDir: string): Promise<Month | null> {
  const orders = await withMonths(shop.admin, named(shop.metrics, 'Orders'));
  const month = firstLocks(orders.months)[1]?.month ?? null;
  if (month !== null) await replaceFile(markerOf(dataDir), `${month}\n`);
  return month;
}
