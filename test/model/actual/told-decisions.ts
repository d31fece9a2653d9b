import type { ApiActor } from '../../../domain/organisations/actor.ts';
import type { By } from '../../../warehouse/engine/records/versioned-records.ts';
import type { Warehouse } from '../../../warehouse/engine/warehouse.ts';
import { settleMonths } from '../../../warehouse/months/settlement.ts';
import { COST_SOURCES, updateCostSource } from '../../../warehouse/sources/cost-sources.ts';
import { decideUnit } from '../../../warehouse/sources/units/unit-decisions.ts';
import type { DecisionStep } from '../organisation-story.ts';
import { orRefused } from './told-refusals.ts';

/**
 * Decides about a source as the API does. Returns false if the product rejects the decision. Else returns the months that it
 * settled, or true for a decision that leaves the settlement to the next day.
 */
export async function decide(
  warehouse: Warehouse,
  place: { orgId: string; sourceId: string },
  step: DecisionStep,
  by: By<ApiActor>,
): Promise<boolean | string[]> {
  const { orgId, sourceId } = place;
  if ((await COST_SOURCES.find(warehouse, orgId, sourceId)) === null) return false;
  if (step.does === 'tell on bill') {
    const options = { on_bill: step.onBill };
    return (await updateCostSource(warehouse, orgId, sourceId, { options }, by)) !== null;
  }
  const change = step.does === 'end unit' ? { endedOn: step.day } : { stands: step.stands };
  const unit = { sourceId, unit: step.unit };
  const done = await orRefused(() => decideUnit(warehouse, orgId, unit, change, by));
  return done !== null && settleMonths(warehouse, orgId, by.now);
}
