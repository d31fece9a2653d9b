import type { Client } from '@temporalio/client';
import {
  isGrpcDeadlineError,
  isGrpcServiceError,
  isRetryableError,
  ScheduleAlreadyRunning,
  ScheduleNotFoundError,
  ScheduleOverlapPolicy,
  ServiceError as TemporalServiceError,
  WorkflowExecutionAlreadyStartedError,
  WorkflowFailedError,
  WorkflowIdConflictPolicy,
  WorkflowIdReusePolicy,
  WorkflowNotFoundError,
  type ScheduleOptions,
  type ScheduleSummary,
  type WorkflowExecutionDescription,
  type WorkflowExecutionStatusName,
  type WorkflowStartOptions,
} from '@temporalio/client';
import { rootCause } from '@temporalio/common';
import { importWorkflowId, type ImportInput } from '../domain/imports/connection.ts';
import { conflict, ServiceError, unavailable } from '../domain/shared/errors.ts';
import type { DeliveryInput } from '../domain/events/webhook.ts';
import {
  executionIdOf,
  ingestWorkflowId,
  runIdOf,
  type IngestInput,
  type IngestProgress,
} from '../domain/sources/ingest.ts';
import {
  numbersChanged,
  startOf,
  workflowIdOf,
  WORKFLOWS,
  type WorkflowName,
  type Workflows,
} from '../workflows/contract.ts';

const CALL_DEADLINE_MS = 5_000;

/** A worker that dies after it has recorded the end of a run leaves the workflow open until its step times out, after 10 s. */
const CLOSE_DEADLINE_MS = 20_000;

/** Of a list with several pages. */
const LIST_DEADLINE_MS = 30_000;

/** The state in Temporal of a run that the warehouse shows as running. */
export type RunLife =
  | { state: 'running'; progress: IngestProgress | null }
  /** `how`, in words: completed, failed, terminated, timed out …, with Temporal's reason. */
  | { state: 'closed'; how: string }
  /** Temporal never had the run, or has forgotten it. */
  | { state: 'unknown' };

/** A run as the warehouse has it. */
interface RecordedRun {
  run_id: string;
  workflow_id: string;
  status: string;
}

/** A metric with a daily import. */
type ImportScheduleInput = Pick<ImportInput, 'orgId' | 'metricId'>;

/** Returns the summary of a workflow with this input, such as "AWS of Acme, 2026-01"; null while the names are unknown. */
type SummaryOf = (input: { orgId: string }) => Promise<string | null>;

/** The workflows that have an input. */
type WorkflowWithInput = {
  [Name in WorkflowName]: Parameters<Workflows[Name]> extends [] ? never : Name;
}[WorkflowName];

interface IngestScheduleInput {
  orgId: string;
  sourceId: string;
  paused: boolean;
}

/** Starts, reads and schedules workflows for the API and the command. */
export class Orchestration {
  readonly #client: Client;
  readonly #exportsNightly: boolean;
  readonly #flushesOften: boolean;
  readonly #summaryOf: SummaryOf;
  readonly #backupHour: number | null;

  /**
   * @param exportsNightly whether each organisation has a schedule for its nightly export.
   * @param flushesOften whether small writes are written to files every ten minutes.
   * @param summaryOf reads the names of what a workflow works on.
   * @param backupHour the hour (UTC) of the nightly backup; null makes none.
   */
  constructor(
    client: Client,
    {
      exportsNightly = false,
      flushesOften = false,
      summaryOf = () => Promise.resolve(null),
      backupHour = null,
    }: {
      exportsNightly?: boolean;
      flushesOften?: boolean;
      summaryOf?: SummaryOf;
      backupHour?: number | null;
    } = {},
  ) {
    this.#client = client;
    this.#exportsNightly = exportsNightly;
    this.#flushesOften = flushesOften;
    this.#summaryOf = summaryOf;
    this.#backupHour = backupHour;
  }

