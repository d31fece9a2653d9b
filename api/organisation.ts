import { z } from 'zod';
import { notFound } from '../domain/errors.ts';
import { updateOrganisation } from '../warehouse/organisations.ts';
import { callerOf } from './authentication.ts';
import type { ApiDependencies } from './dependencies.ts';
import { name, organisation, settleDays } from './fields.ts';
import { answers, success } from './route-schema.ts';
import type { Api } from './server.ts';
import { without } from './without.ts';

/** `GET` and `PATCH /organisation`. */
export const organisationRoutes = (app: Api, { warehouse, clock }: ApiDependencies): void => {
  app.get(
    '/organisation',
    {
      config: { access: 'read' },
      schema: answers(organisation, { tag: 'Organisation', summary: 'The organisation of the key' }),
    },
    (request) => success(callerOf(request).organisation),
  );

  app.patch(
    '/organisation',
    {
      config: { access: 'admin' },
      schema: answers(organisation, {
        tag: 'Organisation',
        summary: 'Change the name, or how long bills take to settle',
        body: z.strictObject({ name: name.optional(), settle_days: settleDays.optional() }),
      }),
    },
    async (request) => {
      const { organisation, key } = callerOf(request);
      const { id } = organisation;
      const by = { actor: { type: 'key', id: key.id, name: key.name }, now: clock.now() } as const;
      const updated = await updateOrganisation(warehouse, id, without(request.body, undefined), by);
      if (updated === null) throw notFound('organisation', id);
      return success(updated);
    },
  );
};
