import fc from 'fast-check';
import type { Day } from '../../../domain/shared/calendar.ts';
import type { SpendPick } from '../../../domain/spend/spend-pick.ts';
import type { StoryMetric, StorySplit, TeamStep } from '../organisation-story.ts';
import { pick } from './random-metrics.ts';
import { label } from './random-spellings.ts';

/**
 * A drawn split. It refers to teams and metrics by random numbers, which `fittingTeamStep` takes modulo their count. So several
 * numbers may mean the same team.
 */
export type DrawnSplit =
  | { type: 'even'; teams: readonly number[] }
  | { type: 'fixed'; teams: readonly number[]; percents: readonly string[] }
  | { type: 'metric'; metric: number; labels: Readonly<Record<string, number>> };

interface DrawnSharedCost {
  spend: readonly SpendPick[];
  split: DrawnSplit;
}

/** A drawn step of a team or shared cost, with numbers like those of a drawn split. */
export type DrawnTeamStep = { on: Day } & (
  | Exclude<TeamStep, { split: StorySplit }>
  | ({ does: 'make shared cost' } & DrawnSharedCost)
  | ({ does: 'change shared cost'; sharedCost: number } & DrawnSharedCost)
);

const TEAM_STEPS: readonly string[] = [
  'make team',
  'own',
  'delete team',
  'make shared cost',
  'change shared cost',
  'delete shared cost',
] satisfies TeamStep['does'][];

export const isTeamStep = (step: { does: string }): step is DrawnTeamStep => TEAM_STEPS.includes(step.does);

/** Idle capacity, which metrics cannot pick. */
const IDLE: readonly SpendPick[] = [
  { source: 'kubernetes', cluster: 'prod', idle: true },
  { source: 'kubernetes', cluster: 'edge', idle: true },
  { source: 'host', host: 'host-1', idle: true },
  { source: 'host', host: 'host-2', idle: true },
];
const picks = fc.array(
  fc.oneof({ weight: 6, arbitrary: pick }, { weight: 1, arbitrary: fc.constantFrom(...IDLE) }),
  { minLength: 1, maxLength: 4 },
);

const team = fc.nat(3);
const teams = fc.uniqueArray(team, { minLength: 2, maxLength: 3, size: 'max' });

/** Percents of up to three teams. If they add up to less than 100, nobody gets the rest. */
const percents = fc.constantFrom(
  ['100', '0', '0'],
  ['60', '40', '0'],
  ['33.333333', '33.333333', '33.333333'],
  ['33.333334', '33.333333', '33.333333'],
  ['12.5', '0', '0.000001'],
  ['0', '99.999999', '0.000001'],
);

const labels = fc
  .array(fc.tuple(label, team), { minLength: 1, maxLength: 3, size: 'max' })
  .map((entries): Record<string, number> => Object.fromEntries(entries));

const split: fc.Arbitrary<DrawnSplit> = fc.oneof(
  { weight: 1, arbitrary: fc.record({ type: fc.constant('even' as const), teams }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('fixed' as const), teams, percents }) },
  {
    weight: 2,
    arbitrary: fc.record({
      type: fc.constant('metric' as const),
      metric: fc.nat(3),
      labels,
    }),
  },
);

const sharedCost = { spend: picks, split };
const does = <Does extends string>(name: Does): fc.Arbitrary<Does> => fc.constant(name);

const newTeam = (on: fc.Arbitrary<Day>): fc.Arbitrary<DrawnTeamStep> =>
  fc.record({ on, does: does('make team'), ownership: picks });

const newSharedCost = (on: fc.Arbitrary<Day>): fc.Arbitrary<DrawnTeamStep> =>
  fc.record({ on, does: does('make shared cost'), ...sharedCost });

/** A few picks that overlap and cover much of the spend. Some are more specific than others. */
const CONTENDED: readonly SpendPick[] = [
  { source: 'cloud', cloud: 'aws', account: '1111' },
  { source: 'cloud', cloud: 'aws', account: '1111', service: 'compute' },
  { source: 'cloud', cloud: 'aws', account: '1111', service: 'storage' },
  { source: 'cloud', cloud: 'aws', tag: { key: 'team', value: 'search' } },
  { source: 'cloud', cloud: 'aws', tag: { key: 'team', value: 'web' } },
  { source: 'cloud', cloud: 'aws', account: '2222' },
  { source: 'cloud', cloud: 'azure', account: 'sub-1' },
  { source: 'cloud', cloud: 'gcp', account: 'proj-a' },
  { source: 'kubernetes', cluster: 'prod', namespace: 'shop' },
  { source: 'kubernetes', cluster: 'prod', namespace: 'shop', workload: 'deployment/api' },
  { source: 'host', host: 'host-1' },
  { source: 'host', host: 'host-1', service: 'db' },
  { source: 'repository', repository: 'github.com/acme/web' },
  ...IDLE,
];

