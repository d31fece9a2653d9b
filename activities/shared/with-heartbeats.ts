import { CancelledFailure, Context } from '@temporalio/activity';
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

/**
 * Reports the number of rows read to Temporal once a second. Interrupts the statements when the attempt is given up, so that a
 * newer attempt has the machine to itself.
 */
export const withHeartbeats = async <Result>(
  sessions: readonly Statements[],
  work: (attempt: Attempt) => Promise<Result>,
): Promise<Result> => {
  const { cancellationSignal, heartbeat } = Context.current();
  let reported = 0;
  const beat = (): void => {
    heartbeat({
      rowsRead: Math.max(...sessions.map((session) => session.rowsRead), reported),
    } satisfies IngestProgress);
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
    cancellationSignal.removeEventListener('abort', stop);
  }
};
