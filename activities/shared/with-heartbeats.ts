import { CancelledFailure, Context } from '@temporalio/activity';
import type { IngestProgress } from '../../domain/sources/ingest.ts';
import type { Statements } from '../../warehouse/engine/session.ts';
import { around } from './around.ts';

/** The attempt of an activity that some work belongs to. */
export interface Attempt {
  /** Throws once the attempt has been given up for a newer one. */
  refuseStale: () => void;
  /** Aborts when the attempt is given up. */
  signal: AbortSignal;
  /** Reports rows that were read without a statement. */
  report: (rowsRead: number) => void;
}

const HEARTBEAT_MS = 1_000;
const GIVEN_UP = 'the attempt was given up; nothing was published';

/** What running attempts report. */
const reports = new WeakMap<Context, () => unknown>();

/**
 * Reports to Temporal once a second during all of an attempt. Otherwise Temporal takes a slow statement for the end of the worker.
 * The work says what to report ({@link reportBy}). Until then the report of the attempt before is repeated. Local activities have no
 * heartbeats.
 */
export const stayAlive = around(async (run, { isLocal, heartbeatDetails }) => {
  if (isLocal) return run();
  const context = Context.current();
  const before: unknown = heartbeatDetails ?? ({ rowsRead: 0 } satisfies IngestProgress);
  const beat = (): void => {
    context.heartbeat(reports.get(context)?.() ?? before);
  };
  beat();
  const timer = setInterval(beat, HEARTBEAT_MS);
  try {
    return await run();
  } finally {
    clearInterval(timer);
  }
});

/** Reports what a function returns, now and from now on. */
export function reportBy(report: () => unknown): void {
  const context = Context.current();
  reports.set(context, report);
  context.heartbeat(report());
}

/**
 * Reports the number of rows that the sessions have read. Interrupts their statements when the attempt is given up, so that a newer
 * attempt has the machine to itself.
 */
export async function withHeartbeats<Result>(
  sessions: readonly Statements[],
  work: (attempt: Attempt) => Promise<Result>,
): Promise<Result> {
  const { cancellationSignal } = Context.current();
  let reported = 0;
  const progress = (): IngestProgress => ({
    rowsRead: Math.max(...sessions.map((session) => session.rowsRead), reported),
  });
  const stop = (): void => {
    for (const session of sessions) session.interrupt();
  };
  const attempt: Attempt = {
    refuseStale: () => {
      if (cancellationSignal.aborted) throw new CancelledFailure(GIVEN_UP);
    },
    signal: cancellationSignal,
    report: (rowsRead) => {
      reported = rowsRead;
      reportBy(progress);
    },
  };
  if (sessions.length > 0) reportBy(progress);
  cancellationSignal.addEventListener('abort', stop);
  try {
    return await work(attempt);
  } catch (error) {
    if (cancellationSignal.aborted) throw new CancelledFailure(GIVEN_UP);
    throw error;
  } finally {
    cancellationSignal.removeEventListener('abort', stop);
  }
}
