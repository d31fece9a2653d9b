import { PLATFORM_IDS } from '../../../domain/imports/platforms.ts';
import { KINDS } from '../../../domain/sources/kinds.ts';
import type { Metrics } from '../../../telemetry/metrics.ts';
import { WORKFLOW_NAMES } from '../../../workflows/contract.ts';

/** Lets the counters of a worker begin at 0. Prometheus sees no increase in a counter that appears with a 1. */
export function countFromZero({ workflowRuns, sourceRuns, eventDeliveries }: Metrics): void {
  for (const workflow of WORKFLOW_NAMES)
    for (const result of ['completed', 'failed', 'cancelled']) workflowRuns.inc({ workflow, result }, 0);
  for (const kind of [...Object.keys(KINDS), ...PLATFORM_IDS])
    for (const result of ['completed', 'failed']) sourceRuns.inc({ kind, result }, 0);
  for (const result of ['delivered', 'attempt_failed', 'given_up']) eventDeliveries.inc({ result }, 0);
}
