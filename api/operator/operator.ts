import { createHash, timingSafeEqual } from 'node:crypto';
import { z } from 'zod';
import { OPERATOR } from '../../domain/organisations/actor.ts';
import { unauthenticated } from '../../domain/shared/errors.ts';
import { audit } from '../../warehouse/engine/records/audit-log.ts';
import { requireOpeningKey } from '../../warehouse/engine/records/require-key.ts';
import { sealedByKeys } from '../../warehouse/engine/records/sealed-texts.ts';
import { resealSome } from '../../warehouse/engine/records/reseal.ts';
import { findCostSource } from '../../warehouse/sources/cost-sources.ts';
import {
  createOrganisation,
  findOrganisation,
  listOrganisations,
  newOrganisationId,
  ORGANISATION_NAMES,
  refuseTakenName,
  updateOrganisation,
} from '../../warehouse/organisations/organisations.ts';
import type { ApiDependencies } from '../http/dependencies.ts';
import { currency, idParams, name, organisation, settleDays, tier } from '../http/fields.ts';
import { found } from '../http/found.ts';
import { ingestBody, ingestStarted, runRecord, runsOf, startIngest } from '../sources/ingest-runs.ts';
import { issueKey, keyRecord, newKeyRecord, revoke } from '../organisations/keys.ts';
import { pageQuery } from '../http/paging.ts';
import { pageOf, success, successOf } from '../routes/answers.ts';
import { noBody } from '../routes/route-schema.ts';
import { route, type Asked } from '../routes/route.ts';
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

/** One step of the rotation of the master key. */
export const rotation = z
  .object({
    resealed: z.number().describe('Texts that this step has sealed anew'),
    remaining: z.number().describe('Texts that MASTER_KEY_PREVIOUS has sealed and no step has sealed anew'),
    unreadable: z.number().describe('Texts that neither key opens'),
    key_file: z
      .string()
      .nullable()
      .describe('Where the last step has written MASTER_KEY to, because the old key came from there'),
    old_key_file: z.string().nullable().describe('Where it keeps the old key then'),
  })
  .meta({ id: 'Rotation' });

/** How many texts each master key has sealed. */
export const sealedTexts = z
  .array(
    z.object({
      key_id: z.string().describe('Names a master key without revealing it'),
      texts: z.number(),
    }),
  )
  .meta({ id: 'SealedTexts' });

const NOT_WRITTEN = { key_file: null, old_key_file: null };

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
const sourceParams = z.strictObject({ id: z.string(), source_id: z.string() });

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
  const orgId = newOrganisationId();
  await refuseTakenName(warehouse, request.body.name);
  // The repeatable steps come first, so that no organisation is stored without its daily schedules and folder.
  await orchestration.scheduleOrganisation(orgId, request.body.name);
  const source_folder = await makeSourceFolder(orgId);
  const by = { actor: OPERATOR, now };
  const created = await warehouse.decide([ORGANISATION_NAMES], async (session) => {
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

async function postRotation(_request: Asked, { warehouse, sealer, writeKeyFile }: ApiDependencies) {
  await requireOpeningKey(warehouse, sealer);
  const step = await resealSome(warehouse, sealer);
  const written = step.remaining === 0 ? await writeKeyFile() : null;
  return success({ ...step, ...(written ?? NOT_WRITTEN) });
}

const getMasterKey = async (_request: Asked, { warehouse }: ApiDependencies) =>
  success(await sealedByKeys(warehouse));

async function postIngest(
  request: Asked<{ params: typeof sourceParams; body: typeof ingestBody }>,
  dependencies: ApiDependencies,
) {
  const { id, source_id: sourceId } = request.params;
  found('organisation', id, await findOrganisation(dependencies.warehouse, id));
  found('cost source', sourceId, await findCostSource(dependencies.warehouse, id, sourceId));
  return success(await startIngest(dependencies, id, sourceId, request.body));
}

async function getRuns(
  request: Asked<{ params: typeof sourceParams; query: typeof pageQuery }>,
  dependencies: ApiDependencies,
) {
  const { id, source_id: sourceId } = request.params;
  const look = await dependencies.warehouse.look();
  found('organisation', id, await findOrganisation(dependencies.warehouse, id));
  return runsOf(dependencies, look, id, sourceId, request.query);
}

/** Organisations, their keys and ingests, and the master key (docs/http.md#as-the-operator). */
export const operatorRoutes = [
  route({
    method: 'POST',
    path: '/organisations',
    access: 'operator',
    operationId: 'createOrganisation',
    tag: 'Operator',
    summary: 'Create an organisation and its first admin key',
    errors: [409],
    body: newOrganisation,
    answer: successOf(createdOrganisation),
    handle: postOrganisation,
  }),
  route({
    method: 'GET',
    path: '/organisations',
    access: 'operator',
    operationId: 'listOrganisations',
    tag: 'Operator',
    summary: 'List organisations',
    answer: successOf(z.array(organisation)),
    handle: getOrganisations,
  }),
  route({
    method: 'PATCH',
    path: '/organisations/:id',
    access: 'operator',
    operationId: 'changeOrganisation',
    tag: 'Operator',
    summary: 'Change an organisation’s name, tier or settle days',
    errors: [404],
    params: idParams,
    body: changes,
    answer: successOf(organisation),
    handle: patchOrganisation,
  }),
  route({
    method: 'POST',
    path: '/organisations/:id/keys',
    access: 'operator',
    operationId: 'createOrganisationKey',
    tag: 'Operator',
    summary: 'Create an admin key for an organisation that lost its own',
    errors: [404],
    params: idParams,
    body: newKey,
    answer: successOf(newKeyRecord),
    handle: postKey,
  }),
  route({
    method: 'DELETE',
    path: '/organisations/:id/keys/:key_id',
    access: 'operator',
    operationId: 'revokeOrganisationKey',
    tag: 'Operator',
    summary: 'Revoke a key of an organisation at once, also its last admin key',
    errors: [404],
    body: noBody,
    params: keyParams,
    answer: successOf(keyRecord),
    handle: deleteKey,
  }),
  route({
    method: 'POST',
    path: '/master-key/rotate',
    access: 'operator',
    operationId: 'rotateMasterKey',
    tag: 'Operator',
    summary: 'Seal texts of MASTER_KEY_PREVIOUS anew with MASTER_KEY; repeat until none remains',
    body: noBody,
    answer: successOf(rotation),
    handle: postRotation,
  }),
  route({
    method: 'GET',
    path: '/master-key',
    access: 'operator',
    operationId: 'getMasterKey',
    tag: 'Operator',
    summary: 'Count the sealed texts by the master key that has sealed them',
    answer: successOf(sealedTexts),
    handle: getMasterKey,
  }),
  route({
    method: 'POST',
    path: '/organisations/:id/cost-sources/:source_id/ingest',
    access: 'operator',
    operationId: 'startOrganisationIngest',
    tag: 'Operator',
    summary: 'Start an ingest',
    errors: [404, 409],
    params: sourceParams,
    body: ingestBody,
    answer: successOf(ingestStarted),
    handle: postIngest,
  }),
  route({
    method: 'GET',
    path: '/organisations/:id/cost-sources/:source_id/runs',
    access: 'operator',
    operationId: 'listOrganisationRuns',
    tag: 'Operator',
    summary: 'Runs of a cost source, newest first',
    errors: [404],
    params: sourceParams,
    query: pageQuery,
    answer: pageOf(runRecord),
    handle: getRuns,
  }),
];
