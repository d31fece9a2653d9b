import { conflict } from '../domain/errors.ts';
import type { SpendPick } from '../domain/spend-pick.ts';
import { teamsOfSplit } from '../domain/shared-cost.ts';
import { idAfter, newId } from './ids.ts';
import { refuseOwnedPicks } from './owned-picks.ts';
import type { Session } from './session.ts';
import { listSharedCosts } from './shared-costs.ts';
import { spendChoicesOf, storePicks } from './spend-choices.ts';
import type { Warehouse } from './warehouse.ts';

/** A team and the spend it owns; of several owners the most specific has a dollar (design §2, Teams). */
export interface Team {
  id: string;
  name: string;
  ownership: SpendPick[];
}

interface Row {
  id: string;
  name: string;
  ownership: string;
}

const COLUMNS = 'team_id AS id, name, ownership';

const toTeam = ({ id, name, ownership }: Row): Team => ({
  id,
  name,
  ownership: JSON.parse(ownership) as SpendPick[],
});

interface By {
  keyId: string;
  now: Date;
}

/** Stores a new team. Throws a conflict for a pick that another team owns, or by another tag key or split than is in use. */
export const createTeam = async (
  warehouse: Warehouse,
  orgId: string,
  team: Omit<Team, 'id'>,
  by: By,
): Promise<Team> => {
  const created = { id: newId('team'), ...team };
  await warehouse.exclusive(spendChoicesOf(orgId), () =>
    warehouse.transaction((session) =>
      storeVersion(session, orgId, created, { newest: null, deleted: false, ...by }),
    ),
  );
  return created;
};

/** The organisation's team, or null when it has no such one. */
export const findTeam = async (warehouse: Warehouse, orgId: string, teamId: string): Promise<Team | null> => {
  const [row] = await warehouse.query<Row>(
    `SELECT ${COLUMNS} FROM teams WHERE org_id = $org AND team_id = $team`,
    { org: orgId, team: teamId },
  );
  return row === undefined ? null : toTeam(row);
};

/** The teams after `cursor`, oldest first. */
export const listTeams = async (
  warehouse: Warehouse,
  orgId: string,
  page: { limit: number; cursor: string | null },
): Promise<Team[]> => {
  const rows = await warehouse.query<Row>(
    `SELECT ${COLUMNS} FROM teams WHERE org_id = $org AND team_id > coalesce($cursor, '')
     ORDER BY team_id LIMIT $limit`,
    { org: orgId, ...page },
  );
  return rows.map(toTeam);
};

/**
 * Changes or deletes a team; answers what it now is (or last was), or null when there is none. Throws a conflict as
 * {@link createTeam} does, and for deleting a team that a shared cost or a metric refers to.
 */
export const updateTeam = (
  warehouse: Warehouse,
  orgId: string,
  teamId: string,
  changes: Partial<Omit<Team, 'id'>> | 'delete',
  by: By,
): Promise<Team | null> =>
  warehouse.exclusive(spendChoicesOf(orgId), () =>
    warehouse.transaction(async (session) => {
      const [row] = await session.query<Row & { version_id: string }>(
        `SELECT ${COLUMNS}, version_id FROM teams WHERE org_id = $org AND team_id = $team`,
        { org: orgId, team: teamId },
      );
      if (row === undefined) return null;
      const deleted = changes === 'delete';
      if (deleted) await refuseWhileReferred(session, orgId, teamId);
      const team = deleted ? toTeam(row) : { ...toTeam(row), ...changes };
      await storeVersion(session, orgId, team, { newest: row.version_id, deleted, ...by });
      return team;
    }),
  );

const refuseWhileReferred = async (session: Session, orgId: string, teamId: string): Promise<void> => {
  const sharedCosts = (await listSharedCosts(session, orgId)).filter(({ split }) =>
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
};

const storeVersion = async (
  session: Session,
  orgId: string,
  team: Team,
  version: By & { newest: string | null; deleted: boolean },
): Promise<void> => {
  const user = { type: 'team', id: team.id } as const;
  const picks = version.deleted ? [] : team.ownership;
  await refuseOwnedPicks(session, orgId, user, picks);
  await storePicks(session, orgId, user, picks, version.now, () =>
    session.run(
      `INSERT INTO team_versions BY NAME
        SELECT $org AS org_id, $id AS team_id, $version::UUID AS version_id, $name AS name, $ownership::JSON AS ownership,
          $deleted::BOOLEAN AS deleted, $now::TIMESTAMP AS changed_at, $key AS changed_by`,
      {
        org: orgId,
        id: team.id,
        version: idAfter(version.newest),
        name: team.name,
        ownership: JSON.stringify(team.ownership),
        deleted: version.deleted,
        now: version.now.toISOString(),
        key: version.keyId,
      },
    ),
  );
};
