import { setHandler } from '@temporalio/workflow';
import { numbersChanged, type Workflows } from './contract.ts';
import { evaluateEvents, startDeliveries } from './steps.ts';

/**
 * Evaluates an organisation's numbers, raises events and starts their deliveries. Repeats this if numbers have changed
 * meanwhile. At most one runs for an organisation, so that evaluations never overlap (docs/concepts.md#events-and-webhooks).
 */
export const raiseEvents: Workflows['raiseEvents'] = async ({ orgId }) => {
  let changed = true;
  setHandler(numbersChanged, () => {
    changed = true;
  });
  while (changed) {
    changed = false;
    await evaluateEvents(orgId);
    await startDeliveries(orgId);
  }
};
