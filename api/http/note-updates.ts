import type { ComputedSpend } from '../../warehouse/spend/compute-spend.ts';
import type { NumberDependencies } from './dependencies.ts';

/**
 * Returns `updated`, the spend that a read has brought up to date. If this computed or sealed any month, requests an evaluation
 * of the organisation's events.
 */
export function noteUpdates(
  { noteChange }: Pick<NumberDependencies, 'noteChange'>,
  orgId: string,
  updated: ComputedSpend,
): ComputedSpend {
  if (updated.months.length > 0) noteChange(orgId);
  return updated;
}
