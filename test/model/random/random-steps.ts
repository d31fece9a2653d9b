import fc from 'fast-check';
import type { Day, Month } from '../../../domain/shared/calendar.ts';
import {
  KINDS,
  sourceKey,
  type Feed,
  type Kind,
  type RunEnd,
  type SourceName,
  type Step,
  type StoryMetric,
} from '../organisation-story.ts';
import { decisionAbout, steadyUnit } from './random-decisions.ts';
import { SPEND_DAYS, SPEND_MONTHS } from './random-deliveries.ts';
import { deliveredThrough, randomFeed } from './random-feeds.ts';
import { days, drawnValues, picks, randomMetric, type DrawnValues } from './random-metrics.ts';
import { label } from './random-spellings.ts';
import { teamStep, type DrawnTeamStep } from './random-teams.ts';

/** `seldom` is true once in `times + 1` times, and `often` is false as rarely. Both shrink to false. */
export const seldom = (times: number): fc.Arbitrary<boolean> => weighted(times, 1);
export const often = (times: number): fc.Arbitrary<boolean> => weighted(1, times);
const weighted = (no: number, yes: number): fc.Arbitrary<boolean> =>
  fc.oneof(
    { withCrossShrink: true },
    { weight: no, arbitrary: fc.constant(false) },
    { weight: yes, arbitrary: fc.constant(true) },
  );

/** Mostly January, so that many steps meet in one month. */
const months = fc.oneof(
  { weight: 3, arbitrary: fc.constant('2026-01') },
  { weight: 2, arbitrary: fc.constantFrom(...SPEND_MONTHS) },
);
export const source: fc.Arbitrary<SourceName> = fc.record({
  kind: fc.constantFrom(...KINDS),
  number: fc.oneof(
    { weight: 4, arbitrary: fc.constant(1 as const) },
    { weight: 1, arbitrary: fc.constant(2 as const) },
  ),
});

/** A drawn load. A bill that grows has all lines of the bill before it, too. A whole load lacks no day of its source. */
type DrawnLoad = Extract<Step, { does: 'load' }> & { grows?: boolean; isWhole?: boolean };

/** A drawn step. A metric's number may exceed the number of metrics. */
export type Drawn =
  | Exclude<Step, { does: 'create metric' | 'set values' | 'end run' | 'load' | DrawnTeamStep['does'] }>
  | DrawnLoad
  | DrawnTeamStep
  | { on: Day; does: 'create metric'; metric: StoryMetric; values: DrawnValues | null }
  | { on: Day; does: 'set values'; metric: number; values: DrawnValues; isBehind?: boolean }
  | { on: Day; does: 'end run'; metric: number; ends: RunEnd; values: DrawnValues };

/** A load of a source and month. A whole one reaches the month's last day. */
export const loadOf = (
  on: fc.Arbitrary<Day>,
  from: SourceName,
  month: Month,
  isWhole = often(4),
): fc.Arbitrary<Drawn> =>
  fc.record({
    on,
    does: fc.constant('load' as const),
    source: fc.constant(from),
    month: fc.constant(month),
    grows: often(3),
    feed: fc
      .record({ feed: randomFeed(from.kind, month), whole: isWhole })
      .map(({ feed, whole }): Feed => (whole ? deliveredThrough(feed, lastOf(month)) : feed)),
  });

export const load = (on: fc.Arbitrary<Day>): fc.Arbitrary<Drawn> =>
  fc.record({ source, month: months }).chain(({ source: from, month }) => loadOf(on, from, month));

/**
 * Equal spend from both sources of a kind, such as an old and a new export, and what a person decides about one of them. On the
 * last day one may have a tax beside it.
 */
