import fc from 'fast-check';
import type { Day, Month } from '../../domain/calendar.ts';
import type { SpendPick } from '../../domain/spend-pick.ts';
import {
  KINDS,
  sourceKey,
  type Feed,
  type Organisation,
  type SourceName,
  type Step,
  type StoryMetric,
  type StoryValue,
} from './organisation-story.ts';
import { deliveredThrough, randomFeed, SPEND_DAYS, SPEND_MONTHS } from './random-feeds.ts';
import { ACCOUNTS, HOSTS } from './random-resources.ts';

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

/** True once in `often + 1` times; shrinks to false. */
const seldom = (often: number): fc.Arbitrary<boolean> =>
  fc.oneof({ weight: often, arbitrary: fc.constant(false) }, { weight: 1, arbitrary: fc.constant(true) });

const days = fc.constantFrom(...Object.values(SPEND_DAYS).flat());
const months = fc.constantFrom(...SPEND_MONTHS);
const source: fc.Arbitrary<SourceName> = fc.record({
  kind: fc.constantFrom(...KINDS),
  number: fc.constantFrom(1 as const, 2 as const),
});

const namespaces = fc.constantFrom('shop', 'kiosk', 'nobody');
const clusters = fc.constantFrom('prod', 'edge');
const accounts = fc.constantFrom(...ACCOUNTS);
const services = fc.constantFrom('compute', 'storage');
const hosts = fc.constantFrom(...HOSTS.map(({ host }) => host), 'host-9');

/** A pick in one of its nine forms; some of what was never seen. */
const pick: fc.Arbitrary<SpendPick> = fc.oneof(
  fc.record({ source: fc.constant('kubernetes' as const), cluster: clusters, namespace: namespaces }),
  fc.record({
    source: fc.constant('kubernetes' as const),
    cluster: clusters,
    namespace: namespaces,
    workload: fc.constantFrom('deployment/api', 'deployment/web'),
  }),
  fc.record({ source: fc.constant('host' as const), host: hosts }),
  fc.record({ source: fc.constant('host' as const), host: hosts, service: fc.constantFrom('db', 'mail') }),
  accounts.map((account) => ({ source: 'cloud' as const, ...account })),
  fc.record({ account: accounts, service: services }).map(({ account, service }) => ({
    source: 'cloud' as const,
    ...account,
    service,
  })),
  fc
    .record({ account: accounts, group: fc.constantFrom('rg-web', 'rg-other') })
    .map(({ account, group }) => ({
      source: 'cloud' as const,
      ...account,
      resource_group: group,
    })),
  fc.record({
    source: fc.constant('cloud' as const),
    cloud: fc.constantFrom('aws', 'azure', 'gcp'),
    tag: fc.constantFrom(
      { key: 'team', value: 'search' },
      { key: 'team', value: 'web' },
      { key: 'env', value: 'prod' },
    ),
  }),
  fc.record({
    source: fc.constant('repository' as const),
    repository: fc.constantFrom('github.com/acme/web', 'github.com/acme/api', 'github.com/acme/new'),
  }),
);
const picks = fc.array(pick, { minLength: 1, maxLength: 4 });

const metric: fc.Arbitrary<StoryMetric> = fc.record({
  aggregation: fc.constantFrom('total', 'average'),
  frequency: fc.constantFrom('daily', 'monthly'),
  picks: fc.option(picks, { freq: 4 }),
  labelled: fc.boolean(),
  target: fc.constantFrom(null, '1.5', '0'),
});

/** Values as drawn: what of a day and a label counts depends on the metric they are for. */
type DrawnValues = { day: Day; label: string; value: string }[];
const drawnValues: fc.Arbitrary<DrawnValues> = fc.array(
  fc.record({
    day: days,
    label: fc.constantFrom('eu', 'us'),
    value: fc.oneof(
      fc.nat(20).map(String),
      fc.nat(999_999_999).map((units) => `${units % 7}.${units.toString().padStart(10, '0')}`),
    ),
  }),
  { minLength: 1, maxLength: 4 },
);

/** A step as drawn; a metric's number may be larger than there are metrics. */
type Drawn =
  | Exclude<Step, { does: 'create metric' | 'set values' }>
  | { on: Day; does: 'create metric'; metric: StoryMetric; values: DrawnValues | null }
  | { on: Day; does: 'set values'; metric: number; values: DrawnValues };

const load = (on: fc.Arbitrary<Day>): fc.Arbitrary<Drawn> =>
  fc.record({ source, month: months }).chain(({ source: from, month }) =>
    fc.record({
      on,
      does: fc.constant('load' as const),
      source: fc.constant(from),
      month: fc.constant(month),
      feed: fc
        .record({ feed: randomFeed(from.kind, month), isWhole: fc.boolean() })
        .map(({ feed, isWhole }): Feed => (isWhole ? deliveredThrough(feed, lastOf(month)) : feed)),
    }),
  );

const lastOf = (month: Month): Day => SPEND_DAYS[month]?.at(-1) ?? `${month}-28`;

const newMetric = (on: fc.Arbitrary<Day>): fc.Arbitrary<Drawn> =>
  fc.record({
    on,
    does: fc.constant('create metric' as const),
    metric,
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
    metrics: fc.array(newMetric(early), { maxLength: 3 }),
    loads: fc.array(load(early), { maxLength: 6 }),
    early: fc.array(otherSteps(early), { maxLength: 2 }),
    closes: fc.boolean(),
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
      ...inTime([...drawn.metrics, ...drawn.loads, ...drawn.early]),
      ...(drawn.closes ? closing(drawn.metrics.length) : []),
      ...inTime(drawn.late),
    ]),
    today: TODAY,
    breakdown,
    range: a < b ? { start: a, end: b } : { start: b, end: a },
  }));

const inTime = (steps: readonly Drawn[]): Drawn[] =>
  steps.toSorted((a, b) => (a.on < b.on ? -1 : a.on > b.on ? 1 : 0));

/** The months before are settled and locked, as far as they can be. */
const closing = (metrics: number): Drawn[] => [
  { on: CLOSING_DAY, does: 'settle' },
  ...Array.from({ length: metrics }, (_, index) => index).flatMap((index) =>
    (index === 0 ? ['2025-12', '2026-01'] : ['2026-01']).map((month) => ({
      on: CLOSING_DAY,
      does: 'lock' as const,
      metric: index,
      month,
    })),
  ),
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

const fitting = (of: StoryMetric, drawn: DrawnValues): StoryValue[] => {
  const values = new Map<string, StoryValue>();
  for (const { day, label, value } of drawn) {
    const period = of.frequency === 'daily' ? day : `${day.slice(0, 7)}-01`;
    const fitted = { period, label: of.labelled ? label : '', value };
    values.set(`${fitted.period} ${fitted.label}`, fitted);
  }
  return [...values.values()];
};
