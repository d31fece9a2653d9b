import { activityInfo, type Info } from '@temporalio/activity';
import type { ActivityExecuteInput, ActivityInterceptorsFactory } from '@temporalio/worker';

/** Returns an interceptor that runs `execute` in place of each activity. `run` runs the activity itself. */
export const around =
  (
    execute: (
      run: () => Promise<unknown>,
      info: Info,
      args: ActivityExecuteInput['args'],
    ) => Promise<unknown>,
  ): ActivityInterceptorsFactory =>
  () => ({
    inbound: { execute: (input, next) => execute(() => next(input), activityInfo(), input.args) },
  });
