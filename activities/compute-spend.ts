import type { Month } from '../domain/shared/calendar.ts';
import type { Clock } from '../domain/shared/clock.ts';
import { computeSpend } from '../warehouse/spend/compute-spend.ts';
import type { Warehouse } from '../warehouse/engine/warehouse.ts';
import { withHeartbeats } from './shared/with-heartbeats.ts';

/** The step that computes an organisation's spend again after its loads have changed. A second run finds nothing to do. */
export const createSpendActivities = ({ warehouse, clock }: { warehouse: Warehouse; clock: Clock }) => ({
  /** Computes the months whose loads have changed, and returns them. Reads do the same if they come first. */
  async computeSpend(orgId: string): Promise<Month[]> {
    return withHeartbeats([], async () => (await computeSpend(warehouse, orgId, clock.now())).months);
  },
});

/** The names and shapes of the spend activities, for workflows. */
export type SpendActivities = ReturnType<typeof createSpendActivities>;
