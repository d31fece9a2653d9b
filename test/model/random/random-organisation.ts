import fc from 'fast-check';
import { addDays, firstDay, lastDay, type Day, type Month } from '../../../domain/shared/calendar.ts';
import {
  sourceKey,
  type DecisionStep,
  type Organisation,
  type SourceName,
  type Step,
  type StoryMetric,
} from '../organisation-story.ts';
import { arrivals, decemberAgain } from './random-arrivals.ts';
import { grownFrom } from './random-deliveries.ts';
import { doubtLife } from './random-doubts.ts';
import { withEveryDay } from './random-feeds.ts';
import { inForm, randomForms } from './random-forms.ts';
import { importLife } from './random-imports.ts';
import { days, fitting, runningValues } from './random-metrics.ts';
import { pickedAgain } from './random-picked-again.ts';
import {
  begunSources,
  changedAtOnce,
  copied,
  everySource,
  load,
  newMetric,
  often,
  otherSteps,
  seldom,
  source,
  splittingMetric,
  teamMetric,
  teamSteps,
  wholeMonth,
  type Drawn,
} from './random-steps.ts';
import { fittingTeamStep, isTeamStep, newSharedCosts, newTeams } from './random-teams.ts';

/** The day on which January settles. Later steps are late. */
const CLOSING_DAY = '2026-02-07';
/** The day at the end on which everything is read. Later days of February are in the future. */
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

const early = fc.constantFrom(...EARLY_DAYS);
/** Mostly before January, because otherwise metrics that pick tags and splits could never be locked. */
const earliest = fc.oneof(
  { weight: 2, arbitrary: fc.constant('2025-12-20') },
  { weight: 1, arbitrary: early },
);
const late = fc.constantFrom(...LATE_DAYS);
/** Mostly after January, because otherwise loads would cover little of it. */
const spent = fc.oneof({ weight: 3, arbitrary: fc.constant(CLOSING_DAY) }, { weight: 2, arbitrary: early });

/**
 * Teams, shared costs, metrics to split them by, and January's spend. About half of the teams are made at the beginning. The
 * others are made on the closing day, in the same instant as January's settlement but before or after it. Some are made after a
 * trial, a team that was deleted before January settled. In some organisations the sources come one by one after December.
 */
const teamLife = fc
  .record({
    metrics: fc.tuple(splittingMetric(fc.constant('2025-12-20')), splittingMetric(fc.constant('2025-12-20'))),
    teams: newTeams(earliest),
    ofTeam: teamMetric(fc.constant(CLOSING_DAY)),
    sharedCosts: newSharedCosts(earliest),
    came: fc.constantFrom('early', 'early', 'before the closing', 'after it', 'after a trial'),
    spend: wholeMonth(spent, fc.constant('2026-01'), fc.constant(true)),
    arrived: fc.oneof(
      { weight: 2, arbitrary: fc.constant({ first: [], again: [] }) },
      { weight: 1, arbitrary: fc.record({ first: arrivals, again: decemberAgain(late) }) },
    ),
    changes: fc.array(teamSteps(late), { maxLength: 6 }),
    atOnce: fc.oneof(
      { weight: 2, arbitrary: fc.constant([]) },
      { weight: 1, arbitrary: changedAtOnce(TODAY) },
    ),
  })
  .map(({ metrics, teams, ofTeam, sharedCosts, came, arrived, changes, atOnce, ...drawn }) => {
    const late = [ofTeam, ...changes, ...arrived.again, ...atOnce];
    const spend = [...arrived.first, ...drawn.spend];
    const made = [...teams, ...sharedCosts];
    const onClosingDay = made.map((step) => ({ ...step, on: CLOSING_DAY }));
    if (came === 'early') return { metrics, early: [...made, ...spend], late };
    return came === 'before the closing'
      ? { metrics, early: [...spend, ...onClosingDay], late }
      : {
          metrics,
          early: [...spend, ...(came === 'after a trial' ? TRIAL : [])],
          late: [...onClosingDay, ...late],
        };
  });

/** A team that is deleted before January settles. It is the first team, so that later steps may name it. */
const TRIAL: readonly Drawn[] = [
  { on: '2025-12-20', does: 'make team', ownership: [] },
  { on: '2026-01-20', does: 'delete team', team: 0 },
];

/** All of January, loaded on the closing day, so that it settles unless there is a doubt. */
const wholeJanuary = everySource(CLOSING_DAY, '2026-01', true);

/** All of February so far. If all of January is loaded too, the running month can be compared with the same days. */
const running = fc.record({
  soFar: everySource(TODAY, '2026-02'),
  values: fc.array(
    fc.record({
      on: fc.constant(TODAY),
      does: fc.constant('set values' as const),
      metric: fc.nat(5),
      values: runningValues,
    }),
    { minLength: 3, maxLength: 6 },
  ),
});

