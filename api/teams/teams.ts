import { z } from 'zod';
import { pickWarnings } from '../../warehouse/spend/picks/pick-warnings.ts';
import { createTeam, findTeam, listTeams, updateTeam, type Team } from '../../warehouse/teams/teams.ts';
import { callerOf, changeBy, type Caller } from '../access/authentication.ts';
import { requested } from '../access/requested.ts';
import type { ApiDependencies } from '../http/dependencies.ts';
import { idParams, name } from '../http/fields.ts';
import { found } from '../http/found.ts';
import { namedPageQuery, page } from '../http/paging.ts';
import { answers, answersPage, noBody, success } from '../routes/route-schema.ts';
import type { Api } from '../http/api-type.ts';
import { ownedPicks, spendPickRecord, warned } from '../spend/pick-fields.ts';
import { without } from '../http/defined-fields.ts';

const teamRecord = z
  .object({ id: z.string(), name: z.string(), ownership: z.array(spendPickRecord) })
  .meta({ id: 'Team' });

const ACCESS = {
  read: { access: 'read', feature: 'unit_economics' },
  admin: { access: 'admin', feature: 'unit_economics', changesNumbers: true },
} as const;

/** `…/teams`: teams and what they own. */
export function teamRoutes(app: Api, dependencies: ApiDependencies): void {
  const { warehouse, clock } = dependencies;

  const change = async (
    caller: Caller,
    id: string,
    changes: Parameters<typeof updateTeam>[3],
  ): Promise<Team> => {
    const by = changeBy(caller, clock.now());
    return found('team', id, await updateTeam(warehouse, caller.organisation.id, id, changes, by));
  };
  const withWarnings = async (caller: Caller, team: Team) =>
    success({
      ...team,
      warnings: await pickWarnings(warehouse, caller.organisation.id, team.ownership, clock.now()),
    });

  app.get(
    '/teams',
    {
      config: ACCESS.read,
      schema: answersPage(teamRecord, {
        operationId: 'listTeams',
        tag: 'Teams',
        summary: 'List teams',
        querystring: namedPageQuery,
      }),
    },
    (request) =>
      page(
        request.query,
        z.string(),
        (part) =>
          listTeams(warehouse, callerOf(request).organisation.id, { ...part, name: request.query.name }),
        ({ id }) => id,
      ),
  );

  app.post(
    '/teams',
    {
      config: ACCESS.admin,
      schema: answers(teamRecord.extend(warned), {
        operationId: 'createTeam',
        tag: 'Teams',
        summary: 'Make a team',
        body: z.strictObject({ name, ownership: ownedPicks(0).default([]) }),
        errors: [409],
      }),
    },
    async (request) => {
      const caller = callerOf(request);
      const by = changeBy(caller, clock.now());
      return withWarnings(caller, await createTeam(warehouse, caller.organisation.id, request.body, by));
    },
  );

  app.get(
    '/teams/:id',
    {
      config: ACCESS.read,
      schema: answers(teamRecord, {
        operationId: 'getTeam',
        tag: 'Teams',
        summary: 'One team',
        params: idParams,
        errors: [404],
      }),
    },
    async (request) => {
      return success(await requested('team', findTeam, warehouse, request));
    },
  );

  app.patch(
    '/teams/:id',
    {
      config: ACCESS.admin,
      schema: answers(teamRecord, {
        operationId: 'updateTeam',
        tag: 'Teams',
        summary: 'Rename a team',
        params: idParams,
        body: z.strictObject({ name: name.optional() }),
        errors: [404, 409],
      }),
    },
    async (request) =>
      success(await change(callerOf(request), request.params.id, without(request.body, undefined))),
  );

  app.put(
    '/teams/:id/ownership',
    {
      config: ACCESS.admin,
      schema: answers(teamRecord.extend(warned), {
        operationId: 'setTeamOwnership',
        tag: 'Teams',
        summary: 'Set what a team owns; the most specific owner has a dollar',
        description:
          'Workload over namespace, service over host, service or resource group over tag over account; of equals a shared cost.',
        params: idParams,
        body: z.strictObject({ ownership: ownedPicks(0) }),
        errors: [404, 409],
      }),
    },
    async (request) => {
      const caller = callerOf(request);
      return withWarnings(caller, await change(caller, request.params.id, request.body));
    },
  );

  app.delete(
    '/teams/:id',
    {
      config: ACCESS.admin,
      schema: answers(teamRecord, {
        operationId: 'deleteTeam',
        tag: 'Teams',
        summary: 'Delete a team that no shared cost and no metric refers to',
        params: idParams,
        body: noBody,
        errors: [404, 409],
      }),
    },
    async (request) => success(await change(callerOf(request), request.params.id, 'delete')),
  );
}
