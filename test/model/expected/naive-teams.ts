import type { Day } from '../../../domain/shared/calendar.ts';
import type { SpendPick } from '../../../domain/spend/spend-pick.ts';
import type { NaiveChoices } from './naive-choices.ts';
import { names } from './answers/naive-months.ts';
import type { Spent } from './naive-spend.ts';
import type { StoryMetric, StorySharedCost, StorySplit, TeamStep } from '../organisation-story.ts';

/** What teams refer to and are referred to by. */
interface Surroundings {
  choices: NaiveChoices;
  /** In the order of the story; null for those that were refused. */
  metrics: readonly ({ definition: StoryMetric } | null)[];
}

/** Teams, what they own and what they share (design §2, Teams). */
export class NaiveTeams {
  /** What each owns, in the order of the story; null for those that were refused or deleted. */
  readonly teams: (readonly SpendPick[] | null)[] = [];
  readonly sharedCosts: (StorySharedCost | null)[] = [];
  /** How often a team or shared cost was made, changed or deleted. */
  changes = 0;
  readonly #surroundings: Surroundings;

  constructor(surroundings: Surroundings) {
    this.#surroundings = surroundings;
  }

  has(team: number): boolean {
    return (this.teams[team] ?? null) !== null;
  }

  /** Does a step; false if it had to be refused. */
  does(step: TeamStep, today: Day): boolean {
    const isDone = this.#does(step, today);
    if (isDone) this.changes += 1;
    return isDone;
  }

  #does(step: TeamStep, today: Day): boolean {
    const { teams, sharedCosts } = this;
    switch (step.does) {
      case 'make team':
        teams.push(null);
        return this.#own(teams.length - 1, step.ownership, today);
      case 'own':
        return this.has(step.team) && this.#own(step.team, step.ownership, today);
      case 'delete team': {
        const { team } = step;
        const isReferredTo =
          sharedCosts.some((cost) => cost !== null && teamsOf(cost.split).includes(team)) ||
          this.#surroundings.metrics.some((metric) => metric?.definition.team === team);
        if (!this.has(team) || isReferredTo) return false;
        teams[team] = null;
        return this.#surroundings.choices.use(`team ${team}`, [], today);
      }
      case 'make shared cost':
        sharedCosts.push(null);
        return this.#share(sharedCosts.length - 1, step, today);
      case 'change shared cost':
        return (sharedCosts[step.sharedCost] ?? null) !== null && this.#share(step.sharedCost, step, today);
      case 'delete shared cost': {
        const { sharedCost } = step;
        if ((sharedCosts[sharedCost] ?? null) === null) return false;
        sharedCosts[sharedCost] = null;
        return this.#surroundings.choices.use(`shared cost ${sharedCost}`, [], today);
      }
    }
  }

  #own(team: number, ownership: readonly SpendPick[], today: Day): boolean {
    const isFree = haveNone(this.teams, team, ownership);
    if (!isFree || !this.#surroundings.choices.use(`team ${team}`, ownership, today)) return false;
    this.teams[team] = ownership;
    return true;
  }

  #share(index: number, { spend, split }: StorySharedCost, today: Day): boolean {
    const { choices, metrics } = this.#surroundings;
    const isPossible =
      teamsOf(split).every((team) => this.has(team)) &&
      (split.type !== 'metric' || metrics[split.metric]?.definition.labelled === true) &&
      haveNone(
        this.sharedCosts.map((cost) => cost?.spend ?? null),
        index,
        spend,
      );
    if (!isPossible || !choices.use(`shared cost ${index}`, spend, today)) return false;
    this.sharedCosts[index] = { spend, split };
    return true;
  }

  /** What a team's bill is made of: what it owns, and what the shared costs cover that name it. */
  picksBehindBill(team: number): SpendPick[] {
    const ofShared = this.sharedCosts.filter((cost) => cost !== null && teamsOf(cost.split).includes(team));
    return [...(this.teams[team] ?? []), ...ofShared.flatMap((cost) => cost?.spend ?? [])];
  }

  /** The one owner of some money: of all teams and shared costs the most specific pick, of equals the shared cost. */
  ownerOf(spent: Spent): { sharedCost: number } | { team: number } | null {
    const sharedCost = mostSpecific(
      this.sharedCosts.map((cost) => cost?.spend ?? []),
      spent,
    );
    const team = mostSpecific(
      this.teams.map((ownership) => ownership ?? []),
      spent,
    );
    if (sharedCost !== null && sharedCost.specificity >= (team?.specificity ?? 0))
      return { sharedCost: sharedCost.index };
    return team === null ? null : { team: team.index };
  }
}

const teamsOf = (split: StorySplit): number[] => {
  if (split.type === 'even') return [...split.teams];
  return split.type === 'fixed' ? split.shares.map(({ team }) => team) : Object.values(split.labels);
};

/** Whether none but one's own `index` has any of the picks. */
const haveNone = (
  all: readonly (readonly SpendPick[] | null)[],
  index: number,
  picks: readonly SpendPick[],
): boolean =>
  !all.some(
    (theirs, other) =>
      other !== index && theirs?.some((one) => picks.some((pick) => isSame(one, pick))) === true,
  );

const isSame = (one: SpendPick, other: SpendPick): boolean => {
  const text = (pick: SpendPick) => JSON.stringify(Object.entries(pick).sort(([a], [b]) => (a < b ? -1 : 1)));
  return text(one) === text(other);
};

/** Whose picks name some money most specifically, and how specifically. */
const mostSpecific = (
  all: readonly (readonly SpendPick[])[],
  spent: Spent,
): { index: number; specificity: number } | null => {
  let found: { index: number; specificity: number } | null = null;
  for (const [index, picks] of all.entries())
    for (const pick of picks.filter((one) => names(one, spent)))
      if (specificityOf(pick) > (found?.specificity ?? 0))
        found = { index, specificity: specificityOf(pick) };
  return found;
};

/** Workload over namespace, service over host; in a cloud service or resource group over tag over account. */
const specificityOf = (pick: SpendPick): number => {
  if (pick.source === 'kubernetes') return pick.workload === undefined ? 1 : 2;
  if (pick.source === 'host') return pick.service === undefined ? 1 : 2;
  if (pick.source === 'repository') return 1;
  if (pick.tag !== undefined) return 2;
  return pick.service === undefined && pick.resource_group === undefined ? 1 : 3;
};