export const copied = (on: fc.Arbitrary<Day>): fc.Arbitrary<Drawn[]> =>
  fc.record({ on, kind: fc.constantFrom(...KINDS), month: months }).chain(({ on: day, kind, month }) =>
    fc
      .record({
        feed: randomFeed(kind, month),
        taxes: fc.tuple(tax, tax),
        decisions: fc.array(decisionOfKind(kind, fc.constant(day)), { minLength: 1, maxLength: 3 }),
      })
      .map(({ feed, taxes, decisions }): Drawn[] => [
        ...([1, 2] as const).map((number) => ({
          on: day,
          does: 'load' as const,
          source: { kind, number },
          month,
          feed: deliveredThrough(feed, lastOf(month), taxes[number - 1]),
        })),
        ...decisions,
      ]),
  );

const tax = fc.constantFrom('0', '0', '3.5');

/** A decision about one of the sources of a kind, mostly about the unit that can have a tax. */
const decisionOfKind = (kind: Kind, on: fc.Arbitrary<Day>): fc.Arbitrary<Drawn> =>
  fc
    .record({ number: fc.constantFrom<(1 | 2)[]>(1, 2), isAny: seldom(2) })
    .chain(({ number, isAny }) =>
      decisionAbout({ kind, number }, on, isAny ? undefined : [steadyUnit(kind)]),
    );

const decision = (on: fc.Arbitrary<Day>): fc.Arbitrary<Drawn> =>
  source.chain((about) => decisionAbout(about, on));

/** Loads of most kinds in one month, so that bill lines meet their assets. */
export const wholeMonth = (
  on: fc.Arbitrary<Day>,
  ofMonths = months,
  isWhole = often(4),
): fc.Arbitrary<Drawn[]> =>
  ofMonths.chain((month) =>
    fc
      .tuple(
        ...KINDS.map((kind) =>
          fc.option(loadOf(on, { kind, number: 1 }, month, isWhole), { nil: null, freq: 5 }),
        ),
      )
      .map((loads) => loads.filter((one) => one !== null)),
  );

/** Full loads of one month by every source that the story has loaded. */
export function everySource(
  on: Day,
  month: Month,
  isWhole = false,
): fc.Arbitrary<(loaded: readonly SourceName[]) => Drawn[]> {
  const sources = KINDS.flatMap((kind) => ([1, 2] as const).map((number): SourceName => ({ kind, number })));
  return fc
    .record(Object.fromEntries(sources.map((from) => [sourceKey(from), randomFeed(from.kind, month)])))
    .map(
      (feeds: Partial<Record<string, Feed>>) => (loaded) =>
        loaded.flatMap((from): Drawn[] => {
          const feed = feeds[sourceKey(from)];
          return feed === undefined
            ? []
            : [
                {
                  on,
                  does: 'load',
                  source: from,
                  month,
                  isWhole,
                  grows: isWhole,
                  feed: deliveredThrough(feed, lastOf(month)),
                },
              ];
        }),
    );
}

const lastOf = (month: Month): Day => SPEND_DAYS[month]?.at(-1) ?? `${month}-28`;

export const newMetric = (on: fc.Arbitrary<Day>): fc.Arbitrary<Drawn> =>
  fc.record({
    on,
    does: fc.constant('create metric' as const),
    metric: randomMetric,
    values: fc.option(drawnValues, { nil: null, freq: 5 }),
  });

/** Start days for most first sources of a kind, so that months can be complete. */
export const begunSources = (on: fc.Arbitrary<Day>): fc.Arbitrary<Drawn[]> =>
  fc
    .tuple(
      ...KINDS.map((kind) =>
        fc.option(
          fc.record({
            on,
            does: fc.constant('begin source' as const),
            source: fc.constant<SourceName>({ kind, number: 1 }),
            startsOn: fc.constantFrom('2025-12-30', '2026-01-31'),
          }),
          { nil: null, freq: 3 },
        ),
      ),
    )
    .map((begins) => begins.filter((one) => one !== null));

