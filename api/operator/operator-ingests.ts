import { z } from 'zod';
import { findOrganisation } from '../../warehouse/organisations/organisations.ts';
import { COST_SOURCES } from '../../warehouse/sources/cost-sources.ts';
import type { ApiDependencies } from '../http/dependencies.ts';
import { found } from '../http/found.ts';
import { pageQuery } from '../http/paging.ts';
import { pageOf, success, successOf } from '../routes/bodies.ts';
import { route, tagged, type Asked } from '../routes/route.ts';
import { ingestBody, ingestStarted, runRecord, runsOf, startIngest } from '../sources/ingest-runs.ts';

const sourceParams = z.strictObject({ id: z.string(), source_id: z.string() });

async function postIngest(
  request: Asked<{ params: typeof sourceParams; body: typeof ingestBody }>,
  dependencies: ApiDependencies,
) {
  const { id, source_id: sourceId } = request.params;
  found('organisation', id, await findOrganisation(dependencies.warehouse, id));
  found('cost source', sourceId, await COST_SOURCES.find(dependencies.warehouse, id, sourceId));
  return success(await startIngest(dependencies, id, sourceId, request.body));
}

async function getRuns(
  request: Asked<{ params: typeof sourceParams; query: typeof pageQuery }>,
  dependencies: ApiDependencies,
) {
  const { id, source_id: sourceId } = request.params;
  const revisions = await dependencies.warehouse.revisions();
  found('organisation', id, await findOrganisation(dependencies.warehouse, id));
  return runsOf(dependencies, revisions, id, sourceId, request.query);
}

/** Ingests of any organisation, for the command line. */
export const operatorIngestRoutes = tagged('Operator', [
  route('POST /organisations/:id/cost-sources/:source_id/ingest', {
    access: 'operator',
    operationId: 'startOrganisationIngest',
    summary: 'Start an ingest',
    errors: [409],
    params: sourceParams,
    body: ingestBody,
    answer: successOf(ingestStarted),
    handle: postIngest,
  }),
  route('GET /organisations/:id/cost-sources/:source_id/runs', {
    access: 'operator',
    operationId: 'listOrganisationRuns',
    summary: 'Runs of a cost source, newest first',
    params: sourceParams,
    query: pageQuery,
    answer: pageOf(runRecord),
    handle: getRuns,
  }),
]);
