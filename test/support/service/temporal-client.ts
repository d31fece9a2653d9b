import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Client, Connection, ScheduleNotFoundError, ScheduleOverlapPolicy } from '@temporalio/client';
import { waitFor } from './api-client.ts';

/** A client of the service's own Temporal, to look at its workflows and schedules. */
export interface TemporalWindow {
  client: Client;
  /** host:port of the Temporal server. */
  address: string;
  /** Process id of the Temporal server. */
  pid: number;
  close: () => Promise<void>;
}

/** Connects to the Temporal server that the service with this data directory has started. */
export async function openTemporal(dataDir: string): Promise<TemporalWindow> {
  const text = await readFile(join(dataDir, 'temporal.json'), 'utf8');
  const { pid, port } = JSON.parse(text) as { pid: number; port: number };
  const address = `127.0.0.1:${port}`;
  const connection = await Connection.connect({
    address,
    channelArgs: { 'grpc.enable_http_proxy': 0 },
  });
  return { client: new Client({ connection }), address, pid, close: () => connection.close() };
}

/**
 * Triggers a schedule, and waits for the end of the workflow that it starts. The schedule learns of an end with a delay, so that
 * the trigger waits for the last one. Two within a second have the same workflow id, so that the id of the run tells them apart. A
 * service that has just started may still make the schedule.
 */
export async function runScheduled({ client }: TemporalWindow, scheduleId: string): Promise<void> {
  const schedule = client.schedule.getHandle(scheduleId);
  const started = async () =>
    (await schedule.describe()).info.recentActions.map(({ action }) => action.workflow);
  const earlier = await waitFor(() =>
    started().catch((error: unknown) => {
      if (error instanceof ScheduleNotFoundError) return undefined;
      throw error;
    }),
  );
  const before = new Set(earlier.map(({ firstExecutionRunId }) => firstExecutionRunId));
  await schedule.trigger(ScheduleOverlapPolicy.BUFFER_ONE);
  const { workflowId, firstExecutionRunId } = await waitFor(async () =>
    (await started()).find((workflow) => !before.has(workflow.firstExecutionRunId)),
  );
  await client.workflow.getHandle(workflowId, firstExecutionRunId).result();
}
