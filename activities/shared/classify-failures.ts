import type { Info } from '@temporalio/activity';
import type { Logger } from 'pino';
import { withoutCells } from '../../domain/shared/text/without-cells.ts';
import { isCatalogAway } from '../../warehouse/engine/passing-failures.ts';
import { around } from './around.ts';
import { causeOf } from './cause-of.ts';
import { isTriedAgain, toFailure } from './failures.ts';

/**
 * Converts the errors of a worker's activities with `toFailure`, and logs them, because the history has no messages. Calls
 * `noteRetry` for each failure after which Temporal retries.
 *
 * @param forTenants returns a message without what an organisation need not know. The log has the whole one.
 */
export const classifyFailures = (
  noteRetry: (info: Info, message: string) => Promise<void>,
  forTenants: (message: string) => string,
  log: Pick<Logger, 'warn'>,
) =>
  around(async (run, info) => {
    try {
      return await run();
    } catch (error) {
      const failure = toFailure(error, info.attempt);
      const { activityType: activity, attempt, workflowExecution } = info;
      const retried = isTriedAgain(failure);
      log.warn(
        {
          workflow: workflowExecution?.workflowId,
          activity,
          attempt,
          retried,
          reason: withoutCells(isCatalogAway(error) ? error.message : failure.message),
          ...causeOf(error),
        },
        'a step failed',
      );
      failure.message = forTenants(failure.message);
      if (retried) await noteRetry(info, failure.message);
      throw failure;
    }
  });
