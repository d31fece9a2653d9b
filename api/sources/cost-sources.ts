import { z } from 'zod';
import { invalid, Outage, ServiceError, unavailable } from '../../domain/shared/errors.ts';
import { refuseTable } from '../../domain/sources/table-location.ts';
import { UPLOAD } from '../../domain/sources/uploads/uploaded-name.ts';
import { credentialTypeOf } from '../../domain/sources/credentials.ts';
import { isRemote } from '../../egress/locations/remote-file.ts';
import { checkSourceLocation } from '../../egress/locations/source-location.ts';
import { withCredentials, type SourceRules } from '../../egress/locations/source-rules.ts';
import { newId } from '../../warehouse/engine/sql/ids.ts';
import {
  createCostSource,
  COST_SOURCES,
  ownTypeOf,
  replaceCredentials,
  updateCostSource,
  type CostSource,
  type CostSourceChanges,
} from '../../warehouse/sources/cost-sources.ts';
import { fileLocations, locationsOf, type LocationFields } from '../../warehouse/sources/file-locations.ts';
import { deliveredThrough } from '../../warehouse/sources/coverage.ts';
import type { Warehouse } from '../../warehouse/engine/warehouse.ts';
import { settleMonths } from '../../warehouse/months/settlement.ts';
import { callerOf, changeBy } from '../access/authentication.ts';
import { requested } from '../access/requested.ts';
import {
  costSource,
  costSourceChanges,
  CREDENTIAL_FIELDS,
  credentialsBody,
  newCostSource,
  optionsOf,
} from './cost-source-fields.ts';
import { refuseWrongCredentials, sentCredentials } from './source-credentials.ts';
import type { ApiDependencies } from '../http/dependencies.ts';
import type { idParams } from '../http/fields.ts';
import { found } from '../http/found.ts';
import { ingestBody, ingestStarted, runRecord, runsOf, shownLastRuns, startIngest } from './ingest-runs.ts';
import { namedPageQuery, page, pageQuery } from '../http/paging.ts';
import { noBody, pageOf, success, successOf } from '../routes/bodies.ts';
import { checkVendor } from './check-vendor.ts';
import { route, tagged, type Asked, type AskedById, type Replying } from '../routes/route.ts';
import { without } from '../http/defined-fields.ts';

type WireSource = z.infer<typeof costSource>;

/** Returns a source without what identifies its stored credentials. */
const toWire = ({ credential, ...source }: CostSource) => ({
  ...source,
  credentials:
    credential === null ? null : { type: credential.type, hint: credential.hint, set_at: credential.set_at },
});

/** Returns a source that nobody has read yet, or ever will. */
const withoutRuns = (source: CostSource): WireSource => ({
  ...toWire(source),
  delivered_through: null,
  last_run: null,
});

/** Returns what shows sources of the organisation with their deliveries and newest runs. */
async function withRuns(warehouse: Warehouse, orgId: string): Promise<(source: CostSource) => WireSource> {
  const [runs, delivered] = [await shownLastRuns(warehouse, orgId), await deliveredThrough(warehouse, orgId)];
  return (source) => ({
    ...toWire(source),
    delivered_through: delivered.get(source.id) ?? null,
    last_run: runs.get(source.id) ?? null,
  });
}

/** Checks the locations of a source, or of a change of one. */
async function checkLocations(
  kind: CostSource['kind'],
  changed: LocationFields,
  rules: SourceRules,
): Promise<void> {
  for (const { field, location } of locationsOf(changed)) {
    refuseTable(kind, { field, location });
    if (location !== UPLOAD) await checkSourceLocation(location, rules, field);
  }
}

/** Rejects a source in another currency than the organisation's, because money is never converted. */
export function checkCurrency(own: string | null | undefined, expected: string): void {
  if (own !== null && own !== undefined && own !== expected) {
    throw invalid(
      `currency: expected ${expected}, the organisation's currency, got ${JSON.stringify(own)}; money is never converted`,
    );
  }
}

/** Rejects files on other hosts if this machine cannot read them, because every run of the source would fail. */
async function checkReadable(
  { checkRemoteFiles }: ApiDependencies,
  kind: CostSource['kind'],
  changed: LocationFields,
): Promise<void> {
  for (const { field, location } of fileLocations(kind, changed))
    if (isRemote(location))
      await checkRemoteFiles(location).catch((error: unknown) => {
        if (error instanceof Outage) throw unavailable(error.message);
        throw error instanceof ServiceError ? invalid(`${field}: ${error.message}`) : error;
      });
}

