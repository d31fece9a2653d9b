import { conflict } from '../../domain/shared/errors.ts';
import type { SpendPick } from '../../domain/spend/spend-pick.ts';
import { teamsOfSplit } from '../../domain/teams/shared-cost.ts';
import { newId } from '../engine/sql/ids.ts';
import { refuseOwnedPicks } from '../spend/picks/owned-picks.ts';
import type { Session } from '../engine/session.ts';
import { SHARED_COSTS } from './shared-costs.ts';
import { spendChoicesLock, storePicks } from '../spend/picks/spend-choices.ts';
import { Versions, type By, type NextVersion } from '../engine/records/versioned-records.ts';
import type { Warehouse } from '../engine/warehouse.ts';

/** A team and the spend that it owns. If several owners pick a dollar, the most specific pick has it. */
export interface Team {
  id: string;
  name: string;
  ownership: SpendPick[];
}

/**
 * The teams of organisations. A change throws a conflict for a pick that another team owns, and for another tag key or split than
 * is in use. A deletion throws one if a shared cost or a metric refers to the team.
 */
export const TEAMS = new Versions<Team>({
  name: 'team',
  view: 'teams',
  idColumn: 'team_id',
  columns: { name: 'VARCHAR', ownership: 'JSON' },
  locks: (orgId) => [spendChoicesLock(orgId)],
  around: storeWithOwnership,
});

export const createTeam = (
  warehouse: Warehouse,
  orgId: string,
  team: Omit<Team, 'id'>,
  by: By,
): Promise<Team> => TEAMS.create(warehouse, orgId, { id: newId('team'), ...team }, by);

async function storeWithOwnership(
  session: Session,
  orgId: string,
  { thing, before, deleted, now }: NextVersion<Team>,
  store: () => Promise<void>,
): Promise<void> {
  if (deleted) await refuseWhileReferred(session, orgId, thing.id);
  const owner = { type: 'team', id: thing.id } as const;
  const picks = deleted ? [] : thing.ownership;
  await refuseOwnedPicks(session, orgId, owner, picks);
  await storePicks(session, orgId, owner, { before: before?.ownership ?? [], picks }, now, store);
}

async function refuseWhileReferred(session: Session, orgId: string, teamId: string): Promise<void> {
  const sharedCosts = (await SHARED_COSTS.list(session, orgId)).filter(({ split }) =>
    teamsOfSplit(split).includes(teamId),
  );
  const metrics = await session.query<{ name: string }>(
    `SELECT name FROM metrics WHERE org_id = $org AND (scope->>'$.team_id') = $team ORDER BY metric_id`,
    { org: orgId, team: teamId },
  );
  const users = [
    ...sharedCosts.map(({ name }) => `shared cost ${JSON.stringify(name)}`),
    ...metrics.map(({ name }) => `metric ${JSON.stringify(name)}`),
  ];
  if (users.length > 0)
    throw conflict(`the team cannot be deleted: it is referred to by ${users.join(', ')}; change them first`);
}
