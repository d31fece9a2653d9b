import { describe, expect, it } from 'vitest';
import { changedTargetStates, type TargetState } from '../../../domain/events/target-crossing.ts';

describe('crossings of a target', () => {
  /** Returns the new state of a month after each look at it, null if nothing has changed. */
  const story = (...aboves: boolean[]) => {
    const seen = new Map<string, TargetState>();
    return aboves.map((above_target) => {
      const [state] = changedTargetStates([{ month: '2026-01', above_target }], seen);
      if (state === undefined) return null;
      seen.set(state.month, state);
      return [state.above, state.crossings];
    });
  };

  it('count each time that a month goes above, however often it is looked at', () => {
    expect(story(true, true, true)).toEqual([[true, 1], null, null]);
    expect(story(false, true)).toEqual([null, [true, 1]]);
    expect(story(true, false, false, true, true)).toEqual([[true, 1], [false, 1], null, [true, 2], null]);
  });

  it('are counted for each month by itself, oldest first', () => {
    const months = ['2026-02', '2026-01', '2025-12'].map((month) => ({ month, above_target: true }));
    const seen = new Map([['2026-01', { month: '2026-01', above: true, crossings: 3 }]]);
    expect(changedTargetStates(months, seen)).toEqual([
      { month: '2025-12', above: true, crossings: 1 },
      { month: '2026-02', above: true, crossings: 1 },
    ]);
  });
});