async function getSources(request: Asked<{ query: typeof namedPageQuery }>, { warehouse }: ApiDependencies) {
  const { id } = callerOf(request).organisation;
  const shown = await withRuns(warehouse, id);
  const sources = await page(
    request.query,
    z.string(),
    (part) => COST_SOURCES.list(warehouse, id, { ...part, name: request.query.name }),
    (source) => source.id,
  );
  return { ...sources, data: sources.data.map(shown) };
}

async function postSource(
  request: Asked<{ body: typeof newCostSource }>,
  dependencies: ApiDependencies,
  { reply }: Replying,
) {
  const { warehouse, orchestration, clock, sealer, sourceRulesOf } = dependencies;
  const caller = callerOf(request);
  const { organisation } = caller;
  const { currency: own, credentials: sent = null, ...source } = request.body;
  checkCurrency(own, organisation.currency);
  const credentials = sent === null ? null : sentCredentials(sent, source);
  checkVendor(source, organisation.currency);
  await checkLocations(source.kind, source, withCredentials(sourceRulesOf(organisation.id), credentials));
  await checkReadable(dependencies, source.kind, source);
  if (credentials !== null)
    await refuseWrongCredentials(dependencies, organisation.id, source, credentials, reply);
  const id = newId('src');
  // The repeatable step comes first, so that no source is stored without its daily ingest.
  await orchestration.scheduleIngest({
    orgId: organisation.id,
    sourceId: id,
    paused: source.schedule_paused,
  });
  const created = await createCostSource(
    warehouse,
    organisation.id,
    { ...source, currency: own ?? null },
    changeBy(caller, clock.now()),
    id,
    credentials && { sealer, credentials },
  ).catch(async (error: unknown) => {
    // A rejected source is not stored, so that it must not be read daily.
    if (error instanceof ServiceError) await orchestration.unscheduleIngest(organisation.id, id);
    throw error;
  });
  return success(withoutRuns(created));
}

async function getSource(request: AskedById, { warehouse }: ApiDependencies) {
  const source = await requested('cost source', COST_SOURCES, warehouse, request);
  return success((await withRuns(warehouse, callerOf(request).organisation.id))(source));
}

async function patchSource(
  request: Asked<{ params: typeof idParams; body: typeof costSourceChanges }>,
  dependencies: ApiDependencies,
) {
  const { warehouse, orchestration, clock, sourceRulesOf } = dependencies;
  const caller = callerOf(request);
  const { id: orgId, currency } = caller.organisation;
  const { id } = request.params;
  checkCurrency(request.body.currency, currency);
  const before = () => requested('cost source', COST_SOURCES, warehouse, request);
  const { options, ...others } = without(request.body, undefined);
  const changes: CostSourceChanges =
    options === undefined ? others : { ...others, options: optionsOf((await before()).kind, options) };
  if (locationsOf(changes).length > 0) {
    const source = await COST_SOURCES.find(warehouse, orgId, id);
    const { kind } = source ?? { kind: 'focus' as const };
    const credentials = source === null ? credentialTypeOf(changes.location ?? '') : ownTypeOf(source);
    await checkLocations(kind, changes, { ...sourceRulesOf(orgId), credentials });
    await checkReadable(dependencies, (await before()).kind, changes);
  }
  if (changes.location !== undefined || options !== undefined)
    checkVendor({ ...(await before()), ...changes }, currency);
  const by = changeBy(caller, clock.now());
  const updated = found('cost source', id, await updateCostSource(warehouse, orgId, id, changes, by));
  // The change can complete a month, which does not wait for the next daily settlement.
  await settleMonths(warehouse, orgId, clock.now());
  await orchestration.scheduleIngest({ orgId, sourceId: updated.id, paused: updated.schedule_paused });
  return success((await withRuns(warehouse, orgId))(updated));
}

async function deleteSource(request: AskedById, { warehouse, orchestration, clock }: ApiDependencies) {
  const caller = callerOf(request);
  const { id: orgId } = caller.organisation;
  const { id } = request.params;
  const by = changeBy(caller, clock.now());
  const deleted = found('cost source', id, await updateCostSource(warehouse, orgId, id, 'delete', by));
  await settleMonths(warehouse, orgId, clock.now());
  await orchestration.unscheduleIngest(orgId, deleted.id);
  return success(withoutRuns(deleted));
}

