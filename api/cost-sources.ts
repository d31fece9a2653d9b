import { z } from 'zod';
import { toWire } from '../domain/decimals.ts';
import { invalid, notFound } from '../domain/errors.ts';
import type { IngestInput } from '../domain/ingest.ts';
import { checkSourceLocation } from '../egress/source-location.ts';
import {
  createCostSource,
  findCostSource,
  listCostSources,
  updateCostSource,
  type CostSource,
} from '../warehouse/cost-sources.ts';
import { lastRuns, listRuns, recordRun, type IngestRun } from '../warehouse/ingest-runs.ts';
import { callerOf } from './authentication.ts';
import type { ApiDependencies } from './dependencies.ts';
import { currency, idParams, instant, month, name } from './fields.ts';
import { page, pageQuery } from './paging.ts';
import { answers, answersPage, success } from './route-schema.ts';
import type { Api } from './server.ts';
import { without } from './without.ts';

export const runRecord = z
  .object({
    run_id: z.string(),
    workflow_id: z.string(),
    status: z.enum(['running', 'completed', 'failed']),
    started_at: instant,
    finished_at: instant.nullable(),
    months: z.array(z.string()).describe('Months whose cost the run touched'),
    rows_read: z.number().describe('While the run is under way: rows read so far'),
    rows_rejected: z.number(),
    rejected_samples: z.array(
      z.object({ problem: z.string(), file: z.string().nullable(), rows: z.number() }),
    ),
    cost_total: z.number().nullable(),
    notes: z.array(z.string()).describe('What the run decided by itself, in words'),
    error: z.string().nullable(),
  })
  .meta({ id: 'Run' });

const focusOptions = z.strictObject({
  cost_column: z.enum(['EffectiveCost', 'BilledCost']).default('EffectiveCost'),
});

const costSource = z
  .object({
    id: z.string(),
    name: z.string(),
    kind: z.literal('focus'),
    location: z.string(),
    currency: z.string().nullable(),
    options: z.object({ cost_column: z.string() }),
    schedule_paused: z.boolean(),
    last_run: runRecord.nullable(),
  })
  .meta({ id: 'CostSource' });

const location = z
  .string({ error: 'expected a path, glob or URI of CSV or Parquet files' })
  .min(1, { error: 'expected a path, glob or URI of CSV or Parquet files' })
  .max(2000, { error: 'expected at most 2000 characters' });

const newCostSource = z.strictObject({
  name,
  kind: z.literal('focus', { error: 'expected "focus"' }),
  location,
  currency: currency.nullish(),
  options: focusOptions.default({ cost_column: 'EffectiveCost' }),
  schedule_paused: z.boolean().default(false),
});

const costSourceChanges = z.strictObject({
  name: name.optional(),
  location: location.optional(),
  currency: currency.nullish(),
  options: focusOptions.optional(),
  schedule_paused: z.boolean().optional(),
});

export const ingestBody = z
  .strictObject({ start_month: month.nullish(), end_month: month.nullish() })
  .nullish()
  .describe('First and last month of the billing periods to load; all without it');

export const ingestStarted = z.object({
  run_id: z.string(),
  workflow_id: z.string(),
  status: z.literal('running'),
});

const toWireRun = (run: IngestRun): z.infer<typeof runRecord> => {
  const { source_id: _, cost_total, ...record } = run;
  return { ...record, cost_total: cost_total === null ? null : toWire(cost_total) };
};

const toWireSource = (source: CostSource, lastRun: IngestRun | undefined): z.infer<typeof costSource> => ({
  ...source,
  last_run: lastRun === undefined ? null : toWireRun(lastRun),
});

/** Money is never converted, so a source in another currency than the organisation's can never be read. */
const checkCurrency = (own: string | null | undefined, expected: string): void => {
  if (own !== null && own !== undefined && own !== expected) {
    throw invalid(
      `currency: expected ${expected}, the organisation's currency, got ${JSON.stringify(own)}; money is never converted`,
    );
  }
};

/** Starts an ingest of a source now and records that it runs. */
export const startIngest = async (
  { warehouse, orchestration, clock }: ApiDependencies,
  orgId: string,
  sourceId: string,
  body: z.infer<typeof ingestBody>,
): Promise<z.infer<typeof ingestStarted>> => {
  const startMonth = body?.start_month ?? null;
  const endMonth = body?.end_month ?? null;
  if (startMonth !== null && endMonth !== null && endMonth < startMonth) {
    throw invalid(
      `end_month: expected a month not before start_month ${startMonth}, got ${JSON.stringify(endMonth)}`,
    );
  }
  const input: IngestInput = { orgId, sourceId, startMonth, endMonth };
  const { runId, workflowId } = await orchestration.startIngest(input);
  // The workflow records the same; whichever comes first, the run is there when this answers.
  await recordRun(warehouse, orgId, {
    run_id: runId,
    source_id: sourceId,
    workflow_id: workflowId,
    status: 'running',
    started_at: clock.now().toISOString(),
    finished_at: null,
    months: [],
    rows_read: 0,
    rows_rejected: 0,
    rejected_samples: [],
    cost_total: null,
    notes: [],
    error: null,
  });
  return { run_id: runId, workflow_id: workflowId, status: 'running' };
};

