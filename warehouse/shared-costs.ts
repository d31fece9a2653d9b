import { invalid } from '../domain/errors.ts';
import { shown } from '../domain/shown.ts';
import { teamsOfSplit, type Split } from '../domain/shared-cost.ts';
import type { SpendPick } from '../domain/spend-pick.ts';
import { existingTeams } from './existing-teams.ts';
import { idAfter, newId } from './ids.ts';
import { refuseOwnedPicks } from './owned-picks.ts';
import type { Session } from './session.ts';
import { spendChoicesOf, storePicks } from './spend-choices.ts';
import type { Warehouse } from './warehouse.ts';

/** Spend that belongs to several teams, and how it is split over them (contract §3, Team, bill, shared cost). */
export interface SharedCost {
  id: string;
  name: string;
  spend: SpendPick[];
  split: Split;
}

interface Row {
  id: string;
  name: string;
  spend: string;
  split: string;
}

const COLUMNS = 'shared_cost_id AS id, name, spend, split';

const toSharedCost = ({ id, name, spend, split }: Row): SharedCost => ({
  id,
  name,
  spend: JSON.parse(spend) as SpendPick[],
  split: JSON.parse(split) as Split,
});

interface By {
  keyId: string;
  now: Date;
}

/**
 * Stores a new shared cost. Throws `invalid` for a split by teams or a metric that do not exist, a conflict for a pick
 * that another shared cost covers, or by another tag key or split than is in use.
 */
export const createSharedCost = async (
  warehouse: Warehouse,
  orgId: string,
  sharedCost: Omit<SharedCost, 'id'>,
  by: By,
): Promise<SharedCost> => {
  const created = { id: newId('shc'), ...sharedCost };
  await warehouse.exclusive(spendChoicesOf(orgId), () =>
    warehouse.transaction((session) =>
      storeVersion(session, orgId, created, { newest: null, deleted: false, ...by }),
    ),
  );
  return created;
};

/** More than any organisation has. */
const ALL = 1_000_000;

/** The shared costs after `cursor`, oldest first; all of them without a page. */
export const listSharedCosts = async (
  warehouse: Pick<Session, 'query'>,
  orgId: string,
  page: { limit: number; cursor: string | null } = { limit: ALL, cursor: null },
): Promise<SharedCost[]> => {
  const rows = await warehouse.query<Row>(
    `SELECT ${COLUMNS} FROM shared_costs WHERE org_id = $org AND shared_cost_id > coalesce($cursor, '')
     ORDER BY shared_cost_id LIMIT $limit`,
    { org: orgId, ...page },
  );
  return rows.map(toSharedCost);
};

/**
 * Changes or deletes a shared cost; answers what it now is (or last was), or null when there is none. Throws as
 * {@link createSharedCost} does.
 */
export const updateSharedCost = (
  warehouse: Warehouse,
  orgId: string,
  sharedCostId: string,
  changes: Partial<Omit<SharedCost, 'id'>> | 'delete',
  by: By,
): Promise<SharedCost | null> =>
  warehouse.exclusive(spendChoicesOf(orgId), () =>
    warehouse.transaction(async (session) => {
      const [row] = await session.query<Row & { version_id: string }>(
        `SELECT ${COLUMNS}, version_id FROM shared_costs WHERE org_id = $org AND shared_cost_id = $id`,
        { org: orgId, id: sharedCostId },
      );
      if (row === undefined) return null;
      const deleted = changes === 'delete';
      const sharedCost = deleted ? toSharedCost(row) : { ...toSharedCost(row), ...changes };
      await storeVersion(session, orgId, sharedCost, { newest: row.version_id, deleted, ...by });
      return sharedCost;
    }),
  );

/** Throws, naming the field, for a team that does not exist and a metric that no month can be split by. */
const checkSplit = async (session: Session, orgId: string, split: Split): Promise<void> => {
  const teams = await existingTeams(session, orgId, teamsOfSplit(split));
  const check = (field: string, teamId: string): void => {
    if (!teams.has(teamId))
      throw invalid(`split.${field}: expected a team of this organisation, got ${shown(teamId)}`);
  };
  if (split.type === 'even')
    split.team_ids.forEach((id, index) => {
      check(`team_ids[${index}]`, id);
    });
  else if (split.type === 'fixed')
    split.shares.forEach(({ team_id }, index) => {
      check(`shares[${index}].team_id`, team_id);
    });
  else {
    const [metric] = await session.query<{ label_key: string | null }>(
      'SELECT label_key FROM metrics WHERE org_id = $org AND metric_id = $metric',
      { org: orgId, metric: split.metric_id },
    );
    if (metric === undefined)
      throw invalid(`split.metric_id: expected a metric of this organisation, got ${shown(split.metric_id)}`);
    if (metric.label_key === null)
      throw invalid('split.metric_id: expected a metric with a label key, got one without');
    for (const [label, id] of Object.entries(split.labels)) check(`labels.${label}`, id);
  }
};

const storeVersion = async (
  session: Session,
  orgId: string,
  sharedCost: SharedCost,
  version: By & { newest: string | null; deleted: boolean },
): Promise<void> => {
  const user = { type: 'shared cost', id: sharedCost.id } as const;
  const picks = version.deleted ? [] : sharedCost.spend;
  if (!version.deleted) await checkSplit(session, orgId, sharedCost.split);
  await refuseOwnedPicks(session, orgId, user, picks);
  await storePicks(session, orgId, user, picks, version.now, () =>
    session.run(
      `INSERT INTO shared_cost_versions BY NAME
        SELECT $org AS org_id, $id AS shared_cost_id, $version::UUID AS version_id, $name AS name, $spend::JSON AS spend,
          $split::JSON AS split, $deleted::BOOLEAN AS deleted, $now::TIMESTAMP AS changed_at, $key AS changed_by`,
      {
        org: orgId,
        id: sharedCost.id,
        version: idAfter(version.newest),
        name: sharedCost.name,
        spend: JSON.stringify(sharedCost.spend),
        split: JSON.stringify(sharedCost.split),
        deleted: version.deleted,
        now: version.now.toISOString(),
        key: version.keyId,
      },
    ),
  );
};
