import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Clock } from '../../../domain/shared/clock.ts';
import type { Orchestration } from '../../../temporal/orchestration.ts';
import { disconnectImport, IMPORTS } from '../../../warehouse/imports/imports.ts';
import { COST_SOURCES } from '../../../warehouse/sources/cost-sources.ts';
import { listOrganisations } from '../../../warehouse/organisations/organisations.ts';
import { METRICS } from '../../../warehouse/metrics/metrics.ts';
import { deliveriesToStart } from '../../../warehouse/events/webhook-deliveries.ts';
import { OPERATOR } from '../../../domain/organisations/actor.ts';
import type { Warehouse } from '../../../warehouse/engine/warehouse.ts';
import { organisationsWithWebhooks } from '../../../warehouse/events/webhooks.ts';

interface Parts {
  warehouse: Warehouse;
  orchestration: Orchestration;
  clock: Clock;
  log: Logger;
}

const ATTEMPTS = 10;
const PAUSE_MS = 5_000;

/**
 * Updates Temporal's schedules from the warehouse's organisations, cost sources and imports, and starts pending deliveries that Temporal
 * lacks. Runs in the background of each start, to recover from a crash between scheduling and storing, or from a new Temporal
 * beside an old warehouse. Ends early if `stopping` is aborted.
 */
export async function reconcileSchedules(
  { warehouse, orchestration, clock, log }: Parts,
  stopping: AbortSignal,
): Promise<void> {
  const isStopping = (): boolean => stopping.aborted;
  for (let attempt = 1; attempt <= ATTEMPTS && !isStopping(); attempt += 1) {
    try {
      const organisations = (await listOrganisations(warehouse)).map(({ id }) => id);
      const sources = [];
      const imports = [];
      for (const orgId of organisations) {
        for (const source of await COST_SOURCES.list(warehouse, orgId)) {
          sources.push({ orgId, sourceId: source.id, paused: source.schedule_paused });
        }
        const metrics = new Set((await METRICS.list(warehouse, orgId)).map(({ id }) => id));
        for (const { metric_id: metricId } of await IMPORTS.list(warehouse, orgId)) {
          if (metrics.has(metricId)) imports.push({ orgId, metricId });
          // A process that died after it had deleted the metric has left its credential.
          else await disconnectImport(warehouse, orgId, metricId, { actor: OPERATOR, now: clock.now() });
        }
      }
      await orchestration.reconcileSchedules({ organisations, sources, imports });
      // A crashed process may have changed numbers without a notification. Only organisations with a webhook need one.
      for (const orgId of await organisationsWithWebhooks(warehouse)) {
        await orchestration.numbersChanged(orgId);
        for (const delivery of await deliveriesToStart(warehouse, orgId, true)) {
          if (isStopping()) return;
          await orchestration.startDelivery(delivery);
        }
      }
      return;
    } catch (error) {
      if (isStopping()) return;
      log.warn({ err: error, attempt }, 'the schedules could not be compared with Temporal; trying again');
      await sleep(PAUSE_MS, undefined, { signal: stopping }).catch((aborted: unknown) => aborted);
    }
  }
}