  /** Throws unless Temporal answers. */
  async ping(): Promise<void> {
    await this.#client.connection.withDeadline(Date.now() + 2_000, () =>
      this.#client.workflowService.getSystemInfo({}),
    );
  }

  /** Starts an ingest now. Throws a conflict if one of the same source is running (docs/workflows.md#all-workflows). */
  async startIngest(input: IngestInput): Promise<{ runId: string; workflowId: string }> {
    return this.#start('ingestCosts', input).catch(
      on(WorkflowExecutionAlreadyStartedError, () => {
        throw conflict(
          'an ingest of this cost source is running; wait until it has ended (GET …/runs shows it)',
        );
      }),
    );
  }

  /** Starts an import now. Throws a conflict if one of the same metric is running. */
  async startImport(input: ImportInput): Promise<{ runId: string; workflowId: string }> {
    return this.#start('importMetricValues', input).catch(
      on(WorkflowExecutionAlreadyStartedError, () => {
        throw conflict(
          'an import of this metric is running; wait until it has ended (GET …/import shows it)',
        );
      }),
    );
  }

  /** Starts an import now. A running one of the same metric ends, because its connection was replaced. */
  async restartImport(input: ImportInput): Promise<{ runId: string; workflowId: string }> {
    return this.#start('importMetricValues', input, {
      workflowIdConflictPolicy: WorkflowIdConflictPolicy.TERMINATE_EXISTING,
    });
  }

  /** Schedules a metric's daily import. Idempotent. */
  async scheduleImport(connection: ImportScheduleInput): Promise<void> {
    await this.#soon(() => this.#create(importSchedule(connection)));
  }

  /** Ends the running import of a metric, and removes its schedule. Idempotent. */
  async unscheduleImport(connection: ImportScheduleInput): Promise<void> {
    const id = importWorkflowId(connection);
    await this.#delete(id);
    await this.#soon(() =>
      this.#client.workflow.getHandle(id).terminate('the metric was disconnected'),
    ).catch(on(WorkflowNotFoundError, () => undefined));
  }

  /** Starts the delivery of an event to a webhook. A second start of the same delivery does nothing. */
  async startDelivery(delivery: DeliveryInput): Promise<void> {
    await this.#start('deliverWebhook', delivery, {
      workflowIdReusePolicy: WorkflowIdReusePolicy.REJECT_DUPLICATE,
    }).catch(on(WorkflowExecutionAlreadyStartedError, () => undefined));
  }

  /**
   * Starts the evaluation of an organisation's events. One that is running evaluates again at its end. It then sees all
   * that was written before this call.
   */
  async numbersChanged(orgId: string): Promise<void> {
    const start = await this.#startOf('raiseEvents', { orgId });
    await this.#soon(() =>
      this.#client.workflow.signalWithStart<Workflows['raiseEvents']>('raiseEvents', {
        ...start,
        signal: numbersChanged,
        signalArgs: [],
      }),
    );
  }

  /** Starts a workflow. Unless `policies` say otherwise, only one under its id runs at a time. */
  async #start<Name extends WorkflowWithInput>(
    name: Name,
    input: Parameters<Workflows[Name]>[0],
    policies: Partial<Pick<WorkflowStartOptions, 'workflowIdConflictPolicy' | 'workflowIdReusePolicy'>> = {},
  ): Promise<{ runId: string; workflowId: string }> {
    const start = await this.#startOf(name, ...([input] as Parameters<Workflows[Name]>));
    const handle = await this.#soon(() => this.#client.workflow.start(name, { ...start, ...policies }));
    return { runId: runIdOf(handle.firstExecutionRunId), workflowId: handle.workflowId };
  }

  /** Returns what a start needs, with the names of what the workflow works on. */
  async #startOf<Name extends WorkflowWithInput>(name: Name, ...args: Parameters<Workflows[Name]>) {
    const [input] = args;
    const summary = await this.#summaryOf(input);
    return { ...startOf(name, ...args), ...(summary === null ? {} : { staticSummary: summary }) };
  }

  /**
   * Starts a run. Temporal can refuse the start although the last run has recorded its end. This then waits until the workflow
   * of that run is closed too, for at most 20 s, and starts again.
   */
  async startAfter<Started>(
    lastRun: () => Promise<RecordedRun | null>,
    start: () => Promise<Started>,
  ): Promise<Started> {
    return start().catch(async (error: unknown) => {
      const refused = error instanceof ServiceError && error.kind === 'conflict';
      const last = refused ? await lastRun() : null;
      if (last === null || last.status === 'running') throw error;
      const life = await this.lifeOf(last.workflow_id, last.run_id);
      if (life.state === 'running')
        await this.#reasonOfEnd(last.workflow_id, executionIdOf(last.run_id), CLOSE_DEADLINE_MS).catch(
          on(ServiceError, () => null),
        );
      return start();
    });
  }

  /** The state of a run. Throws if Temporal does not answer. */
  async lifeOf(workflowId: string, runId: string): Promise<RunLife> {
    const newest = await this.#describe(workflowId);
    const own =
      newest !== null && runOf(newest, newest.raw.workflowExecutionInfo) === runId
        ? newest
        : await this.#describe(workflowId, executionIdOf(runId));
    if (own === null) return { state: 'unknown' };
    if (!CLOSED.has(own.status.name))
      return { state: 'running', progress: heartbeat(own.raw.pendingActivities) };
    const words = own.status.name.toLowerCase().replaceAll('_', ' ');
    const reason = await this.#reasonOfEnd(workflowId, own.runId);
    return { state: 'closed', how: reason === null ? words : `${words} (${reason})` };
  }

  /** The ids of the ingests and imports that Temporal has as running. A run that has just begun may be missing. */
  async runningRuns(): Promise<ReadonlySet<string>> {
    const query = `WorkflowType IN ('ingestCosts', 'importMetricValues') AND ExecutionStatus = 'Running'`;
    return this.#soon(async () => {
      const running = new Set<string>();
      for await (const execution of this.#client.workflow.list({ query, pageSize: 1000 }))
        running.add(runOf(execution, execution.raw));
      return running;
    });
  }

  /** An execution of a workflow, by default the newest; null if Temporal does not have it. */
  async #describe(workflowId: string, executionId?: string): Promise<WorkflowExecutionDescription | null> {
    return await this.#soon(() => this.#client.workflow.getHandle(workflowId, executionId).describe()).catch(
      on(WorkflowNotFoundError, () => null),
    );
  }

  /** Waits until an execution is closed. Returns the reason of its failure, if Temporal has one. */
  async #reasonOfEnd(
    workflowId: string,
    executionId: string | undefined,
    deadlineMs = CALL_DEADLINE_MS,
  ): Promise<string | null> {
    const handle = this.#client.workflow.getHandle(workflowId, executionId);
    return await this.#soon(() => handle.result(), deadlineMs).then(
      () => null,
      on(WorkflowFailedError, ({ cause }) => rootCause(cause) ?? null),
    );
  }

  /** Schedules a source's daily ingest, or pauses or resumes the schedule that is there. Idempotent. */
  async scheduleIngest(input: IngestScheduleInput): Promise<void> {
    const schedule = ingestSchedule(input);
    await this.#soon(async () => {
      if (await this.#create(schedule)) return;
      const handle = this.#client.schedule.getHandle(schedule.scheduleId);
      await (input.paused
        ? handle.pause('paused through the API')
        : handle.unpause('resumed through the API'));
    });
  }

  /** Removes a source's schedule, if it has one. */
  async unscheduleIngest(orgId: string, sourceId: string): Promise<void> {
    await this.#delete(ingestWorkflowId(orgId, sourceId));
  }

  /** Schedules what runs daily for an organisation: the settlement of its months, and its export. Idempotent. */
  async scheduleOrganisation(orgId: string, name: string): Promise<void> {
    for (const schedule of this.#schedulesOf(orgId)) await this.#soon(() => this.#create(schedule, name));
  }

  /**
   * Removes all schedules of an organisation, and terminates its workflows. `known` are the sources and metrics of the warehouse,
   * because Temporal's lists can lack what was made a moment ago. Idempotent.
   */
  async endOrganisation(
    orgId: string,
    known: { sources: readonly string[]; metrics: readonly string[] },
  ): Promise<void> {
    for (const scheduleId of [
      settlementSchedule(orgId).scheduleId,
      exportSchedule(orgId).scheduleId,
      ...known.sources.map((sourceId) => ingestWorkflowId(orgId, sourceId)),
      ...known.metrics.map((metricId) => importWorkflowId({ orgId, metricId })),
    ])
      await this.#delete(scheduleId);
    const listed = await this.#soon(async () => {
      const found = [];
      for await (const { scheduleId } of this.#client.schedule.list()) found.push(scheduleId);
      return found;
    }, LIST_DEADLINE_MS);
    for (const scheduleId of listed)
      if (scheduleId.split('/').includes(orgId)) await this.#delete(scheduleId);
    await this.endWorkflows(orgId);
  }

  /** Terminates the running workflows of an organisation that is deleted. Their activities learn it by their next heartbeat. */
  async endWorkflows(orgId: string): Promise<void> {
    const query = `Organisation = '${orgId}' AND ExecutionStatus = 'Running'`;
    const running = await this.#soon(async () => {
      const found = [];
      for await (const { workflowId, runId } of this.#client.workflow.list({ query, pageSize: 1000 }))
        found.push(this.#client.workflow.getHandle(workflowId, runId));
      return found;
    }, LIST_DEADLINE_MS);
    for (const workflow of running)
      await this.#soon(() => workflow.terminate('the organisation was deleted')).catch(
        on(WorkflowNotFoundError, () => undefined),
      );
  }

  #schedulesOf(orgId: string): ScheduleOptions[] {
    return [settlementSchedule(orgId), ...(this.#exportsNightly ? [exportSchedule(orgId)] : [])];
  }

  /**
   * Makes Temporal's schedules those that the warehouse asks for, and those of its maintenance. Reads them once. Changes only
   * those that differ.
   */
  async reconcileSchedules(wanted: {
    organisations: readonly string[];
    sources: readonly IngestScheduleInput[];
    imports: readonly ImportScheduleInput[];
  }): Promise<void> {
    const found = new Map<string, ScheduleSummary>();
    for await (const schedule of this.#client.schedule.list()) found.set(schedule.scheduleId, schedule);
    for (const schedule of [
      MAINTENANCE_SCHEDULE,
      ...(this.#flushesOften ? [FLUSH_SCHEDULE] : []),
      ...wanted.imports.map(importSchedule),
    ]) {
      if (!found.has(schedule.scheduleId)) await this.#create(schedule);
    }
    for (const schedule of wanted.organisations.flatMap((orgId) => this.#schedulesOf(orgId))) {
      const known = found.get(schedule.scheduleId);
      const { memo } = await this.#summarised(schedule);
      if (known !== undefined && known.memo?.['summary'] === memo?.['summary']) continue;
      // The schedule was made before the organisation had this name. Temporal cannot change a memo.
      if (known !== undefined) await this.#delete(schedule.scheduleId);
      await this.#create({ ...schedule, ...(known === undefined ? {} : { state: known.state }) });
    }
    await this.#scheduleBackup(found.has(BACKUP_ID));
    // Those of a process that had EXPORT_TO.
    for (const orgId of this.#exportsNightly ? [] : wanted.organisations) {
      const { scheduleId } = exportSchedule(orgId);
      if (found.has(scheduleId)) await this.#delete(scheduleId);
    }
    for (const source of wanted.sources) {
      if (found.get(ingestWorkflowId(source.orgId, source.sourceId))?.state.paused !== source.paused)
        await this.scheduleIngest(source);
    }
  }

  /** Makes the schedule of the nightly backup that of the settings. */
  async #scheduleBackup(isThere: boolean): Promise<void> {
    const hour = this.#backupHour;
    if (hour === null) {
      if (isThere) await this.#delete(BACKUP_ID);
      return;
    }
    const wanted = backupSchedule(hour);
    if (await this.#create(wanted)) return;
    const schedule = this.#client.schedule.getHandle(BACKUP_ID);
    const { spec } = await schedule.describe();
    // An update drops the times that were missed while the service was down.
    if (spec.calendars?.[0]?.hour[0]?.start === hour) return;
    await schedule.update(({ action, policies, state }) => ({ spec: wanted.spec, action, policies, state }));
  }

  /** Creates a schedule. Returns false if it exists already. */
  async #create(schedule: ScheduleOptions, name?: string): Promise<boolean> {
    return await this.#client.schedule.create(await this.#summarised(schedule, name)).then(
      () => true,
      on(ScheduleAlreadyRunning, () => false),
    );
  }

  /** Returns a schedule whose workflows have a summary. Lists of schedules show its memo, but not its action. */
  async #summarised(schedule: ScheduleOptions, name?: string): Promise<ScheduleOptions> {
    const [input] = schedule.action.args as [{ orgId: string }?];
    const summary = name ?? (input === undefined ? null : await this.#summaryOf(input));
    if (summary === null) return schedule;
    return { ...schedule, memo: { summary }, action: { ...schedule.action, staticSummary: summary } };
  }

  /** Deletes a schedule, if it exists. */
  async #delete(scheduleId: string): Promise<void> {
    await this.#soon(() => this.#client.schedule.getHandle(scheduleId).delete()).catch(
      on(ScheduleNotFoundError, () => undefined),
    );
  }

  /** Limits the wait for Temporal. Without an answer until then, its caller may try again (503). */
  async #soon<Result>(work: () => Promise<Result>, deadlineMs = CALL_DEADLINE_MS): Promise<Result> {
    try {
      return await this.#client.connection.withDeadline(Date.now() + deadlineMs, work);
    } catch (error) {
      throw isUnanswered(error) ? unavailable('Temporal did not answer in time; try again') : error;
    }
  }
}

