import { CancelledFailure } from '@temporalio/common';
import type { Clock } from '../domain/shared/clock.ts';
import type { DeliveryInput } from '../domain/events/webhook.ts';
import { deliveriesToStart, recordDeliveryStart } from '../warehouse/events/webhook-deliveries.ts';
import type { Warehouse } from '../warehouse/engine/warehouse.ts';
import { withHeartbeats } from './shared/with-heartbeats.ts';

/** Calls to Temporal. Neither starts a workflow that is already started. */
export interface WorkflowStarter {
  startDelivery: (delivery: DeliveryInput) => Promise<void>;
  numbersChanged: (orgId: string) => Promise<void>;
}

/** The steps that start other workflows. Their ids are fixed, so that a second run starts nothing twice. */
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
   * Starts the deliveries that were stored but not started, for example because a process died. With `again` it starts all
   * pending deliveries, because Temporal may have lost some. Returns how many it tried to start.
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

  /** Signals to the organisation's evaluation of events that numbers have changed. */
  async noteNumbersChanged(orgId: string): Promise<void> {
    await starter.numbersChanged(orgId);
  },
});

/** The names and shapes of these activities, for workflows. */
export type StartActivities = ReturnType<typeof createStartActivities>;
