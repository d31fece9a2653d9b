import fc from 'fast-check';
import type { Day } from '../../../domain/shared/calendar.ts';
import { KINDS, type SourceName } from '../organisation-story.ts';
import { loadOf, type Drawn } from './random-steps.ts';

/** With five settle days December settles in time on the first two of these days, and by backfill on the third. */
const ARRIVAL_DAYS: readonly Day[] = ['2026-01-07', '2026-01-08', '2026-01-20'];
const DECEMBER = '2025-12';

/** A source that is connected with all of December. December may settle at once, before others come. */
const arrival: fc.Arbitrary<Drawn[]> = fc
  .record({
    kind: fc.constantFrom(...KINDS),
    number: fc.constantFrom<1 | 2>(1, 1, 2),
    on: fc.constantFrom(...ARRIVAL_DAYS),
  })
  .chain(({ on, ...source }: SourceName & { on: Day }) =>
    loadOf(fc.constant(on), source, DECEMBER, fc.constant(true)).map((load): Drawn[] => [
      { on, does: 'begin source', source, startsOn: '2025-12-30' },
      load,
      { on, does: 'settle' },
    ]),
  );

/** Sources that are connected one after the other, in any order, after December has ended. */
export const arrivals: fc.Arbitrary<Drawn[]> = fc
  .array(arrival, { minLength: 2, maxLength: 4, size: 'max' })
  .map((each) => each.flat());

/** Later loads of December. They move its bills only until January has settled, or if a source of December comes even later. */
export const decemberAgain = (on: fc.Arbitrary<Day>): fc.Arbitrary<Drawn[]> =>
  fc.array(
    fc.constantFrom(...KINDS).chain((kind) => loadOf(on, { kind, number: 1 }, DECEMBER)),
    { minLength: 1, maxLength: 3, size: 'max' },
  );
