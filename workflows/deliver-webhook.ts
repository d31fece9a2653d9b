import { ActivityFailure, CancellationScope, isCancellation, rootCause } from '@temporalio/workflow';
import type { Workflows } from './contract.ts';
import { attemptDelivery, giveDeliveryUp } from './steps.ts';

/**
 * Delivers one event to one webhook. It makes attempts at growing intervals for three days, then gives up. Temporal keeps the
 * intervals, however often a process dies (spec §6).
 */
export const deliverWebhook: Workflows['deliverWebhook'] = async (delivery) => {
  try {
    return await attemptDelivery(delivery);
  } catch (error) {
    const last = error instanceof ActivityFailure ? rootCause(error) : undefined;
    const reason = isCancellation(error)
      ? 'the delivery was cancelled in Temporal'
      : `given up after three days of attempts; the last error: ${last ?? String(error)}`;
    await CancellationScope.nonCancellable(() => giveDeliveryUp(delivery, reason));
    return 'failed';
  }
};