/** All of December, loaded on the closing day by sources that start with its spend, so that it settles by backfill. */
const pastMonth = everySource(CLOSING_DAY, '2025-12').map(
  (loadsOf) =>
    (loaded: readonly SourceName[]): Drawn[] => [
      ...loaded.map((from) => ({
        on: CLOSING_DAY,
        does: 'begin source' as const,
        source: from,
        startsOn: '2025-12-30',
      })),
      ...loadsOf(loaded),
    ],
);

/** What a source says about machines without a bill line. Mostly it decides, because open doubts keep months from settling. */
const toldOnBill = fc.oneof(
  { weight: 3, arbitrary: fc.constant('never' as const) },
  { weight: 1, arbitrary: fc.constant('always' as const) },
  { weight: 2, arbitrary: fc.constant('auto' as const) },
);

/** A small random organisation with its story: spend and metrics, then the closing of January, then late steps. */
export const randomOrganisation: fc.Arbitrary<Organisation> = fc
  .record({
    settleDays: fc.constantFrom(0, 5),
    onBill: fc.record({
      'opencost 1': toldOnBill,
      'opencost 2': toldOnBill,
      'hosts 1': toldOnBill,
      'hosts 2': toldOnBill,
    }),
    paused: fc.oneof(
      { weight: 4, arbitrary: fc.constant([]) },
      { weight: 1, arbitrary: fc.array(source, { maxLength: 3 }) },
    ),
    waitsForever: seldom(15),
    forms: randomForms,
    metrics: fc.array(newMetric(earliest), { maxLength: 3 }),
    teams: fc.oneof({ weight: 2, arbitrary: fc.constant(null) }, { weight: 1, arbitrary: teamLife }),
    doubts: fc.oneof(
      { weight: 2, arbitrary: fc.constant(null) },
      { weight: 1, arbitrary: doubtLife(CLOSING_DAY, late) },
    ),
    again: fc.option(pickedAgain(spent), { nil: null, freq: 2 }),
    begins: begunSources(earliest),
    whole: fc.array(wholeMonth(spent), { maxLength: 2, size: 'max' }),
    loads: fc.array(load(spent), { maxLength: 3 }),
    copies: fc.oneof({ weight: 1, arbitrary: fc.constant([]) }, { weight: 1, arbitrary: copied(spent) }),
    imports: fc.oneof(
      { weight: 1, arbitrary: fc.constant([]) },
      { weight: 1, arbitrary: importLife(fc.nat(5)) },
    ),
    lateImports: fc.oneof(
      { weight: 2, arbitrary: fc.constant([]) },
      { weight: 1, arbitrary: importLife(fc.nat(5), LATE_DAYS) },
    ),
    early: fc.array(otherSteps(early), { maxLength: 2 }),
    closes: often(3),
    acceptMissing: seldom(2),
    late: fc.array(fc.oneof(load(late), otherSteps(late), otherSteps(late), newMetric(late)), {
      maxLength: 5,
    }),
    past: fc.oneof({ weight: 2, arbitrary: fc.constant(() => []) }, { weight: 1, arbitrary: pastMonth }),
    january: fc.oneof(
      { weight: 2, arbitrary: wholeJanuary },
      { weight: 1, arbitrary: fc.constant(() => []) },
    ),
    running: fc.oneof({ weight: 2, arbitrary: fc.constant(null) }, { weight: 1, arbitrary: running }),
    range: fc.tuple(days, days),
    breakdown: fc.nat(25),
  })
  .map(({ settleDays, paused, onBill, waitsForever, forms, breakdown, range: [a, b], ...drawn }) => {
    const metrics = drawn.teams?.metrics ?? [];
    const early = inTime([
      // Metrics that split shared costs come first, so that their numbers are known.
      ...metrics,
      ...(drawn.again?.(metrics.length) ?? []),
      ...(drawn.teams?.early ?? []),
      ...drawn.metrics,
      ...(drawn.doubts?.early ?? [
        ...(drawn.teams === null ? drawn.whole.flat() : []),
        ...drawn.begins,
        ...drawn.loads,
        ...drawn.copies,
      ]),
      ...drawn.early,
      ...drawn.imports,
    ]);
    const loaded = loadedSources(early);
    const story = storyOf([
      ...early,
      ...drawn.past(loaded),
      ...drawn.january(loaded),
      ...(drawn.closes ? closing(drawn.metrics.length + 2 + metrics.length, drawn.acceptMissing) : []),
      ...inTime([...(drawn.teams?.late ?? drawn.late), ...(drawn.doubts?.late ?? []), ...drawn.lateImports]),
      ...(drawn.running?.soFar(loaded) ?? []),
      ...(drawn.running?.values ?? []),
    ]);
    const range = a < b ? { start: a, end: b } : { start: b, end: a };
    const steps = story.map((step) => inForm(step, forms));
    return { settleDays, paused, onBill, waitsForever, forms, story: steps, breakdown, range, today: TODAY };
  });

