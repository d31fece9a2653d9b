import type { FastifyReply, FastifyRequest } from 'fastify';
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import { ServiceError } from '../../../domain/shared/errors.ts';
import type { Metrics } from '../../../telemetry/metrics.ts';
import type { KeyHolder } from '../../../warehouse/organisations/api-keys.ts';

/** Sign-ins of one key from one address that this process admits in a minute. */
const SIGN_INS_A_MINUTE = 20;

/**
 * Limits sign-ins, because each makes a record of the audit log. A key has its own limit at each address, so that a stranger
 * cannot lock its holder out. Wrong keys share the limit of their address (docs/http.md#browser-session).
 */
export class SignInLimit {
  readonly #signIns: Metrics['signIns'];
  readonly #limiter = new RateLimiterMemory({ points: SIGN_INS_A_MINUTE, duration: 60 });

  constructor({ signIns }: Pick<Metrics, 'signIns'>) {
    this.#signIns = signIns;
  }

  /** Returns the holder of a key that `check` finds. Throws a 429 above the limit, also instead of an error of `check`. */
  async admit(
    { ip }: FastifyRequest,
    reply: FastifyReply,
    check: () => Promise<KeyHolder>,
  ): Promise<KeyHolder> {
    try {
      const holder = await check();
      await this.#consume(`${ip} ${holder.key.id}`, reply);
      this.#signIns.inc({ result: 'signed_in' });
      return holder;
    } catch (error) {
      if (isOverLimit(error)) throw error;
      await this.#consume(ip, reply);
      this.#signIns.inc({ result: 'refused' });
      throw error;
    }
  }

  async #consume(id: string, reply: FastifyReply): Promise<void> {
    try {
      await this.#limiter.consume(id);
    } catch (error) {
      if (!(error instanceof RateLimiterRes)) throw error;
      this.#signIns.inc({ result: 'limited' });
      reply.header('retry-after', Math.ceil(error.msBeforeNext / 1_000));
      throw new ServiceError(
        'quota_exceeded',
        `key: at most ${SIGN_INS_A_MINUTE} sign-ins a minute; try again after the seconds of Retry-After`,
      );
    }
  }
}

const isOverLimit = (error: unknown): boolean =>
  error instanceof ServiceError && error.kind === 'quota_exceeded';
