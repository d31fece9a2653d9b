import type { Connection } from '@temporalio/client';

/**
 * Reads the workflow behind one of the namespace's schedules, if it has any, and the first event of its history. This takes the
 * server to the tables that every workflow needs: it answers other calls even if these tables are damaged.
 *
 * @throws if the server cannot read them, or does not find a workflow that it has listed
 */
export async function readOneSchedule({ workflowService }: Connection, namespace: string): Promise<void> {
  const { executions } = await workflowService.listWorkflowExecutions({
    namespace,
    pageSize: 1,
    query: "TemporalNamespaceDivision = 'TemporalScheduler'",
  });
  const execution = executions[0]?.execution;
  if (!execution) return;
  await workflowService.describeWorkflowExecution({ namespace, execution });
  await workflowService.getWorkflowExecutionHistory({ namespace, execution, maximumPageSize: 1 });
}
