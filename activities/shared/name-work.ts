import { activityInfo } from '@temporalio/activity';
import type { ActivityInterceptorsFactory } from '@temporalio/worker';
import { workingOn } from '../../telemetry/current-work.ts';

/** Names the attempt that code belongs to, in case the process ends of it (bin/service/log/end-at-uncaught.ts). */
export const nameWork: ActivityInterceptorsFactory = () => ({
  inbound: {
    execute: (input, next) => {
      const { activityType: activity, attempt, workflowExecution } = activityInfo();
      return workingOn({ workflow: workflowExecution?.workflowId ?? '', activity, attempt }, () =>
        next(input),
      );
    },
  },
});