const daysOfMonth = (month: Month): Day[] =>
  Array.from({ length: Number(lastDay(month).slice(-2)) }, (_, index) => addDays(firstDay(month), index));

/** Returns each loaded source once. */
function loadedSources(story: readonly Drawn[]): SourceName[] {
  const sources = story.flatMap((step) => (step.does === 'load' ? [step.source] : []));
  return [...new Map(sources.map((one) => [sourceKey(one), one])).values()];
}

const inTime = (steps: readonly Drawn[]): Drawn[] =>
  steps.toSorted((a, b) => (a.on < b.on ? -1 : a.on > b.on ? 1 : 0));

/** Settles months, and locks January for each metric if possible. */
const closing = (metrics: number, acceptMissing: boolean): Drawn[] => [
  { on: CLOSING_DAY, does: 'settle' },
  ...Array.from({ length: metrics }, (_, metric) => ({
    on: CLOSING_DAY,
    does: 'lock' as const,
    metric,
    month: '2026-01',
    acceptMissing,
  })),
];

/** Returns the drawn steps with values that fit their metric, and with numbers of existing metrics, teams and shared costs. */
function storyOf(drawn: readonly Drawn[]): Step[] {
  const metrics: StoryMetric[] = [];
  const seen = new Set<string>();
  const steps: Extract<Step, { does: 'load' }>[] = [];
  const loaded = new Set(loadedSources(drawn).map(sourceKey));
  let [teamCount, sharedCostCount] = [0, 0];
  return drawn.flatMap((step): Step[] => {
    if (isTeamStep(step)) {
      const fitted = fittingTeamStep(step, { teamCount, sharedCostCount, metrics });
      if (fitted?.does === 'make team') teamCount += 1;
      if (fitted?.does === 'make shared cost') sharedCostCount += 1;
      return fitted === null ? [] : [fitted];
    }
    if (step.does === 'create metric') {
      const { team } = step.metric;
      const metric = { ...step.metric, team: team === null || teamCount === 0 ? null : team % teamCount };
      metrics.push(metric);
      const { values, ...created } = step;
      const index = metrics.length - 1;
      return [
        { ...created, metric },
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
    if (step.does === 'load') {
      const { grows = false, isWhole = false, ...load } = step;
      const earlier = steps.filter((one) => sourceKey(one.source) === sourceKey(step.source));
      const before = earlier.findLast(({ month }) => month === step.month);
      const grown = grows ? grownFrom(step.feed, before?.feed) : step.feed;
      const days = daysOfMonth(step.month);
      const feed = isWhole
        ? withEveryDay(
            grown,
            earlier.map(({ feed }) => feed),
            days,
          )
        : grown;
      steps.push({ ...load, feed });
      seen.add(sourceKey(step.source));
      return [{ ...load, feed }];
    }
    if (step.does === 'delete source' || isDecision(step))
      return seen.has(sourceKey(step.source)) ? [step] : [];
    if (step.does === 'begin source') return loaded.has(sourceKey(step.source)) ? [step] : [];
    if (!('metric' in step)) return [step];
    const index = isOfImport(step) ? importedOf(metrics, step.metric) : step.metric % metrics.length;
    const target = metrics[index];
    if (target === undefined) return [];
    if (step.does === 'set values' || step.does === 'end run')
      return [{ ...step, metric: index, values: fitting(target, step.values) }];
    // A metric of the organisation's total has no picks to change.
    return step.does === 'repick' && target.picks === null ? [] : [{ ...step, metric: index }];
  });
}

const isDecision = (step: Drawn): step is { on: Day } & DecisionStep =>
  step.does === 'end unit' || step.does === 'confirm unit' || step.does === 'tell on bill';

const isOfImport = ({ does }: Drawn): boolean =>
  does === 'connect' || does === 'disconnect' || does === 'begin run' || does === 'end run';

/** Returns the metric that a drawn number means in steps of imports. Only a daily metric has an import. */
function importedOf(metrics: readonly StoryMetric[], drawn: number): number {
  const daily = [...metrics.keys()].filter((index) => metrics[index]?.frequency === 'daily');
  return daily[drawn % daily.length] ?? -1;
}
