import { z } from 'zod';
import {
  contentsOfOrganisation,
  listDeletions,
} from '../../warehouse/organisations/deleted-organisations.ts';
import { findOrganisation } from '../../warehouse/organisations/organisations.ts';
import type { ApiDependencies } from '../http/dependencies.ts';
import { instant, organisation } from '../http/fields.ts';
import { found } from '../http/found.ts';
import { noBody, success, successOf } from '../routes/bodies.ts';
import { route, tagged, type Asked, type AskedById } from '../routes/route.ts';

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

async function getContents(request: AskedById, { warehouse }: ApiDependencies) {
  const { id } = request.params;
  const known = found('organisation', id, await findOrganisation(warehouse, id));
  return success({ ...known, ...(await contentsOfOrganisation(warehouse, id)) });
}

const deleteOne = async ({ params: { id } }: AskedById, { deleteOrganisation }: ApiDependencies) =>
  success(found('organisation', id, await deleteOrganisation(id)));

const getDeletions = async (_request: Asked, { warehouse }: ApiDependencies) =>
  success(await listDeletions(warehouse));

/** What an organisation has, its deletion with all its data, and all deletions. */
export const deletionRoutes = tagged('Operator', [
  route('GET /organisations/:id', {
    access: 'operator',
    operationId: 'getOrganisationContents',
    summary: 'An organisation, and how much it has',
    answer: successOf(organisationContents),
    handle: getContents,
  }),
  route('DELETE /organisations/:id', {
    access: 'operator',
    operationId: 'deleteOrganisation',
    summary: 'Delete an organisation with all its data; its keys end at once',
    body: noBody,
    answer: successOf(organisationDeletion),
    handle: deleteOne,
  }),
  route('GET /deletions', {
    access: 'operator',
    operationId: 'listOrganisationDeletions',
    summary: 'Who has deleted which organisation, and when',
    answer: successOf(z.array(organisationDeletion)),
    handle: getDeletions,
  }),
]);
