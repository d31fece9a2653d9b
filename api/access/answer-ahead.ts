import { setTimeout as wait } from 'node:timers/promises';
import { includes } from '../../domain/organisations/tiers.ts';
import { permits } from '../../domain/organisations/permissions.ts';
import { cachedMetrics } from '../../warehouse/metrics/metrics.ts';
import { newestCallers } from '../../warehouse/organisations/api-calls.ts';
import { findKeyHolders, type KeyHolder } from '../../warehouse/organisations/api-keys.ts';
import type { Api } from '../http/api-type.ts';
import type { ApiDependencies } from '../http/dependencies.ts';
import { askFor } from './ask-api.ts';
import type { Caller, OwnCall } from './authentication.ts';
import type { Tickets } from './tickets.ts';

declare module 'fastify' {
  interface FastifyInstance {
    /** Answers what people open first, before anybody asks. Returns when it is done, and after `patienceMs` at the latest. */
    answerAhead: (patienceMs?: number) => Promise<void>;
  }
}

/** What people open first: the two halves of the overview, and the bills. */
const OPENED_FIRST = ['/overview', '/waiting', '/teams/bills'];

/** Whom a start expects back: who called on the day before it, the newest first. */
const EXPECTED_MS = 86_400_000;
const MOST_EXPECTED = 20;

/** How long a start may take longer for the answers, and how long it goes on beside those who ask. */
const PATIENCE_MS = 1_500;
const LONGEST_MS = 15_000;

/** Who asks. Nobody can read what this actor did: it only reads, and never revenue. */
const ACTOR = { type: 'key', id: 'start', name: 'Start of the service' } as const;
const NO_QUOTA = { limit: null, used: 0, remaining: null, resetSeconds: 0 };

/**
 * Lets a server answer what its last callers open first, so that the answers are in memory when they come back. A start of the
 * process would otherwise show itself: its code is cold, and a thousand metrics take half a second.
 */
export function answersAhead(app: Api, dependencies: ApiDependencies, tickets: Tickets<OwnCall>): void {
  const closing = new AbortController();
  let answering = Promise.resolve();
  app.addHook('preClose', async () => {
    closing.abort();
    await answering;
  });
  app.decorate('answerAhead', async (patienceMs = PATIENCE_MS) => {
    const over = AbortSignal.any([closing.signal, AbortSignal.timeout(Math.max(patienceMs, LONGEST_MS))]);
    answering = answerAll(app, dependencies, tickets, over).catch((error: unknown) => {
      app.log.warn({ err: error }, 'first answers could not be prepared');
    });
    await Promise.race([answering, wait(patienceMs, undefined, { ref: false })]);
  });
}

/** Asks one after the other, so that others find the service at leisure. Who called last finds all its answers first. */
async function answerAll(
  app: Api,
  { warehouse, clock }: ApiDependencies,
  tickets: Tickets<OwnCall>,
  over: AbortSignal,
): Promise<void> {
  const since = new Date(clock.now().getTime() - EXPECTED_MS);
  const keys = await newestCallers(warehouse, since, MOST_EXPECTED);
  const holders = await findKeyHolders(warehouse, keys);
  for (const holder of keys.flatMap((key) => holders.get(key) ?? [])) {
    if (!includes(holder.organisation.tier, 'unit_economics')) continue;
    for (const path of OPENED_FIRST) {
      if (over.aborted) return;
      const caller = await callerOf(holder, warehouse);
      await askFor(app, tickets, { caller, closed: over })(path).catch((error: unknown) => {
        if (!over.aborted) app.log.warn({ err: error, path }, 'a first answer could not be prepared');
      });
    }
  }
}

/** Returns the caller that has a key, with a permission that sees no revenue where there is any: its views are audited. */
async function callerOf(
  { key: { permission }, organisation }: KeyHolder,
  warehouse: ApiDependencies['warehouse'],
): Promise<Caller> {
  const revisions = await warehouse.revisions();
  const metrics = await cachedMetrics(revisions, warehouse, organisation.id);
  const seesRevenue = permits(permission, 'admin') && metrics.some(({ kind }) => kind === 'revenue');
  return {
    organisation,
    actor: ACTOR,
    permission: seesRevenue ? 'read' : permission,
    expiresAt: null,
    quota: NO_QUOTA,
    revisions,
  };
}
