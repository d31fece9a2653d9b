import { z } from 'zod';
import { monthRecord } from '../../api/months/month-fields.ts';
import type { Month } from '../../domain/shared/calendar.ts';
import type { ApiClient } from './api-client.ts';
import { correctValue } from './correct-value.ts';

export type MonthOnWire = z.infer<typeof monthRecord>;

/** The last twelve months of a metric, newest first. */
export const monthsOf = (admin: ApiClient, metricId: string): Promise<MonthOnWire[]> =>
  admin.get(`/api/v1/metrics/${metricId}/months`, z.array(monthRecord));

/** Locks a metric's newest `most` settled months, except the very newest: that is left for the user to lock. */
export const lockSettledMonths = async (admin: ApiClient, metricId: string, most = 12): Promise<void> => {
  const settled = (await monthsOf(admin, metricId)).filter(({ status }) => status !== 'open');
  const earlier = settled.slice(1, most);
  for (const { month } of earlier.filter(({ status }) => status === 'ready_to_lock').reverse()) {
    await lock(admin, metricId, month);
  }
};

/**
 * Shows what a lock is for, on a metric with daily values: makes sure that one locked month has a value that was
 * changed since, and that an earlier one was changed and locked again, as its second version.
 */
export const correctLockedMonths = async (admin: ApiClient, metricId: string): Promise<void> => {
  const months = await monthsOf(admin, metricId);
  const [, changed, , relocked] = months.filter(
    ({ status, version }) => status === 'locked' && version === 1,
  );
  const lockedAgain = months.filter(({ version }) => version !== null && version > 1);
  // Who has locked the changed month again has seen it, and keeps it so.
  if (
    changed !== undefined &&
    lockedAgain.length < 2 &&
    !months.some(({ status }) => status === 'changed_since_lock')
  ) {
    await correctValue(admin, metricId, { period: `${changed.month}-15` }, 612);
  }
  if (relocked !== undefined && lockedAgain.length === 0) {
    await correctValue(admin, metricId, { period: `${relocked.month}-03` }, -230);
    await lock(admin, metricId, relocked.month);
  }
};

const lock = (admin: ApiClient, metricId: string, month: Month): Promise<MonthOnWire> =>
  admin.post(`/api/v1/metrics/${metricId}/months/${month}/lock`, monthRecord);
