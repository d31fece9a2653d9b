import { z } from 'zod';
import { invalid, notFound } from '../domain/errors.ts';
import { createKey, listKeys, newKeyId, revokeKey } from '../warehouse/api-keys.ts';
import { audit } from '../warehouse/audit-log.ts';
import { newSecret } from './api-key.ts';
import { callerOf } from './authentication.ts';
import type { ApiDependencies } from './dependencies.ts';
import { idParams, instant, name, permission } from './fields.ts';
import { page, pageQuery } from './paging.ts';
import { answers, answersPage, noBody, success } from './route-schema.ts';
import type { Api } from './server.ts';

export const keyRecord = z
  .object({
    id: z.string(),
    name: z.string(),
    permission,
    expires_at: instant.nullable(),
    created_at: instant,
    last_used_at: instant.nullable(),
    revoked_at: instant.nullable(),
  })
  .meta({ id: 'Key' });

export const newKeyRecord = keyRecord.extend({ secret: z.string().describe('Shown in this answer only') });

/** `GET`, `POST /keys` and `DELETE /keys/{id}` (spec §5). */
export const keyRoutes = (app: Api, { warehouse, clock }: ApiDependencies): void => {
  app.get(
    '/keys',
    {
      config: { access: 'admin' },
      schema: answersPage(keyRecord, { tag: 'Keys', summary: 'List keys', querystring: pageQuery }),
    },
    (request) =>
      page(
        request.query,
        z.string(),
        (part) => listKeys(warehouse, callerOf(request).organisation.id, part),
        ({ id }) => id,
      ),
  );

  app.post(
    '/keys',
    {
      config: { access: 'admin' },
      schema: answers(newKeyRecord, {
        tag: 'Keys',
        summary: 'Create a key; its secret is shown this once',
        body: z.strictObject({
          name,
          permission,
          expires_at: z.iso
            .datetime({ offset: true, error: 'expected an instant such as "2027-01-31T00:00:00Z"' })
            .nullish(),
        }),
      }),
    },
    async (request) => {
      const { organisation, key } = callerOf(request);
      const now = clock.now();
      const { name, permission } = request.body;
      const expires_at = request.body.expires_at ? new Date(request.body.expires_at).toISOString() : null;
      if (expires_at !== null && Date.parse(expires_at) <= now.getTime()) {
        throw invalid(
          `expires_at: expected an instant in the future, got ${JSON.stringify(request.body.expires_at)}`,
        );
      }
      const id = newKeyId();
      const { secret, secretHash } = newSecret(id);
      await warehouse.transaction(async (session) => {
        await createKey(session, organisation.id, { id, name, permission, expires_at, secretHash }, now);
        const actor = { type: 'key', id: key.id, name: key.name } as const;
        await audit(
          session,
          organisation.id,
          { actor, action: 'key.create', target: id, detail: { name, permission, expires_at } },
          now,
        );
      });
      return success({
        id,
        name,
        permission,
        expires_at,
        created_at: now.toISOString(),
        last_used_at: null,
        revoked_at: null,
        secret,
      });
    },
  );

  app.delete(
    '/keys/:id',
    {
      config: { access: 'admin' },
      schema: answers(keyRecord, {
        tag: 'Keys',
        summary: 'Revoke a key at once',
        body: noBody,
        params: idParams,
        errors: [404, 409],
      }),
    },
    async (request) => {
      const { organisation, key } = callerOf(request);
      const now = clock.now();
      const revoked = await revokeKey(
        warehouse,
        organisation.id,
        request.params.id,
        now,
        (session, { id, name }) =>
          audit(
            session,
            organisation.id,
            {
              actor: { type: 'key', id: key.id, name: key.name },
              action: 'key.revoke',
              target: id,
              detail: { name },
            },
            now,
          ),
      );
      if (revoked === null) throw notFound('key', request.params.id);
      return success(revoked);
    },
  );
};
