import type { Session } from '../engine/session.ts';

/** Returns those of some ids that are teams of the organisation. */
export async function existingTeams(
  session: Session,
  orgId: string,
  teamIds: readonly string[],
): Promise<Set<string>> {
  const rows = await session.query<{ team_id: string }>(
    'SELECT team_id FROM teams WHERE org_id = $org AND list_contains($teams, team_id)',
    { org: orgId, teams: teamIds },
  );
  return new Set(rows.map(({ team_id }) => team_id));
}
