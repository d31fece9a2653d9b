import { z } from 'zod';
import { found } from '../http/found.ts';
import { updateOrganisation } from '../../warehouse/organisations/organisations.ts';
import { callerOf, changeBy } from '../access/authentication.ts';
import type { ApiDependencies } from '../http/dependencies.ts';
import { name, organisation, settleDays } from '../http/fields.ts';
import { answers, success } from '../routes/route-schema.ts';
import type { Api } from '../http/api-type.ts';
import { without } from '../http/defined-fields.ts';

/** `GET` and `PATCH /organisation`. */
export function organisationRoutes(app: Api, { warehouse, clock }: ApiDependencies): void {
  app.get(
    '/organisation',
    {
      config: { access: 'read' },
      schema: answers(organisation, {
        operationId: 'getOrganisation',
        tag: 'Organisation',
        summary: 'The organisation of the key',
      }),
    },
    (request) => success(callerOf(request).organisation),
  );

  app.patch(
    '/organisation',
    {
      config: { access: 'admin' },
      schema: answers(organisation, {
        operationId: 'updateOrganisation',
        tag: 'Organisation',
        summary: 'Change the name, or how long bills take to settle',
        body: z.strictObject({ name: name.optional(), settle_days: settleDays.optional() }),
      }),
    },
    async (request) => {
      const caller = callerOf(request);
      const { id } = caller.organisation;
      const by = changeBy(caller, clock.now());
      return success(
        found(
          'organisation',
          id,
          await updateOrganisation(warehouse, id, without(request.body, undefined), by),
        ),
      );
    },
  );
}
