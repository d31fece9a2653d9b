import type { Orchestration } from '../temporal/orchestration.ts';
import { listCostSources } from '../warehouse/cost-sources.ts';
import { listOrganisations } from '../warehouse/organisations.ts';
import type { Warehouse } from '../warehouse/warehouse.ts';

const MANY = 1_000_000;

/**
 * Makes sure at each start that Temporal has a schedule for every organisation and cost source: a process that
 * died between storing one and scheduling it, or a new Temporal beside an old warehouse, mends itself.
 */
export const ensureSchedules = async (warehouse: Warehouse, orchestration: Orchestration): Promise<void> => {
  await orchestration.scheduleMaintenance();
  for (const { id: orgId } of await listOrganisations(warehouse)) {
    await orchestration.scheduleSettlement(orgId);
    for (const source of await listCostSources(warehouse, orgId, { limit: MANY, cursor: null })) {
      await orchestration.scheduleIngest({ orgId, sourceId: source.id, paused: source.schedule_paused });
    }
  }
};
