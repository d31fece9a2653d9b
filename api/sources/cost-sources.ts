import { z } from 'zod';
import { invalid, Outage, ServiceError, unavailable } from '../../domain/shared/errors.ts';
import { isRemote } from '../../egress/locations/remote-file.ts';
import { checkSourceLocation } from '../../egress/locations/source-location.ts';
import type { SourceRules } from '../../egress/locations/source-rules.ts';
import {
  createCostSource,
  findCostSource,
  listCostSources,
  newCostSourceId,
  updateCostSource,
  type CostSource,
  type CostSourceChanges,
} from '../../warehouse/sources/cost-sources.ts';
import { fileLocations, locationsOf, type LocationFields } from '../../warehouse/sources/file-locations.ts';
import { deliveredThrough } from '../../warehouse/sources/coverage.ts';
import type { Warehouse } from '../../warehouse/engine/warehouse.ts';
import { settleMonths } from '../../warehouse/months/settlement.ts';
import { callerOf, changeBy } from '../access/authentication.ts';
import { costSource, costSourceChanges, newCostSource, optionsOf } from './cost-source-fields.ts';
import type { ApiDependencies } from '../http/dependencies.ts';
import { idParams } from '../http/fields.ts';
import { found } from '../http/found.ts';
import { ingestBody, ingestStarted, runRecord, runsOf, shownLastRuns, startIngest } from './ingest-runs.ts';
import { namedPageQuery, page, pageQuery } from '../http/paging.ts';
import { answers, answersPage, noBody, success } from '../routes/route-schema.ts';
import type { Api } from '../http/api-type.ts';
import { without } from '../http/defined-fields.ts';

type WireSource = z.infer<typeof costSource>;

/** Returns a source that nobody has read yet, or ever will. */
const withoutRuns = (source: CostSource): WireSource => ({
  ...source,
  delivered_through: null,
  last_run: null,
});

/** Returns what shows sources of the organisation with their deliveries and newest runs. */
async function withRuns(warehouse: Warehouse, orgId: string): Promise<(source: CostSource) => WireSource> {
  const [runs, delivered] = [await shownLastRuns(warehouse, orgId), await deliveredThrough(warehouse, orgId)];
  return (source) => ({
    ...source,
    delivered_through: delivered.get(source.id) ?? null,
    last_run: runs.get(source.id) ?? null,
  });
}

/** Checks the locations of a source, or of a change of one. */
async function checkLocations(changed: LocationFields, rules: SourceRules): Promise<void> {
  for (const { field, location } of locationsOf(changed)) await checkSourceLocation(location, rules, field);
}

/** Rejects a source in another currency than the organisation's, because money is never converted. */
function checkCurrency(own: string | null | undefined, expected: string): void {
  if (own !== null && own !== undefined && own !== expected) {
    throw invalid(
      `currency: expected ${expected}, the organisation's currency, got ${JSON.stringify(own)}; money is never converted`,
    );
  }
}

