import type { Month } from '../domain/calendar.ts';
import type { Clock } from '../domain/clock.ts';
import { settleMonths } from '../warehouse/settlement.ts';
import type { Warehouse } from '../warehouse/warehouse.ts';

/** The step that settles an organisation's months; run again, it finds nothing left to do. */
export const createSettlementActivities = ({ warehouse, clock }: { warehouse: Warehouse; clock: Clock }) => ({
  /** Records the months that have settled by now; answers the new ones. */
  async settleOrganisation(orgId: string): Promise<Month[]> {
    return settleMonths(warehouse, orgId, clock.now());
  },
});

/** The names and shapes of the settlement activities, for workflows. */
export type SettlementActivities = ReturnType<typeof createSettlementActivities>;
