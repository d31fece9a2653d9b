import { z } from 'zod';
import { invalid } from '../../domain/shared/errors.ts';
import { newId } from '../../warehouse/engine/sql/ids.ts';
import { createKey, listKeys, revokeKey } from '../../warehouse/organisations/api-keys.ts';
import { audit } from '../../warehouse/engine/records/audit-log.ts';
import type { By } from '../../warehouse/engine/records/versioned-records.ts';
import type { Session } from '../../warehouse/engine/session.ts';
import type { Warehouse } from '../../warehouse/engine/warehouse.ts';
import { newSecret } from '../access/api-key.ts';
import { callerOf, changeBy } from '../access/authentication.ts';
import type { ApiDependencies } from '../http/dependencies.ts';
import { instant, name, permission } from '../http/fields.ts';
import { found } from '../http/found.ts';
import { page, pageQuery } from '../http/paging.ts';
import { noBody, pageOf, success, successOf } from '../routes/bodies.ts';
import { route, tagged, type Asked, type AskedById } from '../routes/route.ts';

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

/** Stores a new key, and records it in the audit log. Returns it with its secret, which nobody can read again. */
export async function issueKey(
  session: Session,
  orgId: string,
  key: Pick<z.infer<typeof keyRecord>, 'name' | 'permission' | 'expires_at'>,
  { actor, now }: By,
): Promise<z.infer<typeof newKeyRecord>> {
  const id = newId('key');
  const { secret, secretHash } = newSecret(id);
  await createKey(session, orgId, { id, ...key, secretHash }, now);
  await audit(session, orgId, { actor, action: 'key.create', target: id, detail: { ...key } }, now);
  return { id, ...key, created_at: now.toISOString(), last_used_at: null, revoked_at: null, secret };
}

/** Revokes a key at once, and records it in the audit log. See {@link revokeKey}. */
export const revoke = (
  warehouse: Warehouse,
  orgId: string,
  keyId: string,
  { actor, now }: By,
  options?: Parameters<typeof revokeKey>[5],
) =>
  revokeKey(
    warehouse,
    orgId,
    keyId,
    now,
    (session, { id, name }) =>
      audit(session, orgId, { actor, action: 'key.revoke', target: id, detail: { name } }, now),
    options,
  );

const newKey = z.strictObject({
  name,
  permission,
  expires_at: z.iso
    .datetime({ offset: true, error: 'expected an instant such as "2027-01-31T00:00:00Z"' })
    .nullish(),
});

const getKeys = (request: Asked<{ query: typeof pageQuery }>, { warehouse }: ApiDependencies) =>
  page(
    request.query,
    z.string(),
    (part) => listKeys(warehouse, callerOf(request).organisation.id, part),
    ({ id }) => id,
  );

async function postKey(request: Asked<{ body: typeof newKey }>, { warehouse, clock }: ApiDependencies) {
  const caller = callerOf(request);
  const now = clock.now();
  const { name, permission } = request.body;
  const expires_at = request.body.expires_at ? new Date(request.body.expires_at).toISOString() : null;
  if (expires_at !== null && Date.parse(expires_at) <= now.getTime()) {
    throw invalid(
      `expires_at: expected an instant in the future, got ${JSON.stringify(request.body.expires_at)}`,
    );
  }
  // A UTC offset can move the last instants of the year 9999 into the next one.
  if (expires_at?.startsWith('+') === true) {
    throw invalid(
      `expires_at: expected an instant before the year 10000, got ${JSON.stringify(request.body.expires_at)}`,
    );
  }
  const created = await warehouse.transaction((session) =>
    issueKey(session, caller.organisation.id, { name, permission, expires_at }, changeBy(caller, now)),
  );
  return success(created);
}

async function deleteKey(request: AskedById, { warehouse, clock }: ApiDependencies) {
  const caller = callerOf(request);
  const { id } = request.params;
  const by = changeBy(caller, clock.now());
  return success(found('key', id, await revoke(warehouse, caller.organisation.id, id, by)));
}

/** `/keys`: the keys of an organisation (docs/http.md#manage-keys). */
export const keyRoutes = tagged('Keys', [
  route('GET /keys', {
    access: 'admin',
    operationId: 'listKeys',
    summary: 'List keys',
    query: pageQuery,
    answer: pageOf(keyRecord),
    handle: getKeys,
  }),
  route('POST /keys', {
    access: 'admin',
    operationId: 'createKey',
    summary: 'Create a key; its secret is shown this once',
    body: newKey,
    answer: successOf(newKeyRecord),
    handle: postKey,
  }),
  route('DELETE /keys/:id', {
    access: 'admin',
    operationId: 'revokeKey',
    summary: 'Revoke a key at once',
    errors: [409],
    body: noBody,
    answer: successOf(keyRecord),
    handle: deleteKey,
  }),
]);
