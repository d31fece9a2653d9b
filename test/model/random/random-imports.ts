import fc from 'fast-check';
import type { Day } from '../../../domain/shared/calendar.ts';
import { drawnValues, type DrawnValues } from './random-metrics.ts';
import type { Drawn } from './random-steps.ts';

/** The days of steps of imports, in order. A run on one of them may end on a later one. */
const IMPORT_DAYS: readonly Day[] = [
  '2025-12-20',
  '2025-12-31',
  '2026-01-02',
  '2026-01-20',
  '2026-01-31',
  '2026-02-01',
  '2026-02-07',
];

const does = <Does extends string>(name: Does): fc.Arbitrary<Does> => fc.constant(name);

/** A step without its day and metric. */
type Part = fc.Arbitrary<readonly ({ does: 'connect' | 'disconnect' } | Begins | Ends)[]>;
type Begins = Omit<Extract<Drawn, { does: 'begin run' }>, 'on' | 'metric'>;
type Ends = Omit<Extract<Drawn, { does: 'end run' }>, 'on' | 'metric'>;

/** Mostly a run that completes. Some platforms have nothing. */
const ends: fc.Arbitrary<Ends> = fc.record({
  does: does('end run'),
  ends: fc.constantFrom('completed', 'completed', 'completed', 'completed', 'failed', 'cut off'),
  values: fc.oneof(
    { weight: 6, arbitrary: drawnValues },
    { weight: 1, arbitrary: fc.constant<DrawnValues>([]) },
  ),
});
const begins: fc.Arbitrary<Begins> = fc.record({
  does: does('begin run'),
  startMonth: fc.constantFrom(null, null, null, '2025-12', '2026-01', '2026-02'),
});

/** What happens on a day: a whole run, a part of one, a new key, or a disconnection. */
const onDay: Part = fc.oneof(
  { weight: 8, arbitrary: fc.tuple(begins, ends) },
  { weight: 2, arbitrary: fc.tuple(begins) },
  { weight: 2, arbitrary: fc.tuple(ends) },
  { weight: 1, arbitrary: fc.tuple(fc.record({ does: does('connect') }), ends) },
  { weight: 1, arbitrary: fc.tuple(fc.record({ does: does('connect') })) },
  { weight: 1, arbitrary: fc.tuple(fc.record({ does: does('disconnect') })) },
);

/** The life of a metric's import, which is connected on one of the days. Before the first of `from` nothing happens. */
export const importLife = (
  metric: fc.Arbitrary<number>,
  from: readonly Day[] = IMPORT_DAYS,
): fc.Arbitrary<Drawn[]> =>
  fc
    .record({
      metric,
      connects: fc.nat(Math.min(3, from.length - 1)),
      first: ends,
      days: fc.tuple(...from.map(() => fc.option(onDay, { nil: [], freq: 2 }))),
    })
    .map(({ metric: of, connects, first, days }) =>
      from.flatMap((on, index): Drawn[] => {
        const steps = index === connects ? [{ does: 'connect' as const }, first] : (days[index] ?? []);
        return index < connects ? [] : steps.map((step) => ({ ...step, on, metric: of }));
      }),
    );
