import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { logFailure, type FailedWork } from '../../../activities/shared/log-failure.ts';
import type { Clock } from '../../../domain/shared/clock.ts';
import { ServiceError } from '../../../domain/shared/errors.ts';
import type { Orchestration } from '../../../temporal/orchestration.ts';
import { COST_SOURCES } from '../../../warehouse/sources/cost-sources.ts';
import type { Metrics } from '../../../telemetry/metrics.ts';
import type { OpenRun } from '../../../warehouse/engine/records/run-log.ts';
import { importRuns } from '../../../warehouse/imports/import-runs.ts';
import { ingestRuns } from '../../../warehouse/sources/ingest-runs.ts';
import type { Warehouse } from '../../../warehouse/engine/warehouse.ts';

/** A lost run must fail within a minute, into which two checks fit. */
const LOOK_EVERY_MS = 20_000;

interface Parts {
  warehouse: Warehouse;
  orchestration: Orchestration;
  clock: Clock;
  metrics: Metrics;
  log: Logger;
}

/**
 * Records runs as failed if their workflow ended without a record, until `stopping`. An operator may have terminated it, or
 * Temporal may have lost it, and then the source is read again. If Temporal does not respond, no run fails.
 */
export async function watchRuns(parts: Parts, stopping: AbortSignal): Promise<void> {
  while (!stopping.aborted) {
    await failLostRuns(parts, stopping).catch((error: unknown) => {
      if (!stopping.aborted)
        parts.log.warn({ err: error }, 'the runs could not be compared with Temporal; trying again');
    });
    await sleep(LOOK_EVERY_MS, undefined, { signal: stopping }).catch((aborted: unknown) => aborted);
  }
}

async function failLostRuns(parts: Parts, stopping: AbortSignal): Promise<void> {
  const { warehouse, orchestration, log } = parts;
  const ingests = await ingestRuns.open(warehouse);
  const imports = await importRuns.open(warehouse);
  if (ingests.length + imports.length === 0) return;
  const running = await orchestration.runningRuns();
  const checks = [
    ...ingests.map((run) => ({
      run,
      check: () => failIfLost(parts, ingestRuns, run, nextIngest, { kind: 'ingest', source: run.source_id }),
    })),
    ...imports.map((run) => ({
      run,
      check: () => failIfLost(parts, importRuns, run, nextImport, { kind: 'import', metric: run.metric_id }),
    })),
  ];
  for (const { run, check } of checks.filter((one) => !running.has(one.run.run_id))) {
    if (stopping.aborted) return;
    // An error about one run must not keep the others from being checked.
    await check().catch((error: unknown) => {
      log.warn({ err: error, run: run.run_id }, 'a run could not be compared with Temporal; trying again');
    });
  }
}

/** Returns what follows a lost run, in words. Temporal has ended its workflow, or no longer knows it. */
type Next<Lost> = (parts: Parts, run: Lost, state: 'closed' | 'unknown') => Promise<string>;

async function failIfLost<Lost extends OpenRun<never>>(
  parts: Parts,
  runs: Pick<typeof ingestRuns | typeof importRuns, 'fail'>,
  run: Lost,
  next: Next<Lost>,
  work: Pick<FailedWork, 'kind' | 'source' | 'metric'>,
): Promise<void> {
  const { warehouse, orchestration, clock, metrics, log } = parts;
  const life = await orchestration.lifeOf(run.workflow_id, run.run_id);
  if (life.state === 'running') return;
  const how =
    life.state === 'closed'
      ? `the workflow has ended without a result: ${life.how}`
      : 'Temporal no longer knows the workflow';
  const error = `${how}; ${await next(parts, run, life.state)}`;
  if (!(await runs.fail(warehouse, run, error, clock.now()))) return;
  metrics.lostRuns.inc();
  logFailure(log, { ...work, organisation: run.org_id, run: run.run_id, reason: error });
}

const nextIngest: Next<OpenRun<'source_id'>> = async (parts, run, state) =>
  state === 'unknown' && (await readAgain(parts, run)) ? 'the source is read again' : 'run the ingest again';

/** The next daily import reads what a lost one has missed. */
const nextImport: Next<OpenRun<'metric_id'>> = () =>
  Promise.resolve('run the import again, or wait for the next daily one');

/** Starts an ingest of the whole source, which includes the months of the lost run. Returns false if the source is gone. */
async function readAgain(
  { warehouse, orchestration }: Parts,
  { org_id: orgId, source_id: sourceId }: OpenRun<'source_id'>,
): Promise<boolean> {
  if ((await COST_SOURCES.find(warehouse, orgId, sourceId)) === null) return false;
  await orchestration
    .startIngest({ orgId, sourceId, startMonth: null, endMonth: null })
    .catch((error: unknown) => {
      // An ingest is running already, because a person or a process that died during this has started it.
      if (!(error instanceof ServiceError)) throw error;
    });
  return true;
}
