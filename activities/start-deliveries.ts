import type { Clock } from '../domain/shared/clock.ts';
import type { DeliveryInput } from '../domain/events/webhook.ts';
import { deliveriesToStart, recordDeliveryStart } from '../warehouse/events/webhook-deliveries.ts';
import type { Warehouse } from '../warehouse/engine/warehouse.ts';
import { withHeartbeats } from './shared/with-heartbeats.ts';

/** Starts workflows in Temporal. */
export interface WorkflowStarter {
  /** Starts a delivery, or does nothing if it was started before. */
  startDelivery: (delivery: DeliveryInput) => Promise<void>;
  /** Starts the evaluation of the organisation's events. One that is running evaluates once more at its end. */
  numbersChanged: (orgId: string) => Promise<void>;
}

/** Creates the activities that start workflows. They may run again, because a repeated start does no harm. */
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
   * Starts the pending deliveries that have not been started. With `again` it starts all pending deliveries, because Temporal
   * may have lost some. Returns how many it tried to start.
   */
  async startDeliveries(orgId: string, { again = false }: { again?: boolean } = {}): Promise<number> {
    return withHeartbeats([], async (attempt) => {
      const deliveries = await deliveriesToStart(warehouse, orgId, again);
      for (const delivery of deliveries) {
        attempt.refuseStale();
        await starter.startDelivery(delivery);
        if (!again) await recordDeliveryStart(warehouse, delivery, clock.now());
      }
      return deliveries.length;
    });
  },

  /** Starts the evaluation of the organisation's events, because its numbers have changed. */
  async noteNumbersChanged(orgId: string): Promise<void> {
    await starter.numbersChanged(orgId);
  },
});

/** The names and shapes of these activities, for workflows. */
export type StartActivities = ReturnType<typeof createStartActivities>;
