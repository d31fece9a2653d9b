import type { FastifyBaseLogger } from 'fastify';
import type { Orchestration } from '../../temporal/orchestration.ts';
import { callerOf } from '../access/authentication.ts';
import type { Api } from '../http/api-type.ts';
import type { NumberDependencies } from '../http/dependencies.ts';

/** Changes within this time share an evaluation, so that a job that sends value by value costs one. */
const GATHERED_MS = 500;
const AGAIN_MS = 10_000;

/**
 * Notifies Temporal which organisations' numbers have changed. It runs behind the requests, so that no write waits for it.
 * Notifications lost in a crash are recovered at the next start and by the daily settlement.
 */
class NumberChanges {
  readonly #orchestration: Pick<Orchestration, 'numbersChanged'>;
  readonly #log: FastifyBaseLogger;
  readonly #timers = new Map<string, NodeJS.Timeout>();
  readonly #telling = new Set<Promise<void>>();
  #isClosed = false;

  constructor(orchestration: Pick<Orchestration, 'numbersChanged'>, log: FastifyBaseLogger) {
    this.#orchestration = orchestration;
    this.#log = log;
  }

  note(orgId: string, afterMs = GATHERED_MS): void {
    if (this.#timers.has(orgId) || this.#isClosed) return;
    const timer = setTimeout(() => {
      this.#tell(orgId);
    }, afterMs);
    this.#timers.set(orgId, timer);
  }

  /** Sends the gathered notifications once, and does not retry. */
  async close(): Promise<void> {
    this.#isClosed = true;
    for (const [orgId, timer] of this.#timers) {
      clearTimeout(timer);
      this.#tell(orgId);
    }
    await Promise.all(this.#telling);
  }

  #tell(orgId: string): void {
    this.#timers.delete(orgId);
    const told = this.#orchestration.numbersChanged(orgId).catch((error: unknown) => {
      this.#log.warn({ err: error, organisation: orgId }, 'events could not be evaluated yet; trying again');
      this.note(orgId, AGAIN_MS);
    });
    this.#telling.add(told);
    void told.finally(() => this.#telling.delete(told));
  }
}

/**
 * Has events evaluated after every request that changed numbers: after routes whose config says `changesNumbers`, and if a
 * read calls the function that this returns.
 */
export const watchNumberChanges = (
  app: Api,
  orchestration: Pick<Orchestration, 'numbersChanged'>,
): NumberDependencies['noteChange'] => {
  const changes = new NumberChanges(orchestration, app.log);
  app.addHook('onResponse', async (request, reply) => {
    if (request.routeOptions.config.changesNumbers === true && reply.statusCode === 200)
      changes.note(callerOf(request).organisation.id);
  });
  app.addHook('onClose', () => changes.close());
  return (orgId) => {
    changes.note(orgId);
  };
};
