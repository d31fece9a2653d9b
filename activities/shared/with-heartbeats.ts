import { activityInfo, CancelledFailure, Context } from '@temporalio/activity';
import type { ActivityInterceptorsFactory } from '@temporalio/worker';
import type { IngestProgress } from '../../domain/sources/ingest.ts';
import type { Statements } from '../../warehouse/engine/session.ts';

/** The attempt of an activity that some work belongs to. */
export interface Attempt {
  /** Returns false once the attempt has been given up for a newer one. */
  isCurrent: () => boolean;
  /** Aborts when the attempt is given up. */
  signal: AbortSignal;
  /** Reports rows that were read without a statement. */
  report: (rowsRead: number) => void;
}

const HEARTBEAT_MS = 1_000;

/** What running attempts have reported last; null while their work reports. */
const lastReports = new WeakMap<Context, IngestProgress | null>();

/**
 * Repeats the last report of an attempt while its work reports nothing, so that Temporal does not take a slow first statement for
 * the end of the worker. Local activities have no heartbeats.
 */
export const stayAlive: ActivityInterceptorsFactory = () => ({
  inbound: {
    execute: async (input, next) => {
      if (activityInfo().isLocal) return next(input);
      const context = Context.current();
      const timer = setInterval(() => {
        const last = lastReports.get(context);
        if (last !== null) context.heartbeat(last ?? ({ rowsRead: 0 } satisfies IngestProgress));
      }, HEARTBEAT_MS);
      try {
        return await next(input);
      } finally {
        clearInterval(timer);
      }
    },
  },
});

/**
 * Reports the number of rows read to Temporal once a second. Interrupts the statements when the attempt is given up, so that a
 * newer attempt has the machine to itself.
 */
export const withHeartbeats = async <Result>(
  sessions: readonly Statements[],
  work: (attempt: Attempt) => Promise<Result>,
): Promise<Result> => {
  const context = Context.current();
  const { cancellationSignal } = context;
  let reported = 0;
  const progress = (): IngestProgress => ({
    rowsRead: Math.max(...sessions.map((session) => session.rowsRead), reported),
  });
  const beat = (): void => {
    context.heartbeat(progress());
  };
  const stop = (): void => {
    for (const session of sessions) session.interrupt();
  };
  const attempt: Attempt = {
    isCurrent: () => !cancellationSignal.aborted,
    signal: cancellationSignal,
    report: (rowsRead) => {
      reported = rowsRead;
      beat();
    },
  };
  lastReports.set(context, null);
  beat();
  const timer = setInterval(beat, HEARTBEAT_MS);
  cancellationSignal.addEventListener('abort', stop);
  try {
    return await work(attempt);
  } catch (error) {
    if (cancellationSignal.aborted)
      throw new CancelledFailure('the attempt was given up; nothing was published');
    throw error;
  } finally {
    clearInterval(timer);
    lastReports.set(context, progress());
    cancellationSignal.removeEventListener('abort', stop);
  }
};
