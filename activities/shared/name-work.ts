import { workingOn } from '../../telemetry/current-work.ts';
import { around } from './around.ts';

/** Names the attempt that code belongs to, in case the process ends of it (bin/service/log/end-at-uncaught.ts). */
export const nameWork = around((run, { activityType: activity, attempt, workflowExecution }) =>
  workingOn({ workflow: workflowExecution?.workflowId ?? '', activity, attempt }, run),
);
