import type { Schema } from '../http/api.ts';

type CountMonth = Schema<'Month'>;
type RevenueMonth = Schema<'RevenueMonth'>;
export type Month = CountMonth | RevenueMonth;

/** Cost, value and their ratio: of a month, of its lock, or of today. */
export type Numbers =
  | Pick<CountMonth, 'cost' | 'value' | 'unit_cost'>
  | Pick<RevenueMonth, 'cost' | 'value' | 'cost_share_percent' | 'margin' | 'margin_percent'>;

/** Why a month has no ratio. */
export function noRatioReason(numbers: Numbers, reason: string | null): string {
  if (numbers.cost === null) return reason ?? 'no spend has arrived for the month';
  if (numbers.value === null) return 'no value has been recorded for the month';
  return 'unit_cost' in numbers
    ? 'the value is 0, so that nothing can be divided by it'
    : 'revenue is 0 or less, so that nothing can be divided by it';
}

/** What the status of a month is called, and its colour. */
export const STATUSES: Record<Month['status'], { name: string; color: string }> = {
  open: { name: 'Open', color: 'gray' },
  partial: { name: 'Partial', color: 'yellow' },
  ready_to_lock: { name: 'Ready to lock', color: 'blue' },
  locked: { name: 'Locked', color: 'green' },
  changed_since_lock: { name: 'Changed since lock', color: 'orange' },
};
