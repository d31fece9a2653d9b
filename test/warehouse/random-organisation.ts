import fc from 'fast-check';
import type { Day, Month } from '../../domain/calendar.ts';
import {
  KINDS,
  sourceKey,
  type Feed,
  type Organisation,
  type SourceName,
  type Step,
  type StoryMetric,
} from './organisation-story.ts';
import { deliveredThrough, randomFeed, SPEND_DAYS, SPEND_MONTHS } from './random-feeds.ts';
import { days, drawnValues, fitting, picks, randomMetric, type DrawnValues } from './random-metrics.ts';

/** When January is closed; what comes after is late. */
const CLOSING_DAY = '2026-02-07';
/** The day on which all is read in the end; what February has after it is still to come. */
const TODAY = '2026-02-12';
const EARLY_DAYS = [
  '2025-12-20',
  '2025-12-31',
  '2026-01-01',
  '2026-01-02',
  '2026-01-20',
  '2026-02-01',
  CLOSING_DAY,
];
const LATE_DAYS = [CLOSING_DAY, '2026-02-10', TODAY];

/** True once in `times + 1` times, and false once in as many; both shrink to false. */
const seldom = (times: number): fc.Arbitrary<boolean> => weighted(times, 1);
const often = (times: number): fc.Arbitrary<boolean> => weighted(1, times);
const weighted = (no: number, yes: number): fc.Arbitrary<boolean> =>
  fc.oneof(
    { withCrossShrink: true },
    { weight: no, arbitrary: fc.constant(false) },
    { weight: yes, arbitrary: fc.constant(true) },
  );

/** Mostly January, so that much of it meets. */
const months = fc.oneof(
  { weight: 3, arbitrary: fc.constant('2026-01') },
  { weight: 2, arbitrary: fc.constantFrom(...SPEND_MONTHS) },
);
const source: fc.Arbitrary<SourceName> = fc.record({
  kind: fc.constantFrom(...KINDS),
  number: fc.oneof(
    { weight: 4, arbitrary: fc.constant(1 as const) },
    { weight: 1, arbitrary: fc.constant(2 as const) },
  ),
});

/** A step as drawn; a metric's number may be larger than there are metrics. */
type Drawn =
  | Exclude<Step, { does: 'create metric' | 'set values' }>
  | { on: Day; does: 'create metric'; metric: StoryMetric; values: DrawnValues | null }
  | { on: Day; does: 'set values'; metric: number; values: DrawnValues };

const loadOf = (on: fc.Arbitrary<Day>, from: SourceName, month: Month): fc.Arbitrary<Drawn> =>
  fc.record({
    on,
    does: fc.constant('load' as const),
    source: fc.constant(from),
    month: fc.constant(month),
    feed: fc
      .record({ feed: randomFeed(from.kind, month), isWhole: often(4) })
      .map(({ feed, isWhole }): Feed => (isWhole ? deliveredThrough(feed, lastOf(month)) : feed)),
  });

const load = (on: fc.Arbitrary<Day>): fc.Arbitrary<Drawn> =>
  fc.record({ source, month: months }).chain(({ source: from, month }) => loadOf(on, from, month));

/** Most kinds of one month, so that bills meet what they are for. */
const wholeMonth = (on: fc.Arbitrary<Day>): fc.Arbitrary<Drawn[]> =>
  months.chain((month) =>
    fc
      .tuple(
        ...KINDS.map((kind) => fc.option(loadOf(on, { kind, number: 1 }, month), { nil: null, freq: 5 })),
      )
      .map((loads) => loads.filter((one) => one !== null)),
  );

const lastOf = (month: Month): Day => SPEND_DAYS[month]?.at(-1) ?? `${month}-28`;

const newMetric = (on: fc.Arbitrary<Day>): fc.Arbitrary<Drawn> =>
  fc.record({
    on,
    does: fc.constant('create metric' as const),
    metric: randomMetric,
    values: fc.option(drawnValues, { nil: null, freq: 5 }),
  });

const does = <Does extends string>(name: Does): fc.Arbitrary<Does> => fc.constant(name);