/** Whether Temporal did not answer: it is away, overloaded or too slow. Its client wraps the errors of some calls. */
function isUnanswered(error: unknown): boolean {
  const call = error instanceof TemporalServiceError ? error.cause : error;
  return isGrpcDeadlineError(call) || (isGrpcServiceError(call) && isRetryableError(call));
}

/** Handles errors of one class, and rethrows others. */
const on =
  <Kind extends Error, Result>(kind: new (...args: never[]) => Kind, handle: (error: Kind) => Result) =>
  (error: unknown): Result => {
    if (error instanceof kind) return handle(error);
    throw error;
  };

/** The schedule of a workflow. If a run is not over at the next time, that is skipped. */
const scheduled = <Name extends WorkflowName>(
  workflowType: Name,
  ...args: Parameters<Workflows[Name]>
): ScheduleOptions => ({
  scheduleId: workflowIdOf(workflowType, ...args),
  spec: WORKFLOWS[workflowType].schedule ?? {},
  action: { type: 'startWorkflow', workflowType, ...startOf(workflowType, ...args) },
  policies: { overlap: ScheduleOverlapPolicy.SKIP, catchupWindow: '1 day' },
});

const FLUSH_SCHEDULE = scheduled('flushWarehouse');

const MAINTENANCE_SCHEDULE = scheduled('maintainWarehouse');

