import { join } from 'node:path';
import { NativeConnection, Worker, type InjectedSinks, type WorkerOptions } from '@temporalio/worker';
import type { Logger } from 'pino';
import { createBackupActivities } from '../../../activities/back-up-warehouse.ts';
import { createDeliveryActivities } from '../../../activities/deliver-webhook.ts';
import { createExportActivities } from '../../../activities/export-data.ts';
import { createImportActivities, noteRetryOnImport } from '../../../activities/import-values.ts';
import { createIngestActivities, noteRetryOnRun } from '../../../activities/ingest-costs.ts';
import { classifyFailures } from '../../../activities/shared/classify-failures.ts';
import { createMaintenanceActivities } from '../../../activities/maintain-warehouse.ts';
import { createEventActivities } from '../../../activities/raise-events.ts';
import { createSettlementActivities } from '../../../activities/settle-months.ts';
import { createStartActivities } from '../../../activities/start-deliveries.ts';
import { createSummaryActivities } from '../../../activities/summarise-workflow.ts';
import { refuseDeleted } from '../../../activities/shared/refuse-deleted.ts';
import { sealFailures } from '../../../activities/shared/seal-failures.ts';
import { nameWork } from '../../../activities/shared/name-work.ts';
import { measureActivities } from '../../../activities/shared/measure-activities.ts';
import { stayAlive } from '../../../activities/shared/with-heartbeats.ts';
import { limitFairly } from '../../../activities/shared/limit-fairly.ts';
import type { Clock } from '../../../domain/shared/clock.ts';
import { hideFolders } from '../../../domain/shared/text/hide-folders.ts';
import { FairLimiter } from '../../../domain/shared/fair-limiter.ts';
import {
  aloneQueueOf,
  DELIVERY_TASK_QUEUE,
  TASK_QUEUE,
  WORKFLOW_NAMES,
  WORKFLOWS,
  type ResultSinks,
} from '../../../workflows/contract.ts';
import { sourceRulesOf } from '../../../egress/locations/source-rules.ts';
import type { Sealer } from '../../../security/sealing.ts';
import type { Orchestration } from '../../../temporal/orchestration.ts';
import type { Metrics } from '../../../telemetry/metrics.ts';
import type { Traces } from '../../../telemetry/traces.ts';
import type { Warehouse } from '../../../warehouse/engine/warehouse.ts';
import { countFromZero } from '../metrics/count-from-zero.ts';
import { remoteFiles } from '../remote-files.ts';
import { operatorBuckets } from '../warehouse-settings.ts';
import { operatorFolders } from '../../settings/operator-folders.ts';
import { platformsOf, type Settings } from '../../settings/settings.ts';
import type { temporalTarget } from './temporal-connection.ts';
import { installRuntime } from './temporal-log.ts';
import { VERSION } from '../../settings/version.ts';

/** Ends a part of the service. */
export type Closer = () => Promise<void> | void;

/** The parts of the service that activities use. */
interface Parts {
  warehouse: Warehouse;
  clock: Clock;
  sealer: Sealer;
  orchestration: Orchestration;
  settings: Settings;
  metrics: Metrics;
  traces: Traces | null;
  log: Logger;
}

/** How long activities may continue after SIGTERM before the worker returns them to Temporal. */
const GRACE = '5s';

/** Activities that run at once, each on a session of the warehouse: in total, and of one organisation. */
const LIMITS = { total: 4, each: 2, mostWaiting: Infinity };

/** Activities that a worker holds. Most of them wait for their turn. */
const MOST_ACTIVITIES = 100;

/** Deliveries that may wait for an endpoint's response at once. Further ones wait in the queue. */
const MOST_DELIVERIES = 50;

/** A worker of steps that may end it runs one of them at a time. */
const ALONE = { maxConcurrentActivityTaskExecutions: 1, maxConcurrentActivityTaskPolls: 1 };