const otherSteps = (on: fc.Arbitrary<Day>): fc.Arbitrary<Drawn> =>
  fc.oneof(
    {
      weight: 3,
      arbitrary: fc.record({ on, does: does('set values'), metric: fc.nat(3), values: drawnValues }),
    },
    {
      weight: 2,
      arbitrary: fc
        .record({ on, metric: fc.nat(3), ends: fc.tuple(days, days) })
        .map(({ ends: [a, b], ...step }) => ({
          ...step,
          does: 'remove values' as const,
          start: a < b ? a : b,
          end: a < b ? b : a,
        })),
    },
    { weight: 2, arbitrary: fc.record({ on, does: does('lock'), metric: fc.nat(3), month: months }) },
    { weight: 1, arbitrary: fc.record({ on, does: does('settle') }) },
    { weight: 1, arbitrary: fc.record({ on, does: does('delete source'), source }) },
    { weight: 1, arbitrary: fc.record({ on, does: does('repick'), metric: fc.nat(3), picks }) },
  );

const early = fc.constantFrom(...EARLY_DAYS);
/** Mostly before January, or what picks tags and splits could never be locked. */
const earliest = fc.oneof(
  { weight: 2, arbitrary: fc.constant('2025-12-20') },
  { weight: 1, arbitrary: early },
);
const late = fc.constantFrom(...LATE_DAYS);

/** A small random organisation and its story: first spend and metrics, then a closing, then what comes late. */
export const randomOrganisation: fc.Arbitrary<Organisation> = fc
  .record({
    settleDays: fc.constantFrom(0, 5),
    paused: fc.oneof(
      { weight: 4, arbitrary: fc.constant([]) },
      { weight: 1, arbitrary: fc.array(source, { maxLength: 3 }) },
    ),
    waitsForever: seldom(15),
    metrics: fc.array(newMetric(earliest), { maxLength: 3 }),
    whole: fc.array(wholeMonth(early), { maxLength: 2, size: 'max' }),
    loads: fc.array(load(early), { maxLength: 3 }),
    early: fc.array(otherSteps(early), { maxLength: 2 }),
    closes: often(3),
    late: fc.array(fc.oneof(load(late), otherSteps(late), otherSteps(late), newMetric(late)), {
      maxLength: 5,
    }),
    range: fc.tuple(days, days),
    breakdown: fc.nat(23),
  })
  .map(({ settleDays, paused, waitsForever, breakdown, range: [a, b], ...drawn }) => ({
    settleDays,
    paused,
    waitsForever,
    story: storyOf([
      ...inTime([...drawn.metrics, ...drawn.whole.flat(), ...drawn.loads, ...drawn.early]),
      ...(drawn.closes ? closing(drawn.metrics.length) : []),
      ...inTime(drawn.late),
    ]),
    today: TODAY,
    breakdown,
    range: a < b ? { start: a, end: b } : { start: b, end: a },
  }));

const inTime = (steps: readonly Drawn[]): Drawn[] =>
  steps.toSorted((a, b) => (a.on < b.on ? -1 : a.on > b.on ? 1 : 0));

/** What has settled is recorded, and January locked, as far as it can be. */
const closing = (metrics: number): Drawn[] => [
  { on: CLOSING_DAY, does: 'settle' },
  ...Array.from({ length: metrics }, (_, metric) => ({
    on: CLOSING_DAY,
    does: 'lock' as const,
    metric,
    month: '2026-01',
  })),
];

/** What was drawn, made to fit: values have the periods and labels of their metric, and numbers name one that exists. */
const storyOf = (drawn: readonly Drawn[]): Step[] => {
  const metrics: StoryMetric[] = [];
  const seen = new Set<string>();
  return drawn.flatMap((step): Step[] => {
    if (step.does === 'create metric') {
      metrics.push(step.metric);
      const { values, ...created } = step;
      const index = metrics.length - 1;
      return [
        created,
        ...(values === null
          ? []
          : [
              {
                on: step.on,
                does: 'set values' as const,
                metric: index,
                values: fitting(step.metric, values),
              },
            ]),
      ];
    }
    if (step.does === 'load') seen.add(sourceKey(step.source));
    if (step.does === 'delete source') return seen.has(sourceKey(step.source)) ? [step] : [];
    if (!('metric' in step)) return [step];
    const index = step.metric % metrics.length;
    const target = metrics[index];
    if (target === undefined) return [];
    if (step.does === 'set values') return [{ ...step, metric: index, values: fitting(target, step.values) }];
    // What divides the organisation's total has no picks to change.
    return step.does === 'repick' && target.picks === null ? [] : [{ ...step, metric: index }];
  });
};
