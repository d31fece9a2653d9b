import { once } from 'node:events';
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
    /** Answers what people open first, before anybody asks. Returns after some seconds at the latest, done or not. */
    answerAhead: () => Promise<void>;
  }
}

/** What people open first: the two halves of the overview, and the bills. */
const OPENED_FIRST = ['/overview', '/waiting', '/teams/bills'];

/** Whom a start expects back: who called on the day before it, the newest first. */
const EXPECTED_MS = 86_400_000;
const MOST_EXPECTED = 20;

/** How long a start may take longer for the answers. */
const PATIENCE_MS = 1_500;

/** Who asks. Nobody can read what this actor did: it only reads, and never revenue. */
const ACTOR = { type: 'key', id: 'start', name: 'Start of the service' } as const;
const NO_QUOTA = { limit: null, used: 0, remaining: null, resetSeconds: 0 };

/**
 * Lets a server answer what its last callers open first, so that the answers are in memory when they come back. A start of the
 * process would otherwise show itself: its code is cold, and a thousand metrics take half a second.
 */
export function answersAhead(app: Api, dependencies: ApiDependencies, tickets: Tickets<OwnCall>): void {
  app.decorate('answerAhead', async () => {
    const over = AbortSignal.timeout(PATIENCE_MS);
    const running = answerAll(app, dependencies, tickets, over).catch((error: unknown) => {
      if (!over.aborted) app.log.warn({ err: error }, 'first answers could not be prepared');
    });
    await Promise.race([running, once(over, 'abort')]);
  });
}

async function answerAll(
  app: Api,
  { warehouse, clock }: ApiDependencies,
  tickets: Tickets<OwnCall>,
  over: AbortSignal,
): Promise<void> {
  const since = new Date(clock.now().getTime() - EXPECTED_MS);
  const keys = await newestCallers(warehouse, since, MOST_EXPECTED);
  const holders = await findKeyHolders(warehouse, keys);
  for (const key of keys) {
    const holder = holders.get(key);
    if (holder === undefined || !includes(holder.organisation.tier, 'unit_economics')) continue;
    const revisions = await warehouse.revisions();
    const metrics = await cachedMetrics(revisions, warehouse, holder.organisation.id);
    const caller = {
      organisation: holder.organisation,
      actor: ACTOR,
      permission: permissionOf(holder, metrics),
      expiresAt: null,
      quota: NO_QUOTA,
      revisions,
    } satisfies Caller;
    const ask = askFor(app, tickets, { caller, closed: AbortSignal.any([over]) });
    for (const path of OPENED_FIRST) {
      if (over.aborted) return;
      await ask(path);
    }
  }
}

/** Returns the permission of a key, and one that sees no revenue where there is any: its views reach the audit log. */
const permissionOf = (
  { key: { permission } }: KeyHolder,
  metrics: readonly { kind: string }[],
): Caller['permission'] =>
  permits(permission, 'admin') && metrics.some(({ kind }) => kind === 'revenue') ? 'read' : permission;
