import { createHash, timingSafeEqual } from 'node:crypto';
import { z } from 'zod';
import { OPERATOR } from '../../domain/organisations/actor.ts';
import { unauthenticated } from '../../domain/shared/errors.ts';
import { newId } from '../../warehouse/engine/sql/ids.ts';
import { audit } from '../../warehouse/engine/records/audit-log.ts';
import {
  createOrganisation,
  findOrganisation,
  listOrganisations,
  ORGANISATION_NAMES,
  refuseTakenName,
  updateOrganisation,
} from '../../warehouse/organisations/organisations.ts';
import type { ApiDependencies } from '../http/dependencies.ts';
import type { idParams } from '../http/fields.ts';
import { currency, name, organisation, settleDays, tier } from '../http/fields.ts';
import { found } from '../http/found.ts';
import { issueKey, keyRecord, newKeyRecord, revoke } from '../organisations/keys.ts';
import { noBody, success, successOf } from '../routes/bodies.ts';
import { route, tagged, type Asked } from '../routes/route.ts';
import type { Api } from '../http/api-type.ts';
import { without } from '../http/defined-fields.ts';

const DEFAULT_SETTLE_DAYS = 5;

/** An admin key that never expires. */
const adminKey = (keyName: string) => ({ name: keyName, permission: 'admin' as const, expires_at: null });

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();

/** A new organisation with its admin key, which the operator sees only once. */
export const createdOrganisation = z.object({
  organisation,
  key: newKeyRecord,
  source_folder: z.string().describe('Where its local exports belong: relative locations begin there'),
});

const newOrganisation = z.strictObject({
  name,
  tier: tier.default('enterprise'),
  currency,
  settle_days: settleDays.optional(),
});
const changes = z.strictObject({
  name: name.optional(),
  tier: tier.optional(),
  settle_days: settleDays.optional(),
});
const newKey = z.strictObject({ name: name.optional() }).nullish();
const keyParams = z.strictObject({ id: z.string(), key_id: z.string() });

/** Rejects every request of a scope without the operator's key (docs/http.md#as-the-operator). */
export function requireOperator(app: Api, operatorKey: string): void {
  const expected = digest(operatorKey);
  app.addHook('onRequest', async (request) => {
    const key = request.headers['x-operator-key'];
    if (typeof key !== 'string' || !timingSafeEqual(digest(key), expected)) {
      throw unauthenticated(
        'X-Operator-Key: expected the operator key (OPERATOR_KEY, or operator.key in the data directory)',
      );
    }
  });
}

async function postOrganisation(
  request: Asked<{ body: typeof newOrganisation }>,
  { warehouse, orchestration, clock, makeSourceFolder }: ApiDependencies,
) {
  const now = clock.now();
  const orgId = newId('org');
  await refuseTakenName(warehouse, request.body.name);
  // The repeatable steps come first, so that no organisation is stored without its daily schedules and folder.
  await orchestration.scheduleOrganisation(orgId, request.body.name);
  const source_folder = await makeSourceFolder(orgId);
  const by = { actor: OPERATOR, now };
  const created = await warehouse.lockedTransaction([ORGANISATION_NAMES], async (session) => {
    await refuseTakenName(session, request.body.name);
    const { settle_days = DEFAULT_SETTLE_DAYS, ...asked } = request.body;
    const stored = await createOrganisation(session, { ...asked, settle_days }, now, orgId);
    await audit(
      session,
      orgId,
      { actor: OPERATOR, action: 'organisation.create', target: orgId, detail: asked },
      now,
    );
    const key = await issueKey(session, orgId, adminKey('First admin key'), by);
    return { organisation: stored, key, source_folder };
  });
  return success(created);
}

const getOrganisations = async (_request: Asked, { warehouse }: ApiDependencies) =>
  success(await listOrganisations(warehouse));

async function patchOrganisation(
  request: Asked<{ params: typeof idParams; body: typeof changes }>,
  { warehouse, orchestration, clock }: ApiDependencies,
) {
  const by = { actor: OPERATOR, now: clock.now() };
  const { id } = request.params;
  const changed = await updateOrganisation(warehouse, id, without(request.body, undefined), by);
  const updated = found('organisation', id, changed);
  // Events of the time without unit economics are raised now. If this fails, the daily settlement raises them.
  if (request.body.tier !== undefined)
    await orchestration.numbersChanged(updated.id).catch((error: unknown) => {
      request.log.warn(
        { err: error, organisation: updated.id },
        'the evaluation of events could not be started',
      );
    });
  return success(updated);
}

async function postKey(
  request: Asked<{ params: typeof idParams; body: typeof newKey }>,
  { warehouse, clock }: ApiDependencies,
) {
  const { id } = request.params;
  found('organisation', id, await findOrganisation(warehouse, id));
  const key = adminKey(request.body?.name ?? 'Admin key of the operator');
  const by = { actor: OPERATOR, now: clock.now() };
  return success(await warehouse.transaction((session) => issueKey(session, id, key, by)));
}

async function deleteKey(
  request: Asked<{ params: typeof keyParams }>,
  { warehouse, clock }: ApiDependencies,
) {
  const { id, key_id: keyId } = request.params;
  found('organisation', id, await findOrganisation(warehouse, id));
  const by = { actor: OPERATOR, now: clock.now() };
  return success(found('key', keyId, await revoke(warehouse, id, keyId, by, { keepsAdmin: false })));
}

/** Organisations and their keys (docs/http.md#as-the-operator). */
export const operatorRoutes = tagged('Operator', [
  route('POST /organisations', {
    access: 'operator',
    operationId: 'createOrganisation',
    summary: 'Create an organisation and its first admin key',
    errors: [409],
    body: newOrganisation,
    answer: successOf(createdOrganisation),
    handle: postOrganisation,
  }),
  route('GET /organisations', {
    access: 'operator',
    operationId: 'listOrganisations',
    summary: 'List organisations',
    answer: successOf(z.array(organisation)),
    handle: getOrganisations,
  }),
  route('PATCH /organisations/:id', {
    access: 'operator',
    operationId: 'changeOrganisation',
    summary: 'Change an organisation’s name, tier or settle days',
    body: changes,
    answer: successOf(organisation),
    handle: patchOrganisation,
  }),
  route('POST /organisations/:id/keys', {
    access: 'operator',
    operationId: 'createOrganisationKey',
    summary: 'Create an admin key for an organisation that lost its own',
    body: newKey,
    answer: successOf(newKeyRecord),
    handle: postKey,
  }),
  route('DELETE /organisations/:id/keys/:key_id', {
    access: 'operator',
    operationId: 'revokeOrganisationKey',
    summary: 'Revoke a key of an organisation at once, also its last admin key',
    body: noBody,
    params: keyParams,
    answer: successOf(keyRecord),
    handle: deleteKey,
  }),
]);
