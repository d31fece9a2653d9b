import { z } from 'zod';
import { found } from '../http/found.ts';
import { updateOrganisation } from '../../warehouse/organisations/organisations.ts';
import { callerOf, changeBy } from '../access/authentication.ts';
import type { ApiDependencies } from '../http/dependencies.ts';
import { name, organisation, settleDays } from '../http/fields.ts';
import { success, successOf } from '../routes/bodies.ts';
import { route, tagged, type Asked } from '../routes/route.ts';
import { without } from '../http/defined-fields.ts';

const changes = z.strictObject({ name: name.optional(), settle_days: settleDays.optional() });

const getOrganisation = (request: Asked) => success(callerOf(request).organisation);

async function patchOrganisation(
  request: Asked<{ body: typeof changes }>,
  { warehouse, clock }: ApiDependencies,
) {
  const caller = callerOf(request);
  const { id } = caller.organisation;
  const by = changeBy(caller, clock.now());
  const changed = await updateOrganisation(warehouse, id, without(request.body, undefined), by);
  return success(found('organisation', id, changed));
}

/** `/organisation`: the organisation of the caller. */
export const organisationRoutes = tagged('Organisation', [
  route('GET /organisation', {
    access: 'read',
    operationId: 'getOrganisation',
    summary: 'The organisation of the key',
    answer: successOf(organisation),
    handle: getOrganisation,
  }),
  route('PATCH /organisation', {
    access: 'admin',
    operationId: 'updateOrganisation',
    summary: 'Change the name, or how long bills take to settle',
    body: changes,
    answer: successOf(organisation),
    handle: patchOrganisation,
  }),
]);
