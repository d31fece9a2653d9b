import type { Month } from './calendar.ts';

/** What was last seen of a month: whether it was above its metric's target, and how often it has gone there. */
export interface TargetState {
  month: Month;
  above: boolean;
  crossings: number;
}

/**
 * The months whose state has changed, oldest first. One that is above now and was not, or was never seen, has crossed
 * its target once more: its count tells this crossing from the one before, so that each is told once (spec §1 rule 7).
 */
export const changedTargetStates = (
  months: readonly { month: Month; above_target: boolean }[],
  seen: ReadonlyMap<Month, TargetState>,
): TargetState[] =>
  months
    .flatMap(({ month, above_target: above }) => {
      const before = seen.get(month) ?? { above: false, crossings: 0 };
      if (above === before.above) return [];
      return [{ month, above, crossings: before.crossings + (above ? 1 : 0) }];
    })
    .sort((a, b) => a.month.localeCompare(b.month));
