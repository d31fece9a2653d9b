import {
  ActivityFailure,
  ApplicationFailure,
  proxyActivities,
  TimeoutFailure,
  type ActivityInterfaceFor,
  type ActivityOptions,
} from '@temporalio/workflow';
import { aloneQueueOf, TASK_QUEUE } from '../contract.ts';

/** Attempts of a step that may end without a word. After these its workflow fails, because the step may end its worker each time. */
const MOST_SILENT_ENDS = 3;

/** The ends of attempts that Temporal's server hears nothing of, as failures name them, and as its policy of retries does. */
const SILENT_ENDS = {
  HEARTBEAT: 'TemporalTimeout:Heartbeat',
  START_TO_CLOSE: 'TemporalTimeout:StartToClose',
};

type Steps = Record<string, (...args: unknown[]) => Promise<unknown>>;

/**
 * Returns activities like `proxyActivities`, which a workflow gives up once an attempt has ended without a word three times: its
 * process was killed, ran out of memory, or hung. From the second time on, the step waits for a queue of such steps. Each
 * worker runs one of them at a time, so that sound steps do not end three times beside a deadly one.
 *
 * @param within how long the attempts may go on, in milliseconds; without it the policy of retries alone decides.
 * @param resumes whether an attempt gets the last report of the one before as a further argument. Temporal itself passes it on only
 *   after a failure.
 */
export function proxySteps<Activities>(
  { retry, taskQueue = TASK_QUEUE, ...options }: ActivityOptions,
  { within, resumes = false }: { within?: number; resumes?: boolean } = {},
): ActivityInterfaceFor<Activities> {
  const run = async (step: string, args: unknown[]): Promise<unknown> => {
    const begun = Date.now();
    let last: unknown;
    for (let ends = 0; ends < MOST_SILENT_ENDS; ends += 1) {
      const steps = proxyActivities<Steps>({
        ...options,
        taskQueue: ends === 0 ? taskQueue : aloneQueueOf(taskQueue),
        ...(within === undefined ? {} : { scheduleToCloseTimeout: Math.max(1, begun + within - Date.now()) }),
        // The server's own retries leave these ends to us.
        retry: { ...retry, nonRetryableErrorTypes: Object.values(SILENT_ENDS) },
      });
      try {
        return await steps[step]?.(...args, ...(resumes && last !== undefined ? [last] : []));
      } catch (error) {
        const end = silentEndIn(error);
        if (end === null) throw error;
        last = end.lastHeartbeatDetails ?? last;
      }
    }
    throw ApplicationFailure.nonRetryable(
      `the service has ended ${MOST_SILENT_ENDS} times, or hung, during the step ${step}, so that it was set aside; ` +
        'ask the operator for the cause, which is in the log or the limit of memory, and start it again then',
      'set_aside',
    );
  };
  return new Proxy({} as ActivityInterfaceFor<Activities>, {
    get:
      (_, step) =>
      (...args: unknown[]) =>
        run(String(step), args),
  });
}

function silentEndIn(error: unknown): TimeoutFailure | null {
  const cause = error instanceof ActivityFailure ? error.cause : null;
  return cause instanceof TimeoutFailure && (cause.timeoutType ?? '') in SILENT_ENDS ? cause : null;
}