const BACKUP_ID = workflowIdOf('backUpWarehouse');

const backupSchedule = (hour: number): ScheduleOptions => ({
  ...scheduled('backUpWarehouse'),
  spec: { calendars: [{ hour }] },
});

const settlementSchedule = (orgId: string): ScheduleOptions => scheduled('settleMonths', { orgId });

const exportSchedule = (orgId: string): ScheduleOptions => scheduled('exportData', { orgId });

const ingestSchedule = ({ orgId, sourceId, paused }: IngestScheduleInput): ScheduleOptions => ({
  ...scheduled('ingestCostsOnSchedule', { orgId, sourceId, startMonth: null, endMonth: null }),
  scheduleId: ingestWorkflowId(orgId, sourceId),
  state: { paused },
});

const importSchedule = ({ orgId, metricId }: ImportScheduleInput): ScheduleOptions => ({
  ...scheduled('importMetricValuesOnSchedule', { orgId, metricId, startMonth: null }),
  scheduleId: importWorkflowId({ orgId, metricId }),
});

const CLOSED: ReadonlySet<WorkflowExecutionStatusName> = new Set([
  'COMPLETED',
  'FAILED',
  'CANCELLED',
  'TERMINATED',
  'TIMED_OUT',
]);

/** The run of an execution. If an operator resets an execution, the new one belongs to the same run. */
function runOf(
  { runId }: { runId: string },
  info: { firstRunId?: string | null } | null | undefined,
): string {
  const first = info?.firstRunId;
  return runIdOf(first === undefined || first === null || first === '' ? runId : first);
}

function heartbeat(
  pending:
    | readonly { heartbeatDetails?: { payloads?: readonly { data?: Uint8Array | null }[] | null } | null }[]
    | null
    | undefined,
): IngestProgress | null {
  for (const activity of pending ?? []) {
    const data = activity.heartbeatDetails?.payloads?.[0]?.data;
    if (data) return JSON.parse(Buffer.from(data).toString()) as IngestProgress;
  }
  return null;
}
