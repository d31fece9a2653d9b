import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { Client, Connection, isGrpcServiceError, type ConnectionOptions } from '@temporalio/client';
import type { Logger } from 'pino';
import { summaryOf } from '../../activities/summarise-workflow.ts';
import { checkSource } from '../../activities/sources/checks/check-source.ts';
import { checkConnection } from '../../activities/imports/drivers.ts';
import { checkCredentials } from '../../activities/sources/check-credentials.ts';
import { buildServer } from '../../api/app.ts';
import { bytesOf } from '../../domain/shared/byte-size.ts';
import { SEARCH_ATTRIBUTES } from '../../workflows/contract.ts';
import { sourceRulesOf } from '../../egress/locations/source-rules.ts';
import { startDevServer } from '../../temporal/dev-server/dev-server.ts';
import { ensureSearchAttributes, untilSearchable } from '../../temporal/ensure-search-attributes.ts';
import { findTemporalCli } from '../../temporal/cli/find-temporal-cli.ts';
import { Orchestration } from '../../temporal/orchestration.ts';
import { Metrics } from '../../telemetry/metrics.ts';
import { observeStatements } from '../../telemetry/observe-statements.ts';
import type { Traces } from '../../telemetry/traces.ts';
import { takeScratch } from '../../warehouse/engine/readers/scratch.ts';
import { spillDirectory, Warehouse } from '../../warehouse/engine/warehouse.ts';
import { openSealer } from './open-sealer.ts';
import { onPort } from './free-port.ts';
import { returnMemoryOften } from './return-memory.ts';
import { endAtUncaught } from './log/end-at-uncaught.ts';
import { createDiskCheck, writtenFolders } from './disk-check.ts';
import { watchRuns } from './temporal/lost-runs.ts';
import { operatorKey } from '../settings/operator-key.ts';
import { keepPrivate } from '../settings/private-files.ts';
import { checkRemoteFiles, remoteFiles } from './remote-files.ts';
import { reconcileSchedules } from './temporal/schedules.ts';
import {
  clockOf,
  platformsOf,
  temporalPageOf,
  tracesEndpointOf,
  type Settings,
} from '../settings/settings.ts';
import { deleteOrganisation, finishDeletions } from './delete-organisation.ts';
import { makeSourceFolder, prepareSourceFolders } from './source-folders.ts';
import { temporalTarget } from './temporal/temporal-connection.ts';
import { VERSION } from '../settings/version.ts';
import { serveMetrics } from './metrics/metrics-server.ts';
import { reportProcess } from './metrics/process-metrics.ts';
import { reportWarehouse } from './metrics/warehouse-metrics.ts';
import { operatorBuckets, warehouseSettings } from './warehouse-settings.ts';
import type { LogLines } from './log/log-lines.ts';
import { startWorkers, type Closer } from './temporal/workers.ts';

/** The parts of the product that a process runs. */
export interface Roles {
  api: boolean;
  worker: boolean;
}

/** A running process of the product. */
export interface Service {
  /** Where the API listens, or null in a worker process. */
  url: string | null;
  /** The web page of the embedded Temporal server, or null if it serves none. */
  temporalPage: string | null;
  /** Ends it cleanly: answers current requests, stops activities or returns them to Temporal, and stores counts. */
  stop: () => Promise<void>;
  /** Resolves with the reason if a part of it ends by itself. */
  failed: Promise<Error>;
}

/** Broken DuckDBs of a DuckLake stay in memory. After so many the process ends, so that a supervisor starts it again. */
const MOST_LEFT = 10;

const DROPPED_LINES = {
  name: 'cost_analytics_log_lines_dropped',
  help: 'Lines that the log of this process has dropped, because they could not be written',
  labelNames: [],
};

/**
 * Starts the parts of the product in `roles`, each after the parts that it needs.
 *
 * @param lines counts the lines that the log has dropped.
 * @param progress receives a line every few seconds while the start waits for its Temporal server, which can take minutes once.
 */
