import { CancellationScope } from '@temporalio/workflow';
import type { Workflows } from './contract.ts';
import { reasonOf } from './running/reason-of.ts';
import { attemptDelivery, giveDeliveryUp } from './steps.ts';

/**
 * Delivers one event to one webhook. It makes attempts at growing intervals for three days, then gives up. Temporal keeps the
 * intervals, however often a process dies (docs/concepts.md#events-and-webhooks).
 */
export const deliverWebhook: Workflows['deliverWebhook'] = async (delivery) => {
  try {
    return await attemptDelivery(delivery);
  } catch (error) {
    const reason = reasonOf(error, 'the delivery was cancelled in Temporal');
    await CancellationScope.nonCancellable(() => giveDeliveryUp(delivery, reason));
    return 'failed';
  }
};
