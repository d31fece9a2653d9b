import { ActivityFailure, CancellationScope, isCancellation, rootCause } from '@temporalio/workflow';
import type { Workflows } from './contract.ts';
import { attemptDelivery, giveDeliveryUp } from './steps.ts';

/**
 * Hands one event to one webhook: tries at growing distances for three days, then gives up. Temporal keeps the time
 * between attempts, however often a process dies (spec §6).
 */
export const deliverWebhook: Workflows['deliverWebhook'] = async (delivery) => {
  try {
    return await attemptDelivery(delivery);
  } catch (error) {
    const last = error instanceof ActivityFailure ? rootCause(error) : undefined;
    const reason = isCancellation(error)
      ? 'the delivery was cancelled in Temporal'
      : `given up after three days of attempts; the last one: ${last ?? String(error)}`;
    await CancellationScope.nonCancellable(() => giveDeliveryUp(delivery, reason));
    return 'failed';
  }
};