/** `…/cost-sources`: where spend comes from, runs and their history (docs/http.md#connect-a-cost-source). */
export function costSourceRoutes(app: Api, dependencies: ApiDependencies): void {
  const { warehouse, orchestration, clock, sourceRulesOf, checkRemoteFiles } = dependencies;

  /** Rejects files on other hosts if this machine cannot read them, because every run of the source would fail. */
  const checkReadable = async (kind: CostSource['kind'], changed: LocationFields): Promise<void> => {
    const remote = fileLocations(kind, changed).find(({ location }) => isRemote(location));
    if (remote === undefined) return;
    await checkRemoteFiles().catch((error: unknown) => {
      if (error instanceof Outage) throw unavailable(error.message);
      throw error instanceof ServiceError ? invalid(`${remote.field}: ${error.message}`) : error;
    });
  };

  const foundSource = async (orgId: string, id: string): Promise<CostSource> =>
    found('cost source', id, await findCostSource(warehouse, orgId, id));

  app.get(
    '/cost-sources',
    {
      config: { access: 'read' },
      schema: answersPage(costSource, {
        operationId: 'listCostSources',
        tag: 'Cost sources',
        summary: 'List cost sources',
        querystring: namedPageQuery,
      }),
    },
    async (request) => {
      const { id } = callerOf(request).organisation;
      const toWire = await withRuns(warehouse, id);
      const sources = await page(
        request.query,
        z.string(),
        (part) => listCostSources(warehouse, id, { ...part, name: request.query.name }),
        (source) => source.id,
      );
      return { ...sources, data: sources.data.map(toWire) };
    },
  );

  app.post(
    '/cost-sources',
    {
      config: { access: 'admin' },
      schema: answers(costSource, {
        operationId: 'createCostSource',
        tag: 'Cost sources',
        summary: 'Connect a cost source; it is read daily',
        body: newCostSource,
        errors: [409],
      }),
    },
    async (request) => {
      const caller = callerOf(request);
      const { organisation } = caller;
      const { currency: own, ...source } = request.body;
      checkCurrency(own, organisation.currency);
      await checkLocations(source, sourceRulesOf(organisation.id));
      await checkReadable(source.kind, source);
      const id = newCostSourceId();
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
      ).catch(async (error: unknown) => {
        // A rejected source is not stored, so that it must not be read daily.
        if (error instanceof ServiceError) await orchestration.unscheduleIngest(organisation.id, id);
        throw error;
      });
      return success(withoutRuns(created));
    },
  );

  app.get(
    '/cost-sources/:id',
    {
      config: { access: 'read' },
      schema: answers(costSource, {
        operationId: 'getCostSource',
        tag: 'Cost sources',
        summary: 'One cost source',
        params: idParams,
        errors: [404],
      }),
    },
    async (request) => {
      const { id } = callerOf(request).organisation;
      const source = await foundSource(id, request.params.id);
      return success((await withRuns(warehouse, id))(source));
    },
  );

  app.patch(
    '/cost-sources/:id',
    {
      config: { access: 'admin', changesNumbers: true },
      schema: answers(costSource, {
        operationId: 'updateCostSource',
        tag: 'Cost sources',
        summary: 'Change a cost source, pause or resume its schedule',
        params: idParams,
        body: costSourceChanges,
        errors: [404, 409],
      }),
    },
    async (request) => {
      const caller = callerOf(request);
      const { organisation } = caller;
      checkCurrency(request.body.currency, organisation.currency);
      const { options, ...others } = without(request.body, undefined);
      const changes: CostSourceChanges =
        options === undefined
          ? others
          : {
              ...others,
              options: optionsOf((await foundSource(organisation.id, request.params.id)).kind, options),
            };
      await checkLocations(changes, sourceRulesOf(organisation.id));
      if (locationsOf(changes).length > 0)
        await checkReadable((await foundSource(organisation.id, request.params.id)).kind, changes);
      const updated = found(
        'cost source',
        request.params.id,
        await updateCostSource(
          warehouse,
          organisation.id,
          request.params.id,
          changes,
          changeBy(caller, clock.now()),
        ),
      );
      // The change can complete a month, which does not wait for the next daily settlement.
      await settleMonths(warehouse, organisation.id, clock.now());
      await orchestration.scheduleIngest({
        orgId: organisation.id,
        sourceId: updated.id,
        paused: updated.schedule_paused,
      });
      return success((await withRuns(warehouse, organisation.id))(updated));
    },
  );

  app.delete(
    '/cost-sources/:id',
    {
      config: { access: 'admin', changesNumbers: true },
      schema: answers(costSource, {
        operationId: 'deleteCostSource',
        tag: 'Cost sources',
        summary: 'Delete a cost source; its spend no longer counts, except in locked months',
        description: 'To stop reading a source and keep its spend, pause its schedule instead.',
        body: noBody,
        params: idParams,
        errors: [404],
      }),
    },
    async (request) => {
      const caller = callerOf(request);
      const { id } = caller.organisation;
      const by = changeBy(caller, clock.now());
      const deleted = found(
        'cost source',
        request.params.id,
        await updateCostSource(warehouse, id, request.params.id, 'delete', by),
      );
      await settleMonths(warehouse, id, clock.now());
      await orchestration.unscheduleIngest(id, deleted.id);
      return success(withoutRuns(deleted));
    },
  );

  app.post(
    '/cost-sources/:id/ingest',
    {
      config: { access: 'write' },
      schema: answers(ingestStarted, {
        operationId: 'startIngest',
        tag: 'Cost sources',
        summary: 'Read the source now',
        params: idParams,
        body: ingestBody,
        errors: [404, 409],
      }),
    },
    async (request) => {
      const { id } = callerOf(request).organisation;
      const source = await foundSource(id, request.params.id);
      return success(await startIngest(dependencies, id, source.id, request.body));
    },
  );

  app.get(
    '/cost-sources/:id/runs',
    {
      config: { access: 'read' },
      schema: answersPage(runRecord, {
        operationId: 'listRuns',
        tag: 'Cost sources',
        summary: 'What runs did, newest first',
        params: idParams,
        querystring: pageQuery,
        errors: [404],
      }),
    },
    async (request) => {
      const { organisation, look } = callerOf(request);
      return runsOf(dependencies, look, organisation.id, request.params.id, request.query);
    },
  );
}
