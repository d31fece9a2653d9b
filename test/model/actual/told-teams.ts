import { split as sentSplit } from '../../../api/teams/shared-costs.ts';
import { ownedPicks } from '../../../api/spend/pick-fields.ts';
import { invalid } from '../../../domain/shared/errors.ts';
import type { Split } from '../../../domain/teams/shared-cost.ts';
import { createSharedCost, SHARED_COSTS } from '../../../warehouse/teams/shared-costs.ts';
import { createTeam, TEAMS } from '../../../warehouse/teams/teams.ts';
import type { By } from '../../../warehouse/engine/records/versioned-records.ts';
import type { Warehouse } from '../../../warehouse/engine/warehouse.ts';
import type { StorySharedCost, StorySplit, TeamStep } from '../organisation-story.ts';
import { orRefused } from './told-refusals.ts';

/** The id of a rejected team or metric. Nothing has it. */
const NOT_THERE = 'none';

/** Runs the steps of teams and shared costs in the product, by their numbers in the story. */
export class ToldTeams {
  /** Ids in the order of the story; null for rejected teams. */
  readonly ids: (string | null)[] = [];
  readonly #sharedCostIds: (string | null)[] = [];
  readonly #warehouse: Warehouse;
  readonly #orgId: string;
  readonly #metrics: readonly ({ id: string } | null)[];

  constructor(warehouse: Warehouse, orgId: string, metrics: readonly ({ id: string } | null)[]) {
    this.#warehouse = warehouse;
    this.#orgId = orgId;
    this.#metrics = metrics;
  }

  idOf(team: number): string {
    return this.ids[team] ?? NOT_THERE;
  }

  /** Returns a team's name by its id. */
  nameOf(id: string): string {
    return `Team ${this.ids.indexOf(id)}`;
  }

  /** Returns a shared cost's name by its id. */
  sharedCostName(id: string): string {
    return `Shared cost ${this.#sharedCostIds.indexOf(id)}`;
  }

  /** Runs a step. Returns false if the product rejects it. */
  async does(step: TeamStep, by: By): Promise<boolean> {
    const done = await orRefused(() => this.#do(step, by));
    if (step.does === 'make team') this.ids.push(done?.id ?? null);
    if (step.does === 'make shared cost') this.#sharedCostIds.push(done?.id ?? null);
    return done !== null;
  }

  async #do(step: TeamStep, by: By): Promise<{ id: string } | null> {
    const [warehouse, orgId] = [this.#warehouse, this.#orgId];
    switch (step.does) {
      case 'make team':
        return createTeam(
          warehouse,
          orgId,
          { name: `Team ${this.ids.length}`, ownership: ownedPicks(0).parse(step.ownership) },
          by,
        );
      case 'own':
        return TEAMS.change(
          warehouse,
          orgId,
          this.idOf(step.team),
          { ownership: ownedPicks(0).parse(step.ownership) },
          by,
        );
      case 'delete team':
        return TEAMS.change(warehouse, orgId, this.idOf(step.team), 'delete', by);
      case 'make shared cost':
        return createSharedCost(
          warehouse,
          orgId,
          { name: `Shared cost ${this.#sharedCostIds.length}`, ...this.#definition(step) },
          by,
        );
      case 'change shared cost': {
        const id = this.#sharedCostIds[step.sharedCost] ?? NOT_THERE;
        return SHARED_COSTS.change(warehouse, orgId, id, this.#definition(step), by);
      }
      case 'delete shared cost': {
        const id = this.#sharedCostIds[step.sharedCost] ?? NOT_THERE;
        return SHARED_COSTS.change(warehouse, orgId, id, 'delete', by);
      }
    }
  }

  #definition({ spend, split }: StorySharedCost) {
    const sent = sentSplit.safeParse(this.#split(split));
    if (!sent.success) throw invalid(sent.error.message);
    return { spend: ownedPicks(1).parse(spend), split: sent.data };
  }

  #split(split: StorySplit): Split {
    switch (split.type) {
      case 'even':
        return { type: 'even', team_ids: split.teams.map((team) => this.idOf(team)) };
      case 'fixed': {
        const shares = split.shares.map(({ team, percent }) => ({
          team_id: this.idOf(team),
          percent: Number(percent),
        }));
        return { type: 'fixed', shares };
      }
      case 'metric': {
        const labels = Object.entries(split.labels).map(([label, team]) => [label, this.idOf(team)]);
        const metric_id = this.#metrics[split.metric]?.id ?? NOT_THERE;
        return { type: 'metric', metric_id, labels: Object.fromEntries(labels) as Record<string, string> };
      }
    }
  }
}
