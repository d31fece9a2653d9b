import { CancelledFailure } from '@temporalio/common';
import type { Clock } from '../domain/shared/clock.ts';
import type { DeliveryInput } from '../domain/events/webhook.ts';
import { deliveriesToStart, recordDeliveryStart } from '../warehouse/events/webhook-deliveries.ts';
import type { Warehouse } from '../warehouse/engine/warehouse.ts';
import { withHeartbeats } from './shared/with-heartbeats.ts';

/** What the steps below ask of Temporal; both do nothing for what is started already. */
export interface WorkflowStarter {
  startDelivery: (delivery: DeliveryInput) => Promise<void>;
  numbersChanged: (orgId: string) => Promise<void>;
}

/** The steps that start other workflows, under ids of their own: run twice, they start nothing twice. */
export const createStartActivities = ({
  warehouse,
  clock,
  starter,
}: {
  warehouse: Warehouse;
  clock: Clock;
  starter: WorkflowStarter;
}) => ({
  /**
   * Starts the deliveries that were written and not started, for example because a process died. With `again` it starts
   * all that are pending, because Temporal may have lost some. Returns how many it tried.
   */
  async startDeliveries(orgId: string, { again = false }: { again?: boolean } = {}): Promise<number> {
    return withHeartbeats([], async ({ isCurrent }) => {
      const deliveries = await deliveriesToStart(warehouse, orgId, again);
      for (const delivery of deliveries) {
        if (!isCurrent()) throw new CancelledFailure('given up');
        await starter.startDelivery(delivery);
        if (!again) await recordDeliveryStart(warehouse, delivery, clock.now());
      }
      return deliveries.length;
    });
  },

  /** Tells the organisation's one evaluation of events that numbers have changed. */
  async noteNumbersChanged(orgId: string): Promise<void> {
    await starter.numbersChanged(orgId);
  },
});

/** The names and shapes of these activities, for workflows. */
export type StartActivities = ReturnType<typeof createStartActivities>;
