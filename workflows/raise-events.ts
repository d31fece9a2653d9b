import { defineSignal, setHandler } from '@temporalio/workflow';
import { NUMBERS_CHANGED } from '../domain/events/webhook.ts';
import { evaluateEvents, startDeliveries } from './steps.ts';

const numbersChanged = defineSignal(NUMBERS_CHANGED);

/**
 * Looks at an organisation's numbers for what is worth an event, and has what it finds delivered; again, when numbers
 * have changed meanwhile. One is running for an organisation, so that nothing is evaluated twice at once (spec §6).
 */
export async function raiseEvents({ orgId }: { orgId: string }): Promise<void> {
  let changed = true;
  setHandler(numbersChanged, () => {
    changed = true;
  });
  while (changed) {
    changed = false;
    await evaluateEvents(orgId);
    await startDeliveries(orgId, false);
  }
}