export async function startService(
  settings: Settings,
  roles: Roles,
  log: Logger,
  lines: Pick<LogLines, 'dropped'>,
  progress: (line: string) => void = (line) => {
    log.warn(line);
  },
): Promise<Service> {
  const { dataDir } = settings;
  const clock = clockOf(settings);
  await keepPrivate(dataDir, log);
  const closers: Closer[] = [endAtUncaught(log)];
  let stopping: Promise<void> | null = null;
  const stop = (): Promise<void> => {
    stopping ??= closeAll(closers.splice(0).reverse(), log);
    return stopping;
  };
  let fail: (error: Error) => void = () => undefined;
  const failed = new Promise<Error>((resolve) => {
    fail = resolve;
  });
  try {
    const scratch = await takeScratch(spillDirectory(dataDir));
    closers.push(scratch.release);
    // Opens the warehouse before Temporal, because its lock also keeps a second process away from the Temporal server.
    const warehouse = await Warehouse.open(warehouseSettings(settings, scratch.folder));
    closers.push(() => {
      warehouse.close();
    });
    // Before anything else runs, because nobody could open what a wrong master key seals.
    const { sealer, writeKeyFile } = await openSealer(warehouse, settings, log);
    const metrics = new Metrics();
    metrics.gauge(DROPPED_LINES, () => Promise.resolve([[{}, lines.dropped]]));
    const traces = await tracesOf(settings, log);
    if (traces !== null) closers.unshift(traces.close);
    const tracer = traces?.tracer ?? null;
    warehouse.observer = observeStatements(metrics, tracer);
    reportWarehouse(metrics, { warehouse, sealer, clock, log });
    reportProcess(metrics, settings);
    warehouse.onBreakdown = (error) => {
      metrics.breakdowns.inc();
      log.error({ err: error }, 'the warehouse broke down');
      if (warehouse.left >= MOST_LEFT) fail(new Error(`the warehouse broke down ${warehouse.left} times`));
    };
    closers.push(returnMemoryOften(warehouse, log));
    await scratch.removeLeftovers();

    const embedded = settings.TEMPORAL_ADDRESS === null;
    const address =
      settings.TEMPORAL_ADDRESS ?? (await embeddedTemporal(settings, log, closers, { fail, progress }));
    const target = await temporalTarget(settings, address);
    // Only a Temporal of our own is certain to be on this machine, where a proxy of the environment has no place.
    const channelArgs = embedded ? { channelArgs: { 'grpc.enable_http_proxy': 0 } } : {};
    const connection = await connectTemporal({ ...target.options, ...channelArgs }, embedded);
    closers.push(() => connection.close());
    if (!embedded) await registerSearchAttributes(connection, target.namespace);
    const client = new Client({
      connection,
      namespace: target.namespace,
      interceptors: { workflow: traces === null ? [] : [traces.client] },
    });
    const orchestration = new Orchestration(client, {
      exportsNightly: settings.EXPORT_TO !== null,
      flushesOften: warehouse.isDuckLake,
      summaryOf: (input) => summaryOf(warehouse, input),
      backupHour: settings.BACKUP_TO === null ? null : settings.BACKUP_HOUR,
    });

    if (roles.worker) {
      const parts = { warehouse, clock, sealer, orchestration, settings, metrics, traces, log };
      await startWorkers(parts, target, closers, fail);
    }

    const stopping = new AbortController();
    const reconciled = reconcileSchedules({ warehouse, orchestration, clock, log }, stopping.signal);
    const watched = roles.worker
      ? watchRuns({ warehouse, orchestration, clock, metrics, log }, stopping.signal)
      : Promise.resolve();
    const prepared = prepareSourceFolders(warehouse, settings, log, stopping.signal).catch(
      (error: unknown) => {
        log.warn({ err: error }, 'the folders for exports could not be checked');
      },
    );
    const deleting = { warehouse, orchestration, clock, settings, log };
    // Only beside an API, which has made the folders.
    const deleted = roles.api ? finishDeletions(deleting, stopping.signal) : Promise.resolve();
    closers.push(async () => {
      stopping.abort();
      await Promise.all([reconciled, watched, prepared, deleted]);
    });
    const temporalPage = temporalPageOf(settings);
    if (settings.METRICS_PORT !== null) {
      const served = await onPort('metrics', settings, settings.METRICS_PORT, (address) =>
        serveMetrics(metrics, address),
      );
      closers.push(served.close);
      log.info({ url: served.url }, 'serving metrics');
    }
    if (!roles.api) return { url: null, temporalPage, stop, failed };

    const remote = remoteFiles(warehouse.settings, settings, log);
    closers.push(remote.close);
    const checking = {
      warehouse,
      clock,
      sourceRulesOf: sourceRulesOf(settings),
      openRemoteFiles: remote.open,
      operatorBuckets: operatorBuckets(settings),
      bigQueryEndpoint: settings.BIGQUERY_API_ENDPOINT,
    };
    const server = await buildServer(
      {
        warehouse,
        orchestration,
        clock,
        sourceRulesOf: sourceRulesOf(settings),
        makeSourceFolder: makeSourceFolder(settings, log),
        deleteOrganisation: (id) => deleteOrganisation(deleting, id),
        uploadLimit: bytesOf(settings.UPLOAD_LIMIT),
        checkRemoteFiles: checkRemoteFiles(warehouse.settings),
        checkSource: (asked, signal) => checkSource(checking, asked, signal),
        disk: createDiskCheck(writtenFolders(settings), log),
        sealer,
        writeKeyFile,
        checkCredentials: (given, signal) =>
          checkCredentials(given, {
            operatorBuckets: operatorBuckets(settings),
            privateTargets: settings.PRIVATE_TARGETS,
            bigQueryEndpoint: settings.BIGQUERY_API_ENDPOINT,
            signal,
          }),
        checkConnection: (connection, signal) => checkConnection(platformsOf(settings), connection, signal),
        metrics,
        tracer,
        operatorKey: await operatorKey(settings.OPERATOR_KEY, dataDir),
        publicUrl: settings.PUBLIC_URL,
        pages: dirname(createRequire(import.meta.url).resolve('#pages')),
        version: VERSION,
      },
      log,
    );
    closers.push(() => server.close());
    await server.answerAhead();
    const url = await onPort('api', settings, settings.port, (address) => server.listen(address));
    return { url, temporalPage, stop, failed };
  } catch (error) {
    await stop().catch((logged: unknown) => logged);
    throw error;
  }
}

