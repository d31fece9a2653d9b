import { z } from 'zod';
import {
  contentsOfOrganisation,
  listDeletions,
} from '../../warehouse/organisations/deleted-organisations.ts';
import { findOrganisation } from '../../warehouse/organisations/organisations.ts';
import type { Api } from '../http/api-type.ts';
import type { ApiDependencies } from '../http/dependencies.ts';
import { idParams, instant, organisation } from '../http/fields.ts';
import { found } from '../http/found.ts';
import { answers, noBody, success } from '../routes/route-schema.ts';

/** An organisation, and how much it has. */
export const organisationContents = organisation
  .extend({
    keys: z.number().describe('Keys that were not revoked'),
    cost_sources: z.number(),
    metrics: z.number(),
    locked_months: z.number().describe('Locked months of all metrics'),
  })
  .meta({ id: 'OrganisationContents' });

/** The deletion of an organisation, which is all that stays of it. */
export const organisationDeletion = z
  .object({
    organisation: z.string().describe('The id of the deleted organisation. No other organisation gets it'),
    deleted_by: z.object({ type: z.string(), id: z.string(), name: z.string() }),
    requested_at: instant.describe('When its keys and sessions ended'),
    completed_at: instant
      .nullable()
      .describe(
        'When nothing of it was left; null if the deletion has stopped before. The next start goes on with it, or another request',
      ),
  })
  .meta({ id: 'OrganisationDeletion' });

/** The routes by which the operator sees what an organisation has, deletes it with all its data, and lists deletions. */
export function deletionRoutes(app: Api, { warehouse, deleteOrganisation }: ApiDependencies): void {
  app.get(
    '/organisations/:id',
    {
      schema: answers(organisationContents, {
        operationId: 'getOrganisationContents',
        tag: 'Operator',
        caller: 'operator',
        summary: 'An organisation, and how much it has',
        params: idParams,
        errors: [404],
      }),
    },
    async (request) => {
      const { id } = request.params;
      const known = found('organisation', id, await findOrganisation(warehouse, id));
      return success({ ...known, ...(await contentsOfOrganisation(warehouse, id)) });
    },
  );

  app.delete(
    '/organisations/:id',
    {
      schema: answers(organisationDeletion, {
        operationId: 'deleteOrganisation',
        tag: 'Operator',
        caller: 'operator',
        summary: 'Delete an organisation with all its data; its keys end at once',
        body: noBody,
        params: idParams,
        errors: [404],
      }),
    },
    async ({ params: { id } }) => success(found('organisation', id, await deleteOrganisation(id))),
  );

  app.get(
    '/deletions',
    {
      schema: answers(z.array(organisationDeletion), {
        operationId: 'listOrganisationDeletions',
        tag: 'Operator',
        caller: 'operator',
        summary: 'Who has deleted which organisation, and when',
      }),
    },
    async () => success(await listDeletions(warehouse)),
  );
}
