import fc from 'fast-check';
import type { Day } from '../../../domain/shared/calendar.ts';
import { KINDS, type Kind, type SourceName } from '../organisation-story.ts';
import { decisionAbout, steadyUnit } from './random-decisions.ts';
import { deliveredThrough, steadyFeed } from './random-feeds.ts';
import { loadOf, newMetric, type Drawn } from './random-steps.ts';

const JANUARY = '2026-01';

/** A metric, a few sources that have delivered January, and what people decide about its doubts before its closing and after. */
export interface DoubtLife {
  early: Drawn[];
  late: Drawn[];
}

const begin = (source: SourceName, on: Day): Drawn => ({
  on,
  does: 'begin source',
  source,
  startsOn: '2026-01-01',
});

/** One or two sources of a kind with a unit that has spend on most days, and may stop. Two sources have the same rows. */
const steady = (kind: Kind, on: Day, numbers: readonly (1 | 2)[]): fc.Arbitrary<Drawn[]> =>
  steadyFeed(kind, JANUARY).map((feed) =>
    numbers.flatMap((number): Drawn[] => {
      const source = { kind, number };
      const delivered = deliveredThrough(feed, '2026-01-31');
      return [{ on, does: 'load', source, month: JANUARY, feed: delivered }, begin(source, on)];
    }),
  );

/** A bill, and a source whose machines it may not have. */
const machines = (kind: Kind, on: Day): fc.Arbitrary<Drawn[]> =>
  fc
    .tuple(
      ...(['focus', kind] as const).map((one) =>
        loadOf(fc.constant(on), { kind: one, number: 1 }, JANUARY, fc.constant(true)),
      ),
    )
    .map((loads) => [...loads, begin({ kind: 'focus', number: 1 }, on), begin({ kind, number: 1 }, on)]);

const decisions = (kind: Kind, on: fc.Arbitrary<Day>, most: number): fc.Arbitrary<Drawn[]> =>
  fc.array(
    fc
      .constantFrom<(1 | 2)[]>(1, 1, 2)
      .chain((number) => decisionAbout({ kind, number }, on, [steadyUnit(kind)])),
    { maxLength: most, size: 'max' },
  );

/** The life of doubts in a month that has no others. Its sources deliver on the day on which it closes, or before. */
export const doubtLife = (closing: Day, late: fc.Arbitrary<Day>): fc.Arbitrary<DoubtLife> =>
  fc
    .record({ kind: fc.constantFrom(...KINDS), on: fc.constantFrom('2026-02-01', closing) })
    .chain(({ kind, on }) => {
      const hasMachines = kind === 'opencost' || kind === 'hosts';
      return fc.record({
        loads: fc.oneof(
          { weight: 3, arbitrary: steady(kind, on, [1, 2]) },
          { weight: 2, arbitrary: steady(kind, on, [1]) },
          { weight: hasMachines ? 3 : 0, arbitrary: machines(kind, on) },
        ),
        metric: newMetric(fc.constant('2025-12-20')),
        early: decisions(kind, fc.constantFrom(on, closing), 2),
        late: decisions(kind, late, 3),
      });
    })
    .map(({ metric, loads, early, late: after }) => ({
      early: [metric, ...loads, ...early],
      late: after,
    }));
