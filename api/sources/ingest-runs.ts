import { z } from 'zod';
import { toWire } from '../../domain/shared/decimals.ts';
import type { IngestInput } from '../../domain/sources/ingest.ts';
import {
  ingestRuns,
  lastRuns,
  listRuns,
  startedRun,
  type IngestRun,
} from '../../warehouse/sources/ingest-runs.ts';
import type { ApiDependencies } from '../http/dependencies.ts';
import { instant, month } from '../http/fields.ts';
import { page, type pageQuery } from '../http/paging.ts';

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
    rows_left_out: z
      .number()
      .nullable()
      .describe('Rows that the run read and left out: other months, shared cost, usage without spend'),
    rejected_samples: z.array(
      z.object({ problem: z.string(), file: z.string().nullable(), rows: z.number() }),
    ),
    cost_total: z.number().nullable(),
    notes: z.array(z.string()).describe('What the run decided by itself, in words'),
    error: z.string().nullable(),
  })
  .meta({ id: 'Run' });

export const ingestBody = z
  .strictObject({
    start_month: month.nullish(),
    end_month: month.nullish(),
    accept_shrink: z
      .boolean()
      .nullish()
      .describe('Whether days may go that an earlier load had and the source no longer has'),
  })
  .refine(({ start_month: start, end_month: end }) => !start || !end || end >= start, {
    path: ['end_month'],
    error: 'expected a month not before start_month',
  })
  .nullish()
  .describe('First and last month of the billing periods to load; all without it');

export const ingestStarted = z.object({
  run_id: z.string(),
  workflow_id: z.string(),
  status: z.literal('running'),
});

/** Returns a run as the API shows it. */
export const toWireRun = (run: IngestRun): z.infer<typeof runRecord> => {
  const { source_id: _, cost_total, ...record } = run;
  return { ...record, cost_total: cost_total === null ? null : toWire(cost_total) };
};

/** Starts an ingest of a source and records its run. */
export const startIngest = async (
  { warehouse, orchestration, clock }: ApiDependencies,
  orgId: string,
  sourceId: string,
  body: z.infer<typeof ingestBody>,
): Promise<z.infer<typeof ingestStarted>> => {
  const startMonth = body?.start_month ?? null;
  const endMonth = body?.end_month ?? null;
  const acceptShrink = body?.accept_shrink ?? false;
  const input: IngestInput = { orgId, sourceId, startMonth, endMonth, acceptShrink };
  const { runId, workflowId } = await orchestration.startAfter(
    async () => (await lastRuns(warehouse, orgId)).get(sourceId) ?? null,
    () => orchestration.startIngest(input),
  );
  // The workflow records the same run. Whichever comes first, the run exists before the caller gets the answer.
  await ingestRuns.record(
    warehouse,
    orgId,
    startedRun({ run_id: runId, source_id: sourceId, workflow_id: workflowId }, clock.now()),
  );
  return { run_id: runId, workflow_id: workflowId, status: 'running' };
};

/** Returns a page of runs, newest first. A running one shows how many rows it has read. */
export const runsOf = async (
  { warehouse, orchestration }: ApiDependencies,
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
      // The worker records a run as failed if the run cannot record its own end.
      return toWireRun(
        life.state === 'running' ? { ...run, rows_read: life.progress?.rowsRead ?? run.rows_read } : run,
      );
    }),
  );
  return { ...runs, data };
};
