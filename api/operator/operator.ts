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
import { backupRoutes } from './backups.ts';
import { deletionRoutes } from './delete-organisation.ts';
import { currency, idParams, name, organisation, settleDays, tier } from '../http/fields.ts';
import { found } from '../http/found.ts';
import { ingestBody, ingestStarted, runRecord, runsOf, startIngest } from '../sources/ingest-runs.ts';
import { issueKey, keyRecord, newKeyRecord, revoke } from '../organisations/keys.ts';
import { pageQuery } from '../http/paging.ts';
import { answers, answersPage, noBody, success } from '../routes/route-schema.ts';
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

const sourceParams = z.strictObject({ id: z.string(), source_id: z.string() });

/** The operator's routes: organisations, and ingests for the command line (docs/http.md#as-the-operator). */
export function operatorRoutes(app: Api, dependencies: ApiDependencies): void {
  const { warehouse, orchestration, clock, operatorKey, makeSourceFolder, sealer, writeKeyFile } =
    dependencies;
  const expected = digest(operatorKey);
  app.addHook('onRequest', async (request) => {
    const key = request.headers['x-operator-key'];
    if (typeof key !== 'string' || !timingSafeEqual(digest(key), expected)) {
      throw unauthenticated(
        'X-Operator-Key: expected the operator key (OPERATOR_KEY, or operator.key in the data directory)',
      );
    }
  });

  backupRoutes(app, dependencies);
  deletionRoutes(app, dependencies);

  app.post(
    '/organisations',
    {
      schema: answers(createdOrganisation, {
        operationId: 'createOrganisation',
        tag: 'Operator',
        caller: 'operator',
        summary: 'Create an organisation and its first admin key',
        body: z.strictObject({
          name,
          tier: tier.default('enterprise'),
          currency,
          settle_days: settleDays.optional(),
        }),
        errors: [409],
      }),
    },
    async (request) => {
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
    },
  );

  app.get(
    '/organisations',
    {
      schema: answers(z.array(organisation), {
        operationId: 'listOrganisations',
        tag: 'Operator',
        caller: 'operator',
        summary: 'List organisations',
      }),
    },
    async () => success(await listOrganisations(warehouse)),
  );

  app.patch(
    '/organisations/:id',
    {
      schema: answers(organisation, {
        operationId: 'changeOrganisation',
        tag: 'Operator',
        caller: 'operator',
        summary: 'Change an organisation’s name, tier or settle days',
        params: idParams,
        body: z.strictObject({
          name: name.optional(),
          tier: tier.optional(),
          settle_days: settleDays.optional(),
        }),
        errors: [404],
      }),
    },
    async (request) => {
      const by = { actor: OPERATOR, now: clock.now() };
      const updated = found(
        'organisation',
        request.params.id,
        await updateOrganisation(warehouse, request.params.id, without(request.body, undefined), by),
      );
      // Events of the time without unit economics are raised now. If this fails, the daily settlement raises them.
      if (request.body.tier !== undefined)
        await orchestration.numbersChanged(updated.id).catch((error: unknown) => {
          request.log.warn(
            { err: error, organisation: updated.id },
            'the evaluation of events could not be started',
          );
        });
      return success(updated);
    },
  );

  app.post(
    '/organisations/:id/keys',
    {
      schema: answers(newKeyRecord, {
        operationId: 'createOrganisationKey',
        tag: 'Operator',
        caller: 'operator',
        summary: 'Create an admin key for an organisation that lost its own',
        params: idParams,
        body: z.strictObject({ name: name.optional() }).nullish(),
        errors: [404],
      }),
    },
    async (request) => {
      const { id } = request.params;
      found('organisation', id, await findOrganisation(warehouse, id));
      const key = adminKey(request.body?.name ?? 'Admin key of the operator');
      const by = { actor: OPERATOR, now: clock.now() };
      return success(await warehouse.transaction((session) => issueKey(session, id, key, by)));
    },
  );

  app.delete(
    '/organisations/:id/keys/:key_id',
    {
      schema: answers(keyRecord, {
        operationId: 'revokeOrganisationKey',
        tag: 'Operator',
        caller: 'operator',
        summary: 'Revoke a key of an organisation at once, also its last admin key',
        body: noBody,
        params: z.strictObject({ id: z.string(), key_id: z.string() }),
        errors: [404],
      }),
    },
    async (request) => {
      const { id, key_id: keyId } = request.params;
      found('organisation', id, await findOrganisation(warehouse, id));
      const by = { actor: OPERATOR, now: clock.now() };
      return success(found('key', keyId, await revoke(warehouse, id, keyId, by, { keepsAdmin: false })));
    },
  );

  app.post(
    '/master-key/rotate',
    {
      schema: answers(rotation, {
        operationId: 'rotateMasterKey',
        tag: 'Operator',
        caller: 'operator',
        summary: 'Seal texts of MASTER_KEY_PREVIOUS anew with MASTER_KEY; repeat until none remains',
        body: noBody,
      }),
    },
    async () => {
      await requireOpeningKey(warehouse, sealer);
      const step = await resealSome(warehouse, sealer);
      const written = step.remaining === 0 ? await writeKeyFile() : null;
      return success({ ...step, ...(written ?? NOT_WRITTEN) });
    },
  );

  app.get(
    '/master-key',
    {
      schema: answers(sealedTexts, {
        operationId: 'getMasterKey',
        tag: 'Operator',
        caller: 'operator',
        summary: 'Count the sealed texts by the master key that has sealed them',
      }),
    },
    async () => success(await sealedByKeys(warehouse)),
  );

  app.post(
    '/organisations/:id/cost-sources/:source_id/ingest',
    {
      schema: answers(ingestStarted, {
        operationId: 'startOrganisationIngest',
        tag: 'Operator',
        caller: 'operator',
        summary: 'Start an ingest',
        params: sourceParams,
        body: ingestBody,
        errors: [404, 409],
      }),
    },
    async (request) => {
      const { id, source_id: sourceId } = request.params;
      found('organisation', id, await findOrganisation(warehouse, id));
      found('cost source', sourceId, await findCostSource(warehouse, id, sourceId));
      return success(await startIngest(dependencies, id, sourceId, request.body));
    },
  );

  app.get(
    '/organisations/:id/cost-sources/:source_id/runs',
    {
      schema: answersPage(runRecord, {
        operationId: 'listOrganisationRuns',
        tag: 'Operator',
        caller: 'operator',
        summary: 'Runs of a cost source, newest first',
        params: sourceParams,
        querystring: pageQuery,
        errors: [404],
      }),
    },
    async (request) => {
      const { id, source_id: sourceId } = request.params;
      const look = await warehouse.look();
      found('organisation', id, await findOrganisation(warehouse, id));
      return runsOf(dependencies, look, id, sourceId, request.query);
    },
  );
}