async function putCredentials(
  request: Asked<{ params: typeof idParams; body: typeof credentialsBody }>,
  dependencies: ApiDependencies,
  { reply }: Replying,
) {
  const { warehouse, sealer, clock } = dependencies;
  const caller = callerOf(request);
  const orgId = caller.organisation.id;
  const source = await requested('cost source', COST_SOURCES, warehouse, request);
  const credentials = sentCredentials(request.body, source);
  await refuseWrongCredentials(dependencies, orgId, source, credentials, reply);
  const by = changeBy(caller, clock.now());
  const updated = await replaceCredentials(warehouse, orgId, source.id, { sealer, credentials }, by);
  return success((await withRuns(warehouse, orgId))(found('cost source', source.id, updated)));
}

async function deleteCredentials(request: AskedById, { warehouse, clock }: ApiDependencies) {
  const caller = callerOf(request);
  const orgId = caller.organisation.id;
  const { id } = request.params;
  const updated = await replaceCredentials(warehouse, orgId, id, null, changeBy(caller, clock.now()));
  return success((await withRuns(warehouse, orgId))(found('cost source', id, updated)));
}

async function postIngest(
  request: Asked<{ params: typeof idParams; body: typeof ingestBody }>,
  dependencies: ApiDependencies,
) {
  const source = await requested('cost source', COST_SOURCES, dependencies.warehouse, request);
  const { id } = callerOf(request).organisation;
  return success(await startIngest(dependencies, id, source.id, request.body));
}

function getRuns(
  request: Asked<{ params: typeof idParams; query: typeof pageQuery }>,
  dependencies: ApiDependencies,
) {
  const { organisation, revisions } = callerOf(request);
  return runsOf(dependencies, revisions, organisation.id, request.params.id, request.query);
}

/** `/cost-sources`: where spend comes from, runs and their history (docs/http.md#connect-a-cost-source). */
export const costSourceRoutes = tagged('Cost sources', [
  route('GET /cost-sources', {
    access: 'read',
    operationId: 'listCostSources',
    summary: 'List cost sources',
    query: namedPageQuery,
    answer: pageOf(costSource),
    handle: getSources,
  }),
  route('POST /cost-sources', {
    access: 'admin',
    operationId: 'createCostSource',
    summary: 'Connect a cost source; it is read daily',
    errors: [409],
    ownTextRules: ['credentials'],
    body: newCostSource,
    answer: successOf(costSource),
    handle: postSource,
  }),
  route('GET /cost-sources/:id', {
    access: 'read',
    operationId: 'getCostSource',
    summary: 'One cost source',
    answer: successOf(costSource),
    handle: getSource,
  }),
  route('PATCH /cost-sources/:id', {
    access: 'admin',
    changesNumbers: true,
    operationId: 'updateCostSource',
    summary: 'Change a cost source, pause or resume its schedule',
    errors: [409],
    body: costSourceChanges,
    answer: successOf(costSource),
    handle: patchSource,
  }),
  route('DELETE /cost-sources/:id', {
    access: 'admin',
    changesNumbers: true,
    operationId: 'deleteCostSource',
    summary: 'Delete a cost source; its spend no longer counts, except in locked months',
    description: 'To stop reading a source and keep its spend, pause its schedule instead.',
    body: noBody,
    answer: successOf(costSource),
    handle: deleteSource,
  }),
  route('PUT /cost-sources/:id/credentials', {
    access: 'admin',
    ownTextRules: CREDENTIAL_FIELDS,
    operationId: 'setCostSourceCredentials',
    summary: 'Set what opens the location of a source; it is tried first, and never shown',
    body: credentialsBody,
    answer: successOf(costSource),
    handle: putCredentials,
  }),
  route('DELETE /cost-sources/:id/credentials', {
    access: 'admin',
    operationId: 'deleteCostSourceCredentials',
    summary: 'Remove the credentials of a source',
    body: noBody,
    answer: successOf(costSource),
    handle: deleteCredentials,
  }),
  route('POST /cost-sources/:id/ingest', {
    access: 'write',
    operationId: 'startIngest',
    summary: 'Read the source now',
    errors: [409],
    body: ingestBody,
    answer: successOf(ingestStarted),
    handle: postIngest,
  }),
  route('GET /cost-sources/:id/runs', {
    access: 'read',
    operationId: 'listRuns',
    summary: 'What runs did, newest first',
    query: pageQuery,
    answer: pageOf(runRecord),
    handle: getRuns,
  }),
]);
