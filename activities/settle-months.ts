import type { Month } from '../domain/shared/calendar.ts';
import type { Clock } from '../domain/shared/clock.ts';
import { sealBills } from '../warehouse/teams/bills/bill-sealing.ts';
import { settleMonths } from '../warehouse/months/settlement.ts';
import type { Warehouse } from '../warehouse/engine/warehouse.ts';
import { withHeartbeats } from './shared/with-heartbeats.ts';

/** The steps that settle an organisation's months and seal its bills. A second run finds nothing to do. */
export const createSettlementActivities = ({ warehouse, clock }: { warehouse: Warehouse; clock: Clock }) => ({
  /** Records the months that have settled by now, and returns the new ones. */
  async settleOrganisation(orgId: string): Promise<Month[]> {
    return settleMonths(warehouse, orgId, clock.now());
  },

  /** Seals the team bills that are due, and returns their months. Reads do the same if they come first. */
  async sealTeamBills(orgId: string): Promise<Month[]> {
    return withHeartbeats([], async () => (await sealBills(warehouse, orgId, clock.now())).months);
  },
});

/** The names and shapes of the settlement activities, for workflows. */
export type SettlementActivities = ReturnType<typeof createSettlementActivities>;
