import { z } from 'zod';
import type { Organisation } from '../../warehouse/organisations/organisations.ts';
import { pickWarnings } from '../../warehouse/spend/picks/pick-warnings.ts';
import { createTeam, TEAMS, type Team } from '../../warehouse/teams/teams.ts';
import { callerOf, changeBy } from '../access/authentication.ts';
import { requested } from '../access/requested.ts';
import type { ApiDependencies } from '../http/dependencies.ts';
import type { idParams } from '../http/fields.ts';
import { name } from '../http/fields.ts';
import { found } from '../http/found.ts';
import { namedPageQuery, page } from '../http/paging.ts';
import { noBody, pageOf, success, successOf } from '../routes/bodies.ts';
import { route, tagged, type Asked, type AskedById } from '../routes/route.ts';
import { ownedPicks, spendPickRecord, warned } from '../spend/pick-fields.ts';
import { without } from '../http/defined-fields.ts';

const teamRecord = z
  .object({ id: z.string(), name: z.string(), ownership: z.array(spendPickRecord) })
  .meta({ id: 'Team' });

const newTeam = z.strictObject({ name, ownership: ownedPicks(0).default([]) });
const newName = z.strictObject({ name: name.optional() });
const newOwnership = z.strictObject({ ownership: ownedPicks(0) });

async function change(
  request: AskedById,
  { warehouse, clock }: ApiDependencies,
  changes: Partial<Team> | 'delete',
): Promise<Team> {
  const caller = callerOf(request);
  const { id } = request.params;
  const by = changeBy(caller, clock.now());
  return found('team', id, await TEAMS.change(warehouse, caller.organisation.id, id, changes, by));
}

async function withWarnings({ id: orgId }: Organisation, team: Team, { warehouse, clock }: ApiDependencies) {
  const warnings = await pickWarnings(warehouse, orgId, team.ownership, clock.now());
  return success({ ...team, warnings });
}

const getTeams = (request: Asked<{ query: typeof namedPageQuery }>, { warehouse }: ApiDependencies) =>
  page(
    request.query,
    z.string(),
    (part) => TEAMS.list(warehouse, callerOf(request).organisation.id, { ...part, name: request.query.name }),
    ({ id }) => id,
  );

async function postTeam(request: Asked<{ body: typeof newTeam }>, dependencies: ApiDependencies) {
  const caller = callerOf(request);
  const by = changeBy(caller, dependencies.clock.now());
  const team = await createTeam(dependencies.warehouse, caller.organisation.id, request.body, by);
  return withWarnings(caller.organisation, team, dependencies);
}

const getTeam = async (request: AskedById, { warehouse }: ApiDependencies) =>
  success(await requested('team', TEAMS, warehouse, request));

const patchTeam = async (
  request: Asked<{ params: typeof idParams; body: typeof newName }>,
  dependencies: ApiDependencies,
) => success(await change(request, dependencies, without(request.body, undefined)));

async function putOwnership(
  request: Asked<{ params: typeof idParams; body: typeof newOwnership }>,
  dependencies: ApiDependencies,
) {
  const team = await change(request, dependencies, request.body);
  return withWarnings(callerOf(request).organisation, team, dependencies);
}

const deleteTeam = async (request: AskedById, dependencies: ApiDependencies) =>
  success(await change(request, dependencies, 'delete'));

/** `/teams`: teams and what they own. */
export const teamRoutes = tagged({ tag: 'Teams', plan: 'unit_economics' }, [
  route('GET /teams', {
    access: 'read',
    operationId: 'listTeams',
    summary: 'List teams',
    query: namedPageQuery,
    answer: pageOf(teamRecord),
    handle: getTeams,
  }),
  route('POST /teams', {
    access: 'admin',
    changesNumbers: true,
    operationId: 'createTeam',
    summary: 'Make a team',
    errors: [409],
    body: newTeam,
    answer: successOf(teamRecord.extend(warned)),
    handle: postTeam,
  }),
  route('GET /teams/:id', {
    access: 'read',
    operationId: 'getTeam',
    summary: 'One team',
    answer: successOf(teamRecord),
    handle: getTeam,
  }),
  route('PATCH /teams/:id', {
    access: 'admin',
    changesNumbers: true,
    operationId: 'updateTeam',
    summary: 'Rename a team',
    errors: [409],
    body: newName,
    answer: successOf(teamRecord),
    handle: patchTeam,
  }),
  route('PUT /teams/:id/ownership', {
    access: 'admin',
    changesNumbers: true,
    operationId: 'setTeamOwnership',
    summary: 'Set what a team owns; the most specific owner has a dollar',
    description:
      'Workload over namespace, service over host, service or resource group over tag over account; of equals a shared cost.',
    errors: [409],
    body: newOwnership,
    answer: successOf(teamRecord.extend(warned)),
    handle: putOwnership,
  }),
  route('DELETE /teams/:id', {
    access: 'admin',
    changesNumbers: true,
    operationId: 'deleteTeam',
    summary: 'Delete a team that no shared cost and no metric refers to',
    errors: [409],
    body: noBody,
    answer: successOf(teamRecord),
    handle: deleteTeam,
  }),
]);
