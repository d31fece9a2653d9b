import fc from 'fast-check';
import type { Day } from '../../../domain/shared/calendar.ts';
import type { SpendPick } from '../../../domain/spend/spend-pick.ts';
import { drawnValues, randomMetric } from './random-metrics.ts';
import { wholeMonth, type Drawn } from './random-steps.ts';

const account: SpendPick = { source: 'cloud', cloud: 'aws', account: '1111' };
const tag = (key: string, value: string): SpendPick => ({
  source: 'cloud',
  cloud: 'aws',
  tag: { key, value },
});
const chosen = fc.constantFrom<SpendPick>(
  tag('team', 'search'),
  { ...account, service: 'compute' },
  { ...account, service: 'storage' },
);
/** The pick in between. Sometimes it needs another tag key, which immediately replaces the first one. */
const meanwhile = fc.oneof(
  { weight: 3, arbitrary: fc.constant(account) },
  { weight: 1, arbitrary: fc.constant(tag('env', 'prod')) },
);

/**
 * A metric whose pick needs a tag key or split. The pick is removed, and restored within the thirty days for which the key or
 * split is kept, or after them. Spend is loaded before, between and after.
 */
export const pickedAgain = (on: fc.Arbitrary<Day>): fc.Arbitrary<(metricNumber: number) => Drawn[]> =>
  fc
    .record({
      definition: randomMetric,
      values: drawnValues,
      chosen,
      meanwhile,
      away: fc.constantFrom('2025-12-20', '2025-12-31', '2026-01-01'),
      back: fc.constantFrom('2026-01-02', '2026-01-20', '2026-02-01'),
      spend: fc.array(wholeMonth(on, fc.constantFrom('2025-12', '2026-01')), { minLength: 1, maxLength: 2 }),
    })
    .map(({ definition, values, spend, ...drawn }) => (metric: number): Drawn[] => [
      {
        on: '2025-12-20',
        does: 'create metric',
        metric: { ...definition, picks: [drawn.chosen], team: null },
        values,
      },
      { on: drawn.away, does: 'repick', metric, picks: [drawn.meanwhile] },
      { on: drawn.back, does: 'repick', metric, picks: [drawn.chosen] },
      ...spend.flat(),
    ]);
