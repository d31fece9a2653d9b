import { conflict } from '../../../domain/shared/errors.ts';
import { cut } from '../../../domain/shared/text/for-message.ts';
import { pickWords } from '../../../domain/spend/pick-words.ts';
import { pickIdentity, type SpendPick } from '../../../domain/spend/spend-pick.ts';
import type { Session } from '../../engine/session.ts';
import { picksField, type SpendUser } from './spend-choices.ts';

/** Most characters of a pick in a message. */
const LONGEST = 200;

const OTHERS = {
  team: 'SELECT name, ownership AS picks FROM teams WHERE org_id = $org AND team_id <> $id ORDER BY team_id',
  'shared cost':
    'SELECT name, spend AS picks FROM shared_costs WHERE org_id = $org AND shared_cost_id <> $id ORDER BY shared_cost_id',
} as const;

/**
 * Throws a conflict, with the other owner, for a pick that another team (or another shared cost) has already. A team and a
 * shared cost may have the same pick; then the shared cost gets the spend (docs/concepts.md#teams-and-owners).
 */
export async function refuseOwnedPicks(
  session: Session,
  orgId: string,
  user: Owner,
  picks: readonly SpendPick[],
): Promise<void> {
  const [first] = await ownedPickConflicts(session, orgId, user, picks);
  if (first !== undefined) throw conflict(first);
}

/** A team or shared cost whose picks change. */
type Owner = SpendUser & { type: keyof typeof OTHERS };

/** Returns these conflicts, as messages. */
export async function ownedPickConflicts(
  session: Session,
  orgId: string,
  user: Owner,
  picks: readonly SpendPick[],
): Promise<string[]> {
  if (picks.length === 0) return [];
  const others = await session.query<{ name: string; picks: string }>(OTHERS[user.type], {
    org: orgId,
    id: user.id,
  });
  const owners = new Map(
    others.flatMap(({ name, picks: owned }) =>
      (JSON.parse(owned) as SpendPick[]).map((pick) => [pickIdentity(pick), name] as const),
    ),
  );
  const has = user.type === 'team' ? 'is owned by' : 'is covered by';
  return picks.flatMap((pick, index) => {
    const owner = owners.get(pickIdentity(pick));
    if (owner === undefined) return [];
    return `${picksField(user)}[${index}]: ${cut(pickWords(pick), LONGEST)} ${has} ${user.type} ${JSON.stringify(owner)} already`;
  });
}