/** Starts the workers of the pipelines and of the deliveries, and adds their ends to `closers`. */
export async function startWorkers(
  parts: Parts,
  target: Awaited<ReturnType<typeof temporalTarget>>,
  closers: Closer[],
  fail: (error: Error) => void,
): Promise<void> {
  const { warehouse, clock, settings, metrics, traces, log } = parts;
  installRuntime(log);
  const connection = await NativeConnection.connect(target.options);
  closers.push(() => connection.close());
  const remote = remoteFiles(warehouse.settings, settings, log);
  closers.push(remote.close);
  const run = async (options: Omit<WorkerOptions, 'connection' | 'namespace'>): Promise<void> => {
    const worker = await Worker.create({
      connection,
      namespace: target.namespace,
      shutdownGraceTime: GRACE,
      ...options,
    });
    const running = worker.run();
    running.catch((error: unknown) => {
      fail(error instanceof Error ? error : new Error(String(error)));
    });
    closers.push(async () => {
      if (worker.getState() === 'RUNNING') worker.shutdown();
      await running.catch((error: unknown) => {
        log.error({ err: error }, 'the worker ended with an error');
      });
    });
  };
  const { PRIVATE_TARGETS: privateTargets } = settings;
  const noteRetry = async (...failed: Parameters<ReturnType<typeof noteRetryOnRun>>): Promise<void> => {
    await noteRetryOnRun({ warehouse, log })(...failed);
    await noteRetryOnImport({ warehouse, log })(...failed);
  };
  countFromZero(metrics);
  const limiter = new FairLimiter(LIMITS);
  metrics.watchPlaces('activities', limiter);
  const pipelines = {
    ...createIngestActivities({
      warehouse,
      clock,
      sealer: parts.sealer,
      sourceRulesOf: sourceRulesOf(settings),
      openRemoteFiles: remote.open,
      operatorBuckets: operatorBuckets(settings),
      bigQueryEndpoint: settings.BIGQUERY_API_ENDPOINT,
      metrics,
      log,
    }),
    ...createImportActivities({
      warehouse,
      clock,
      sealer: parts.sealer,
      platforms: platformsOf(settings),
      metrics,
      log,
    }),
    ...createSettlementActivities({ warehouse, clock }),
    ...createEventActivities({ warehouse, clock }),
    ...createStartActivities({ warehouse, clock, starter: parts.orchestration }),
    ...createSummaryActivities({ warehouse }),
    ...createMaintenanceActivities({ warehouse, clock, log }),
    ...createBackupActivities({
      warehouse,
      clock,
      metrics,
      log,
      version: VERSION,
      to: settings.BACKUP_TO,
      keep: settings.BACKUP_KEEP,
    }),
    ...createExportActivities({
      warehouse,
      clock,
      sealer: parts.sealer,
      target: settings.EXPORT_TO,
      rules: { objectStorage: warehouse.settings.objectStorage, privateTargets },
      log,
    }),
  };
  const deliveries = createDeliveryActivities({
    warehouse,
    clock,
    sealer: parts.sealer,
    privateTargets,
    timeoutMs: settings.webhookTimeoutMs,
    userAgent: `cost-analytics/${VERSION}`,
    metrics,
    log,
  });
  const outer = [
    nameWork,
    stayAlive,
    sealFailures(parts.sealer, log),
    refuseDeleted(warehouse),
    ...(traces === null ? [] : [traces.activity]),
  ];
  const pipelineSteps = {
    activities: pipelines,
    interceptors: {
      activity: [
        ...outer,
        classifyFailures(noteRetry, hideFolders(operatorFolders(settings)), log),
        limitFairly(limiter),
        measureActivities(metrics),
      ],
    },
    // The progress of ingests comes from heartbeats.
    maxHeartbeatThrottleInterval: '1s',
  } satisfies Partial<WorkerOptions>;
  const deliverySteps = {
    activities: deliveries,
    interceptors: { activity: [...outer, measureActivities(metrics)] },
  };
  await run({
    ...pipelineSteps,
    taskQueue: TASK_QUEUE,
    workflowBundle: {
      codePath: join(
        import.meta.dirname,
        '../../../workflows',
        traces === null ? 'bundle.js' : 'traced-bundle.js',
      ),
    },
    sinks: { ...countResults(metrics), ...traces?.sinks },
    maxConcurrentActivityTaskExecutions: MOST_ACTIVITIES,
    workflowFailureErrorTypes: {
      '*': [],
      ...Object.fromEntries(
        WORKFLOW_NAMES.filter((name) => WORKFLOWS[name].beginsAnew).map((name) => [name, ['Error']]),
      ),
    },
  });
  await run({
    ...deliverySteps,
    taskQueue: DELIVERY_TASK_QUEUE,
    maxConcurrentActivityTaskExecutions: MOST_DELIVERIES,
  });
  await run({ ...pipelineSteps, ...ALONE, taskQueue: aloneQueueOf(TASK_QUEUE) });
  await run({ ...deliverySteps, ...ALONE, taskQueue: aloneQueueOf(DELIVERY_TASK_QUEUE) });
}

const countResults = ({ workflowRuns }: Metrics): InjectedSinks<ResultSinks> => ({
  results: {
    ended: {
      fn: ({ workflowType: workflow }, result) => {
        workflowRuns.inc({ workflow, result });
      },
      callDuringReplay: false,
    },
  },
});
