import { invalid } from '../../domain/shared/errors.ts';
import { forMessage } from '../../domain/shared/text/for-message.ts';
import { teamsOfSplit, type Split } from '../../domain/teams/shared-cost.ts';
import type { SpendPick } from '../../domain/spend/spend-pick.ts';
import { newId } from '../engine/sql/ids.ts';
import { refuseOwnedPicks } from '../spend/picks/owned-picks.ts';
import type { Session } from '../engine/session.ts';
import { spendChoicesLock, storePicks } from '../spend/picks/spend-choices.ts';
import { Versions, type By, type NextVersion } from '../engine/records/versioned-records.ts';
import type { Warehouse } from '../engine/warehouse.ts';

/** Spend that several teams share, and its split (docs/http.md#teams-and-bills). */
export interface SharedCost {
  id: string;
  name: string;
  spend: SpendPick[];
  split: Split;
}

/**
 * The shared costs of organisations. A change throws `invalid` for a split by unknown teams or an unknown metric. It throws a
 * conflict for a pick that another shared cost covers, and for a pick by another tag key or split than is in use.
 */
export const SHARED_COSTS = new Versions<SharedCost>({
  name: 'shared_cost',
  view: 'shared_costs',
  idColumn: 'shared_cost_id',
  columns: { name: 'VARCHAR', spend: 'JSON', split: 'JSON' },
  locks: (orgId) => [spendChoicesLock(orgId)],
  around: storeWithSpend,
});

export const createSharedCost = (
  warehouse: Warehouse,
  orgId: string,
  sharedCost: Omit<SharedCost, 'id'>,
  by: By,
): Promise<SharedCost> => SHARED_COSTS.create(warehouse, orgId, { id: newId('shc'), ...sharedCost }, by);

async function storeWithSpend(
  session: Session,
  orgId: string,
  { thing, before, deleted, now }: NextVersion<SharedCost>,
  store: () => Promise<void>,
): Promise<void> {
  const user = { type: 'shared cost', id: thing.id } as const;
  const picks = deleted ? [] : thing.spend;
  if (!deleted) await checkSplit(session, orgId, thing.split);
  await refuseOwnedPicks(session, orgId, user, picks);
  await storePicks(session, orgId, user, { before: before?.spend ?? [], picks }, now, store);
}

/** Throws, with the field, for an unknown team, and for a metric that cannot split a month. */
async function checkSplit(session: Session, orgId: string, split: Split): Promise<void> {
  const named = await session.query<{ team_id: string }>(
    'SELECT team_id FROM teams WHERE org_id = $org AND list_contains($teams, team_id)',
    { org: orgId, teams: teamsOfSplit(split) },
  );
  const teams = new Set(named.map(({ team_id }) => team_id));
  const check = (field: string, teamId: string): void => {
    if (!teams.has(teamId))
      throw invalid(`split.${field}: expected a team of this organisation, got ${forMessage(teamId)}`);
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
      throw invalid(
        `split.metric_id: expected a metric of this organisation, got ${forMessage(split.metric_id)}`,
      );
    if (metric.label_key === null)
      throw invalid('split.metric_id: expected a metric with a label key, got one without');
    for (const [label, id] of Object.entries(split.labels)) check(`labels.${label}`, id);
  }
}