/** A page of runs, newest first; one that is under way shows how many rows it has read. */
export const runsOf = async (
  { warehouse, orchestration, clock }: ApiDependencies,
  orgId: string,
  sourceId: string,
  query: z.infer<typeof pageQuery>,
) => {
  const runs = await page(
    query,
    z.string(),
    (part) => listRuns(warehouse, orgId, sourceId, part),
    ({ run_id }) => run_id,
  );
  const data = await Promise.all(
    runs.data.map(async (run): Promise<z.infer<typeof runRecord>> => {
      if (run.status !== 'running') return toWireRun(run);
      const life = await orchestration.lifeOf(run.workflow_id, run.run_id);
      if (life.state === 'running')
        return toWireRun({ ...run, rows_read: life.progress?.rowsRead ?? run.rows_read });
      if (life.state === 'finishing') return toWireRun(run);
      const ended: IngestRun = {
        ...run,
        status: 'failed',
        finished_at: clock.now().toISOString(),
        error: `the workflow was ${life.how} before it could end by itself; run the ingest again`,
      };
      await recordRun(warehouse, orgId, ended);
      return toWireRun(ended);
    }),
  );
  return { ...runs, data };
};

/** `…/cost-sources`: where spend comes from, runs and their history (contract §3). */
export const costSourceRoutes = (app: Api, dependencies: ApiDependencies): void => {
  const { warehouse, orchestration, clock, sourceRules } = dependencies;

  const found = async (orgId: string, id: string): Promise<CostSource> => {
    const source = await findCostSource(warehouse, orgId, id);
    if (source === null) throw notFound('cost source', id);
    return source;
  };

  app.get(
    '/cost-sources',
    {
      config: { access: 'read' },
      schema: answersPage(costSource, {
        tag: 'Cost sources',
        summary: 'List cost sources',
        querystring: pageQuery,
      }),
    },
    async (request) => {
      const { id } = callerOf(request).organisation;
      const runs = await lastRuns(warehouse, id);
      const sources = await page(
        request.query,
        z.string(),
        (part) => listCostSources(warehouse, id, part),
        (source) => source.id,
      );
      return { ...sources, data: sources.data.map((source) => toWireSource(source, runs.get(source.id))) };
    },
  );

  app.post(
    '/cost-sources',
    {
      config: { access: 'admin' },
      schema: answers(costSource, {
        tag: 'Cost sources',
        summary: 'Connect a cost source; it is read daily',
        body: newCostSource,
      }),
    },
    async (request) => {
      const { organisation } = callerOf(request);
      const { currency: own, ...source } = request.body;
      checkCurrency(own, organisation.currency);
      await checkSourceLocation(source.location, sourceRules);
      const created = await createCostSource(
        warehouse,
        organisation.id,
        { ...source, currency: own ?? null },
        clock.now(),
      );
      await orchestration.scheduleIngest({
        orgId: organisation.id,
        sourceId: created.id,
        paused: created.schedule_paused,
      });
      return success(toWireSource(created, undefined));
    },
  );

  app.get(
    '/cost-sources/:id',
    {
      config: { access: 'read' },
      schema: answers(costSource, {
        tag: 'Cost sources',
        summary: 'One cost source',
        params: idParams,
        errors: [404],
      }),
    },
    async (request) => {
      const { id } = callerOf(request).organisation;
      const source = await found(id, request.params.id);
      return success(toWireSource(source, (await lastRuns(warehouse, id)).get(source.id)));
    },
  );

  app.patch(
    '/cost-sources/:id',
    {
      config: { access: 'admin' },
      schema: answers(costSource, {
        tag: 'Cost sources',
        summary: 'Change a cost source, pause or resume its schedule',
        params: idParams,
        body: costSourceChanges,
        errors: [404],
      }),
    },
    async (request) => {
      const { organisation } = callerOf(request);
      checkCurrency(request.body.currency, organisation.currency);
      if (request.body.location !== undefined) await checkSourceLocation(request.body.location, sourceRules);
      const changes = without(request.body, undefined);
      const updated = await updateCostSource(
        warehouse,
        organisation.id,
        request.params.id,
        changes,
        clock.now(),
      );
      if (updated === null) throw notFound('cost source', request.params.id);
      await orchestration.scheduleIngest({
        orgId: organisation.id,
        sourceId: updated.id,
        paused: updated.schedule_paused,
      });
      return success(toWireSource(updated, (await lastRuns(warehouse, organisation.id)).get(updated.id)));
    },
  );

  app.delete(
    '/cost-sources/:id',
    {
      config: { access: 'admin' },
      schema: answers(costSource, {
        tag: 'Cost sources',
        summary: 'Delete a cost source; its spend no longer counts, except in locked months',
        description: 'To stop reading a source and keep its spend, pause its schedule instead.',
        params: idParams,
        errors: [404],
      }),
    },
    async (request) => {
      const { id } = callerOf(request).organisation;
      const deleted = await updateCostSource(warehouse, id, request.params.id, 'delete', clock.now());
      if (deleted === null) throw notFound('cost source', request.params.id);
      await orchestration.unscheduleIngest(id, deleted.id);
      return success(toWireSource(deleted, undefined));
    },
  );

  app.post(
    '/cost-sources/:id/ingest',
    {
      config: { access: 'write' },
      schema: answers(ingestStarted, {
        tag: 'Cost sources',
        summary: 'Read the source now',
        params: idParams,
        body: ingestBody,
        errors: [404, 409],
      }),
    },
    async (request) => {
      const { id } = callerOf(request).organisation;
      const source = await found(id, request.params.id);
      return success(await startIngest(dependencies, id, source.id, request.body));
    },
  );

  app.get(
    '/cost-sources/:id/runs',
    {
      config: { access: 'read' },
      schema: answersPage(runRecord, {
        tag: 'Cost sources',
        summary: 'What runs did, newest first',
        params: idParams,
        querystring: pageQuery,
        errors: [404],
      }),
    },
    async (request) => {
      const { id } = callerOf(request).organisation;
      const source = await found(id, request.params.id);
      return runsOf(dependencies, id, source.id, request.query);
    },
  );
};
