import type { Day } from '../../../domain/shared/calendar.ts';
import type { SpendPick } from '../../../domain/spend/spend-pick.ts';
import type { NaiveChoices } from './naive-choices.ts';
import { plainPicks, plainSplit } from './naive-labels.ts';
import { names } from './answers/naive-months.ts';
import type { Spent } from './naive-spend.ts';
import type { StoryMetric, StorySharedCost, StorySplit, TeamStep } from '../organisation-story.ts';

/** The state that teams depend on. */
interface Surroundings {
  choices: NaiveChoices;
  /** In the order of the story; null for rejected metrics. */
  metrics: readonly ({ definition: StoryMetric } | null)[];
}

/** Teams, their ownership and shared costs. */
export class NaiveTeams {
  /** The ownership of each team, in the order of the story; null for rejected and deleted teams. */
  readonly teams: (readonly SpendPick[] | null)[] = [];
  readonly sharedCosts: (StorySharedCost | null)[] = [];
  /** The number of changes of teams and shared costs. */
  changes = 0;
  readonly #surroundings: Surroundings;

  constructor(surroundings: Surroundings) {
    this.#surroundings = surroundings;
  }

  has(team: number): boolean {
    return (this.teams[team] ?? null) !== null;
  }

  /** Runs a step. Returns false if it is rejected. */
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

  #own(team: number, given: readonly SpendPick[], today: Day): boolean {
    const ownership = plainPicks(given);
    const isFree = haveNone(this.teams, team, ownership);
    if (!isFree || !this.#surroundings.choices.use(`team ${team}`, ownership, today)) return false;
    this.teams[team] = ownership;
    return true;
  }

  #share(index: number, given: StorySharedCost, today: Day): boolean {
    const { choices, metrics } = this.#surroundings;
    const [spend, split] = [plainPicks(given.spend), plainSplit(given.split)];
    if (split === null) return false;
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

  /** Returns the picks behind a team's bill: its ownership, and the spend of the shared costs that it has a part of. */
  picksBehindBill(team: number): SpendPick[] {
    const ofShared = this.sharedCosts.filter((cost) => cost !== null && teamsOf(cost.split).includes(team));
    return [...(this.teams[team] ?? []), ...ofShared.flatMap((cost) => cost?.spend ?? [])];
  }

  /** Returns the one owner of an amount: whoever has the most specific pick; among equally specific picks a shared cost. */
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

function teamsOf(split: StorySplit): number[] {
  if (split.type === 'even') return [...split.teams];
  return split.type === 'fixed' ? split.shares.map(({ team }) => team) : Object.values(split.labels);
}

/** Returns whether no entry other than `index` has any of the picks. */
const haveNone = (
  all: readonly (readonly SpendPick[] | null)[],
  index: number,
  picks: readonly SpendPick[],
): boolean =>
  !all.some(
    (theirs, other) =>
      other !== index && theirs?.some((one) => picks.some((pick) => isSame(one, pick))) === true,
  );

function isSame(one: SpendPick, other: SpendPick): boolean {
  const text = (pick: SpendPick) => JSON.stringify(Object.entries(pick).sort(([a], [b]) => (a < b ? -1 : 1)));
  return text(one) === text(other);
}

/** Returns the entry with the most specific pick of an amount, and the pick's specificity. */
function mostSpecific(
  all: readonly (readonly SpendPick[])[],
  spent: Spent,
): { index: number; specificity: number } | null {
  let found: { index: number; specificity: number } | null = null;
  for (const [index, picks] of all.entries())
    for (const pick of picks.filter((one) => names(one, spent)))
      if (specificityOf(pick) > (found?.specificity ?? 0))
        found = { index, specificity: specificityOf(pick) };
  return found;
}

/** Workload before namespace, and service before host. In a cloud: service or resource group, then tag, then account. */
function specificityOf(pick: SpendPick): number {
  if (pick.source === 'kubernetes') return pick.workload === undefined ? 1 : 2;
  if (pick.source === 'host') return pick.service === undefined ? 1 : 2;
  if (pick.source === 'repository') return 1;
  if (pick.tag !== undefined) return 2;
  return pick.service === undefined && pick.resource_group === undefined ? 1 : 3;
}