/** Sets or removes the start day of a source. */
const beginSource = (on: fc.Arbitrary<Day>): fc.Arbitrary<Drawn> =>
  fc.record({
    on,
    does: fc.constant('begin source' as const),
    source,
    startsOn: fc.constantFrom(null, '2025-12-30', '2026-01-01', '2026-01-31', '2026-02-10'),
  });

const does = <Does extends string>(name: Does): fc.Arbitrary<Does> => fc.constant(name);

export const otherSteps = (on: fc.Arbitrary<Day>): fc.Arbitrary<Drawn> =>
  fc.oneof(
    {
      weight: 3,
      arbitrary: fc.record({ on, does: does('set values'), metric: fc.nat(3), values: drawnValues }),
    },
    {
      weight: 2,
      arbitrary: fc
        .record({
          on,
          metric: fc.nat(3),
          ends: fc.tuple(days, days),
          label: fc.option(label, { nil: null, freq: 1 }),
        })
        .map(({ ends: [a, b], ...step }) => ({
          ...step,
          does: 'remove values' as const,
          start: a < b ? a : b,
          end: a < b ? b : a,
        })),
    },
    {
      weight: 2,
      arbitrary: fc.record({
        on,
        does: does('lock'),
        metric: fc.nat(3),
        month: months,
        acceptMissing: fc.boolean(),
      }),
    },
    { weight: 3, arbitrary: decision(on) },
    { weight: 1, arbitrary: fc.record({ on, does: does('settle') }) },
    { weight: 1, arbitrary: fc.record({ on, does: does('delete source'), source }) },
    { weight: 2, arbitrary: beginSource(on) },
    { weight: 1, arbitrary: fc.record({ on, does: does('repick'), metric: fc.nat(3), picks }) },
  );

/** A metric that can split shared costs. */
export const splittingMetric = (on: fc.Arbitrary<Day>): fc.Arbitrary<Drawn> =>
  fc.record({
    on,
    does: does('create metric'),
    metric: randomMetric.map((metric) => ({ ...metric, picks: null, team: null, labelled: true })),
    values: fc.option(drawnValues, { nil: null, freq: 3 }),
  });

/** A metric with team scope. */
export const teamMetric = (on: fc.Arbitrary<Day>): fc.Arbitrary<Drawn> =>
  fc.record({
    on,
    does: does('create metric'),
    metric: fc
      .record({ metric: randomMetric, team: fc.nat(3) })
      .map(({ metric, team }) => ({ ...metric, picks: null, team })),
    values: fc.option(drawnValues, { nil: null, freq: 5 }),
  });

/** Two machines change the metrics that split bills. The machine whose clock is behind writes last. */
export const changedAtOnce = (on: Day): fc.Arbitrary<Drawn[]> =>
  fc
    .record({ first: fc.constantFrom(0, 1), values: fc.tuple(drawnValues, drawnValues) })
    .map(({ first, values: [one, other] }): Drawn[] => [
      { on, does: 'set values', metric: first, values: one, isBehind: false },
      { on, does: 'read bills' },
      { on, does: 'set values', metric: 1 - first, values: other, isBehind: true },
      { on, does: 'read bills' },
    ]);

/** Steps that can change the bills of a closed month, and steps that must not. Most are values of metrics that split bills. */
export const teamSteps = (on: fc.Arbitrary<Day>): fc.Arbitrary<Drawn> =>
  fc.oneof(
    {
      weight: 3,
      arbitrary: fc.record({
        on,
        does: does('set values'),
        metric: fc.constantFrom(0, 0, 1),
        values: drawnValues,
        isBehind: seldom(2),
      }),
    },
    { weight: 3, arbitrary: teamStep(on) },
    { weight: 2, arbitrary: load(on) },
    { weight: 2, arbitrary: otherSteps(on) },
    { weight: 1, arbitrary: fc.record({ on, does: does('read bills') }) },
    {
      weight: 3,
      arbitrary: fc.record({ on, does: does('reseal'), month: fc.constantFrom('2026-01', '2025-12') }),
    },
  );
