import { Readable } from 'node:stream';
import type { FastifyInstance } from 'fastify';
import { FairLimiter, type FairLimits } from '../../domain/shared/fair-limiter.ts';
import type { Metrics } from '../../telemetry/metrics.ts';
import type { Warehouse } from '../../warehouse/engine/warehouse.ts';
import { callerOf } from './authentication.ts';
import { readingMs } from '../http/files/reading-pace.ts';
import { closeSignal, streamed, tabularType } from '../http/files/tabular.ts';
import { SMALL_BYTES, spoolAnswer } from './spool-answer.ts';
import { LoopTurns } from '../requests/loop-turns.ts';
import { UnreadAnswers } from './unread-answers.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Whether an answer can take long or much memory, for all requests or for some. */
    isHeavy?: true | ((request: FastifyRequest) => boolean);
  }
  interface FastifyRequest {
    /** What the handler of the request does; null until it begins. */
    work: Promise<unknown> | null;
    /** Gives the place of the request back. */
    leave: (() => void) | null;
    /** Changes the place of the request into one of those that only wait for a commit. */
    awaitCommit: () => Promise<void>;
  }
}

/** How many requests run at once. Light requests never wait for heavy requests of another organisation. */
const LIMITS = {
  light: { total: 32, each: 8, mostWaiting: 200 },
  heavy: { total: 6, each: 2, mostWaiting: 20 },
  // Small writes commit together (warehouse/metrics/small-changes.ts), so that many cost as much as one.
  commits: { total: 256, each: 64, mostWaiting: 200 },
} as const satisfies Record<string, FairLimits>;

const UNREAD = { total: 2 * 2 ** 30, each: 512 * 2 ** 20, patienceMs: 60_000 };

/**
 * Admits a request once its organisation has a free place, before the body is read. Further requests of the organisation
 * wait; beyond that number they are rejected (503). The place is free again once the answer is made, however slowly its caller
 * reads it, or once the caller has gone and the work has ended. Otherwise slow readers would keep all places, and callers who leave
 * early could start any number of statements. An organisation starts one request in a turn of the event loop. Otherwise its small
 * requests, sent many at once, would all be answered before the next one of another organisation.
 */
export function admitFairly(
  app: FastifyInstance,
  { metrics, warehouse }: { metrics: Metrics; warehouse: Pick<Warehouse, 'settings'> },
): void {
  app.decorateRequest('work', null);
  app.decorateRequest('leave', null);
  app.decorateRequest('awaitCommit', () => Promise.resolve());
  app.addHook('onRoute', (route) => {
    const { handler } = route;
    route.handler = function (request, reply) {
      const work: unknown = handler.call(this, request, reply);
      if (work instanceof Promise) request.work = work;
      return work;
    };
  });
  const limiters = {
    light: new FairLimiter(LIMITS.light),
    heavy: new FairLimiter(LIMITS.heavy),
    commits: new FairLimiter(LIMITS.commits),
  };
  const turns = new LoopTurns();
  const unread = new UnreadAnswers(UNREAD);
  metrics.watchPlaces('light_requests', limiters.light);
  metrics.watchPlaces('heavy_requests', limiters.heavy);
  metrics.watchPlaces('commits', limiters.commits);

  app.addHook('onRequest', async (request, reply) => {
    const { isHeavy = () => false } = request.routeOptions.config;
    const weight = isHeavy === true || isHeavy(request) || tabularType(request) !== null ? 'heavy' : 'light';
    const orgId = callerOf(request).organisation.id;
    const closed = closeSignal(reply);
    if (weight === 'heavy') unread.refuseMore(orgId);
    let place = await limiters[weight].acquire(orgId, closed);
    const release = (): void => {
      place();
    };
    let making: Promise<void> | null = null;
    const leave = (): void => {
      void Promise.allSettled([request.work, making]).then(release);
    };
    request.leave = release;
    request.awaitCommit = async () => {
      const next = await limiters.commits.acquire(orgId, closed);
      place();
      place = next;
    };
    request.spooled = (pieces) => {
      const folder = warehouse.settings.spillDirectory;
      const { bytes, made } = spoolAnswer(pieces, { folder, unread, orgId, closed });
      making = made.then(release);
      return bytes;
    };
    if (closed.aborted) leave();
    else closed.addEventListener('abort', leave, { once: true });
    await turns.take(orgId);
  });

  app.addHook('onSend', (request, reply, payload, done) => {
    if (typeof payload !== 'string' && !Buffer.isBuffer(payload)) {
      done();
      return;
    }
    const bytes = Buffer.byteLength(payload);
    if (bytes > SMALL_BYTES && request.spooled !== undefined) {
      reply.header('content-length', bytes);
      done(null, streamed(reply, request.spooled(Readable.from(payload, { objectMode: false }))));
      return;
    }
    request.leave?.();
    const tooSlow = setTimeout(() => reply.raw.destroy(), readingMs(bytes)).unref();
    reply.raw.once('close', () => {
      clearTimeout(tooSlow);
    });
    done();
  });
}
