import { setHandler } from '@temporalio/workflow';
import { numbersChanged, type Workflows } from './contract.ts';
import { evaluateEvents, startDeliveries } from './steps.ts';

/**
 * Looks at an organisation's numbers for what is worth an event, and has what it finds delivered; again, when numbers
 * have changed meanwhile. One is running for an organisation, so that nothing is evaluated twice at once (spec §6).
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
