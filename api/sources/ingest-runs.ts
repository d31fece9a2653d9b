import { z } from 'zod';
import { toWire, type DecimalText } from '../../domain/shared/decimals.ts';
import type { IngestInput } from '../../domain/sources/ingest.ts';
import {
  ingestRuns,
  lastRuns,
  listRuns,
  startedRun,
  type IngestRun,
} from '../../warehouse/sources/ingest-runs.ts';
import { COST_SOURCES } from '../../warehouse/sources/cost-sources.ts';
import { changesOfRuns, type MonthChange } from '../../warehouse/sources/run-changes.ts';
import type { Derived } from '../../warehouse/engine/cache/derived-cache.ts';
import type { Revisions } from '../../warehouse/engine/cache/revisions.ts';
import type { Warehouse } from '../../warehouse/engine/warehouse.ts';
import type { ApiDependencies } from '../http/dependencies.ts';
import { instant, month } from '../http/fields.ts';
import { found } from '../http/found.ts';
import { checkCursor, page, type pageQuery } from '../http/paging.ts';

const monthChange = z
  .object({
    month: z.string(),
    before: z.number().nullable().describe('Null if the source had no cost of the month'),
    after: z.number().nullable(),
  })
  .meta({ id: 'MonthChange', description: 'The cost of a source in a month, before and after a run.' });

export const runRecord = z
  .object({
    run_id: z.string(),
    workflow_id: z.string(),
    status: z.enum(['running', 'completed', 'failed']),
    started_at: instant,
    finished_at: instant.nullable(),
    months: z
      .array(z.string())
      .describe('Months of the days that the run loaded; none if nothing of the source had changed'),
    files_read: z
      .number()
      .nullable()
      .describe('Data files that the run read, without manifests; null in runs of earlier versions'),
    files_unchanged: z
      .number()
      .nullable()
      .describe('Data files that the run did not read, because nothing of their billing periods had changed'),
    bytes_read: z.number().nullable().describe('The size of the files that the run read'),
    rows_read: z.number().describe('While the run is under way: rows read so far'),
    rows_rejected: z.number(),
    rows_left_out: z
      .number()
      .nullable()
      .describe('Rows that the run read and left out: other months, shared cost, usage without spend'),
    rejected_samples: z.array(
      z.object({ problem: z.string(), file: z.string().nullable(), rows: z.number() }),
    ),
    cost_total: z
      .number()
      .nullable()
      .describe('The cost of what the run loaded: 0 if nothing had changed; null until it has loaded'),
    changes: z
      .array(monthChange)
      .describe(
        'Months whose cost of the source the run changed, oldest first; by the begin of the billing period',
      ),
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
    all: z
      .boolean()
      .nullish()
      .describe('Whether to read files, too, that have not changed since the last run'),
  })
  .refine(({ start_month: start, end_month: end }) => !start || !end || end >= start, {
    path: ['end_month'],
    error: 'expected a month not before start_month',
  })
  .nullish()
  .describe('What to load; all billing periods of which something has changed without it');

export const ingestStarted = z.object({
  run_id: z.string(),
  workflow_id: z.string(),
  status: z.literal('running'),
});

type WireRun = z.infer<typeof runRecord>;

const moneyOrNull = (amount: DecimalText | null): number | null => (amount === null ? null : toWire(amount));

/** Returns a run as the API shows it. */
const toWireRun = (
  { source_id: _, cost_total, ...record }: IngestRun,
  changes: ReadonlyMap<string, readonly MonthChange[]>,
): WireRun => ({
  ...record,
  cost_total: moneyOrNull(cost_total),
  changes: (changes.get(record.run_id) ?? []).map(({ month, before, after }) => ({
    month,
    before: moneyOrNull(before),
    after: moneyOrNull(after),
  })),
});

/** Returns the newest run of each of the organisation's sources as the API shows it, by source id. */
export async function shownLastRuns(warehouse: Warehouse, orgId: string): Promise<Map<string, WireRun>> {
  const runs = await lastRuns(warehouse, orgId);
  const changes = await changesOfRuns(warehouse, orgId, [...runs.values()]);
  return new Map([...runs].map(([sourceId, run]) => [sourceId, toWireRun(run, changes)]));
}

/** Starts an ingest of a source and records its run. */
export async function startIngest(
  { warehouse, orchestration, clock }: ApiDependencies,
  orgId: string,
  sourceId: string,
  body: z.infer<typeof ingestBody>,
): Promise<z.infer<typeof ingestStarted>> {
  const startMonth = body?.start_month ?? null;
  const endMonth = body?.end_month ?? null;
  const acceptShrink = body?.accept_shrink ?? false;
  const readAll = body?.all ?? false;
  const input: IngestInput = { orgId, sourceId, startMonth, endMonth, acceptShrink, readAll };
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
}

/** A page of runs, and what they changed. */
interface RunsPage {
  runs: Awaited<ReturnType<typeof page<IngestRun, z.ZodString>>>;
  changes: ReadonlyMap<string, readonly MonthChange[]>;
}

const RUNS_PAGE: Derived<RunsPage> = {
  name: 'page of runs',
  from: ['cost_source_versions', 'ingest_run_events', 'loads'],
  bytesOf: ({ runs, changes }) => JSON.stringify([runs, ...changes]).length,
};

/**
 * Returns a page of a source's runs, newest first. A running one shows how many rows it has read. Clients ask again and again
 * while a run is under way, so that the rest of the page is remembered.
 */
export async function runsOf(
  { warehouse, orchestration }: ApiDependencies,
  revisions: Revisions,
  orgId: string,
  sourceId: string,
  query: z.infer<typeof pageQuery>,
) {
  checkCursor(query, z.string());
  const key = JSON.stringify([sourceId, query.limit, query.cursor ?? null]);
  const { runs, changes } = await warehouse.cache.cached(revisions, RUNS_PAGE, orgId, key, async () => {
    found('cost source', sourceId, await COST_SOURCES.find(warehouse, orgId, sourceId));
    const read = await page(
      query,
      z.string(),
      (part) => listRuns(warehouse, orgId, sourceId, part),
      ({ run_id }) => run_id,
    );
    return { runs: read, changes: await changesOfRuns(warehouse, orgId, read.data) };
  });
  const data = await Promise.all(
    runs.data.map(async (run): Promise<WireRun> => {
      if (run.status !== 'running') return toWireRun(run, changes);
      const life = await orchestration.lifeOf(run.workflow_id, run.run_id);
      // The worker records a run as failed if the run cannot record its own end.
      return toWireRun(
        life.state === 'running' ? { ...run, rows_read: life.progress?.rowsRead ?? run.rows_read } : run,
        changes,
      );
    }),
  );
  return { ...runs, data };
}