const shuffledPicks = fc.shuffledSubarray([...CONTENDED], { minLength: 3 });

/** Returns the part of the picks for one of several teams or shared costs. No pick is in two parts. */
const partOf = (all: readonly SpendPick[], part: number, parts: number): SpendPick[] =>
  all.filter((_pick, index) => index % parts === part);

/** One to three teams with picks that compete for the same spend. */
export const newTeams = (on: fc.Arbitrary<Day>): fc.Arbitrary<DrawnTeamStep[]> =>
  fc
    .record({ all: shuffledPicks, count: fc.constantFrom(1, 2, 2, 3, 3), days: fc.tuple(on, on, on) })
    .map(({ all, count, days }) =>
      days.slice(0, count).map((day, index) => ({
        on: day,
        does: 'make team',
        ownership: partOf(all, index, count),
      })),
    );

/** A split by a labelled metric: number 0 or 1 is one of the two that a story creates for splits. */
const splitBy = (metric: number): fc.Arbitrary<DrawnSplit> =>
  labels.map((teamOfLabel) => ({ type: 'metric', metric, labels: teamOfLabel }));

/** The splits of one or two shared costs: any splits, or two by different metrics. */
const newSplits = (on: fc.Arbitrary<Day>): fc.Arbitrary<{ on: Day; split: DrawnSplit }[]> =>
  fc.oneof(
    fc.array(fc.record({ on, split }), { minLength: 1, maxLength: 2 }),
    fc.tuple(fc.record({ on, split: splitBy(0) }), fc.record({ on, split: splitBy(1) })),
  );

/** One or two shared costs with up to three picks each, which compete with those of the teams. */
export const newSharedCosts = (on: fc.Arbitrary<Day>): fc.Arbitrary<DrawnTeamStep[]> =>
  fc.record({ all: shuffledPicks, costs: newSplits(on) }).map(({ all, costs }) =>
    costs.map((cost, index) => ({
      ...cost,
      does: 'make shared cost',
      spend: partOf(all, index, costs.length).slice(0, 3),
    })),
  );

/** Any step of a team or shared cost. */
export const teamStep = (on: fc.Arbitrary<Day>): fc.Arbitrary<DrawnTeamStep> =>
  fc.oneof(
    { weight: 1, arbitrary: newTeam(on) },
    { weight: 3, arbitrary: fc.record({ on, does: does('own'), team, ownership: picks }) },
    { weight: 1, arbitrary: fc.record({ on, does: does('delete team'), team }) },
    { weight: 1, arbitrary: newSharedCost(on) },
    {
      weight: 2,
      arbitrary: fc.record({ on, does: does('change shared cost'), sharedCost: fc.nat(2), ...sharedCost }),
    },
    { weight: 1, arbitrary: fc.record({ on, does: does('delete shared cost'), sharedCost: fc.nat(2) }) },
  );

/** Returns the step with the numbers of existing teams, metrics and shared costs; null if one that it needs does not exist. */
export function fittingTeamStep(
  step: DrawnTeamStep,
  {
    teamCount,
    sharedCostCount,
    metrics,
  }: { teamCount: number; sharedCostCount: number; metrics: readonly StoryMetric[] },
): ({ on: Day } & TeamStep) | null {
  if (step.does === 'make team') return step;
  if (teamCount === 0) return null;
  if ('team' in step) return { ...step, team: step.team % teamCount };
  if ('sharedCost' in step && sharedCostCount === 0) return null;
  const numbered = 'sharedCost' in step ? { ...step, sharedCost: step.sharedCost % sharedCostCount } : step;
  if (!('split' in numbered)) return numbered;
  const fitted = fittingSplit(numbered.split, teamCount, metrics);
  return fitted === null ? null : { ...numbered, split: fitted };
}

function fittingSplit(
  drawn: DrawnSplit,
  teamCount: number,
  metrics: readonly StoryMetric[],
): StorySplit | null {
  if (drawn.type === 'metric') {
    const labelled = [...metrics.keys()].filter((index) => metrics[index]?.labelled);
    const metric = labelled[drawn.metric % labelled.length];
    const labels = Object.entries(drawn.labels).map(([label, number]) => [label, number % teamCount]);
    return metric === undefined
      ? null
      : { type: 'metric', metric, labels: Object.fromEntries(labels) as Record<string, number> };
  }
  const named = [...new Set(drawn.teams.map((number) => number % teamCount))];
  if (drawn.type === 'even') return { type: 'even', teams: named };
  const shares = named.map((number, index) => ({ team: number, percent: drawn.percents[index] ?? '0' }));
  return { type: 'fixed', shares };
}