/** Begins to send traces if the settings ask for them. Otherwise OpenTelemetry's SDK is not loaded. */
async function tracesOf(settings: Settings, log: Logger): Promise<Traces | null> {
  const endpoint = tracesEndpointOf(settings);
  if (endpoint === null) return null;
  const { openTraces } = await import('../../telemetry/traces.ts');
  const { OTEL_SERVICE_NAME: service, OTEL_EXPORTER_OTLP_HEADERS: headers } = settings;
  return openTraces({ endpoint, headers, service, version: VERSION, log });
}

/** Ends every part, even after a failure, so that no Temporal server stays behind. Throws the first error. */
async function closeAll(closers: readonly Closer[], log: Logger): Promise<void> {
  const failures: unknown[] = [];
  for (const close of closers) {
    try {
      await close();
    } catch (error) {
      log.error({ err: error }, 'a part of the service could not end cleanly');
      failures.push(error);
    }
  }
  if (failures.length > 0) throw failures[0];
}

/** How often a start says that it still waits for its Temporal server. */
const WAITING_MS = 5_000;

async function embeddedTemporal(
  settings: Settings,
  log: Logger,
  closers: Closer[],
  { fail, progress }: { fail: (error: Error) => void; progress: (line: string) => void },
): Promise<string> {
  const cli = await findTemporalCli({
    env: process.env,
    progress,
    looked: (line) => {
      log.info(line);
    },
  });
  const started = performance.now();
  const waiting = setInterval(() => {
    const seconds = Math.round((performance.now() - started) / 1000);
    progress(
      `Temporal: its server is starting, with ${join(settings.dataDir, 'temporal.log')} … ${seconds} s`,
    );
  }, WAITING_MS);
  const server = await startDevServer({
    cli,
    dataDir: settings.dataDir,
    uiPort: settings.TEMPORAL_UI_PORT,
    namespace: settings.TEMPORAL_NAMESPACE,
    searchAttributes: SEARCH_ATTRIBUTES,
    log,
  }).finally(() => {
    clearInterval(waiting);
  });
  let stopping = false;
  closers.push(async () => {
    stopping = true;
    await server.stop();
  });
  void server.damaged.then((words) => {
    const error = new Error(
      `Temporal's database ${join(settings.dataDir, 'temporal.db')} is damaged (${words}); ` +
        'start the service again: it sets the database aside and restores schedules and open work from the warehouse',
    );
    log.error({ err: error }, 'the Temporal server cannot continue');
    fail(error);
  });
  void server.exited.then(() => {
    if (!stopping)
      fail(
        new Error(`the Temporal server ended unexpectedly; see ${join(settings.dataDir, 'temporal.log')}`),
      );
  });
  return server.address;
}

/** gRPC's status for a namespace that does not exist. */
const NOT_FOUND = 5;

/** Connects to Temporal. Names the settings if a server that they describe does not answer. */
async function connectTemporal(options: ConnectionOptions, embedded: boolean): Promise<Connection> {
  try {
    return await Connection.connect(options);
  } catch (cause) {
    if (embedded) throw cause;
    const given = `TEMPORAL_ADDRESS: expected a Temporal server, but ${options.address} did not answer as one`;
    throw new Error(`${given}; check also TEMPORAL_TLS_… and TEMPORAL_API_KEY`, { cause });
  }
}

/** Adds the search attributes of workflows. If an external Temporal does not allow it, throws the command for its operator. */
async function registerSearchAttributes(connection: Connection, namespace: string): Promise<void> {
  try {
    await ensureSearchAttributes(connection, namespace, SEARCH_ATTRIBUTES);
  } catch (cause) {
    const code: number | null = isGrpcServiceError(cause) ? cause.code : null;
    if (code === NOT_FOUND)
      throw new Error(`TEMPORAL_NAMESPACE: expected a namespace of the Temporal server, got ${namespace}`, {
        cause,
      });
    const names = Object.keys(SEARCH_ATTRIBUTES);
    const flags = Object.entries(SEARCH_ATTRIBUTES).map(([name, type]) => `--name ${name} --type ${type}`);
    throw new Error(
      `the Temporal namespace ${namespace} needs the search attributes ${names.join(' and ')}: ` +
        `temporal operator search-attribute create --namespace ${namespace} ${flags.join(' ')}`,
      { cause },
    );
  }
  await untilSearchable(connection, namespace, SEARCH_ATTRIBUTES);
}
