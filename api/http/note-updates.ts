import type { ComputedSpend } from '../../warehouse/spend/compute-spend.ts';
import type { NumberDependencies } from './dependencies.ts';

/** Returns what a read brought up to date. If that computed or sealed any month, the organisation's events are evaluated. */
export const noteUpdates = (
  { noteChange }: Pick<NumberDependencies, 'noteChange'>,
  orgId: string,
  updated: ComputedSpend,
): ComputedSpend => {
  if (updated.months.length > 0) noteChange(orgId);
  return updated;
};
