import type { FastifyBaseLogger } from 'fastify';
import type { Orchestration } from '../../temporal/orchestration.ts';
import { callerOf } from '../access/authentication.ts';
import type { Api } from '../http/api-type.ts';

/** Changes within this time share one evaluation, so that a client that sends single values does not cause one for each. */
const GATHER_MS = 500;
/** An evaluation reads all metrics. So an organisation that changes all the time has one only this often. */
const APART_MS = 2_000;
const RETRY_MS = 10_000;

/**
 * Notifies Temporal of organisations whose numbers have changed. It works in the background, so that no request waits for it. A
 * crash may lose notifications. The next start and the daily settlement notify Temporal again.
 */
class NumberChanges {
  readonly #orchestration: Pick<Orchestration, 'numbersChanged'>;
  readonly #log: FastifyBaseLogger;
  readonly #timers = new Map<string, NodeJS.Timeout>();
  /** When each organisation was last sent. */
  readonly #sentAt = new Map<string, number>();
  readonly #sending = new Set<Promise<void>>();
  #isClosed = false;

  constructor(orchestration: Pick<Orchestration, 'numbersChanged'>, log: FastifyBaseLogger) {
    this.#orchestration = orchestration;
    this.#log = log;
  }

  note(orgId: string, afterMs = GATHER_MS): void {
    if (this.#timers.has(orgId) || this.#isClosed) return;
    const sinceLast = performance.now() - (this.#sentAt.get(orgId) ?? -APART_MS);
    const timer = setTimeout(
      () => {
        this.#send(orgId);
      },
      Math.max(afterMs, APART_MS - sinceLast),
    );
    this.#timers.set(orgId, timer);
  }

  /** Sends the waiting notifications at once, and does not retry. */
  async close(): Promise<void> {
    this.#isClosed = true;
    for (const [orgId, timer] of this.#timers) {
      clearTimeout(timer);
      this.#send(orgId);
    }
    await Promise.all(this.#sending);
  }

  #send(orgId: string): void {
    this.#timers.delete(orgId);
    this.#sentAt.set(orgId, performance.now());
    const sent = this.#orchestration.numbersChanged(orgId).catch((error: unknown) => {
      this.#log.warn(
        { err: error, organisation: orgId },
        'the evaluation of events could not be started; trying again',
      );
      this.note(orgId, RETRY_MS);
    });
    this.#sending.add(sent);
    void sent.finally(() => this.#sending.delete(sent));
  }
}

/**
 * Notifies Temporal of requests that change numbers: after those with status 200 to routes that declare `changesNumbers`, and as soon
 * as a request has computed or sealed months.
 */
export function watchNumberChanges(app: Api, orchestration: Pick<Orchestration, 'numbersChanged'>): void {
  const changes = new NumberChanges(orchestration, app.log);
  app.decorateRequest('noteUpdate', function () {
    changes.note(callerOf(this).organisation.id);
  });
  app.addHook('onResponse', (request, reply, done) => {
    const { changesNumbers } = request.routeOptions.config;
    if (changesNumbers === true && reply.statusCode === 200) changes.note(callerOf(request).organisation.id);
    done();
  });
  app.addHook('onClose', () => changes.close());
}
