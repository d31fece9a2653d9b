import { randomBytes } from 'node:crypto';
import type { FastifyRequest } from 'fastify';

/** The header that carries a ticket. It never leaves this process. */
export const TICKET_HEADER = 'x-own-ticket';

const TICKET_BYTES = 32;

/**
 * Marks requests that the service sends to itself. Each ticket stands for something that only this process knows. It has 256 random
 * bits and works once, so no client can forge one.
 */
export class Tickets<Held> {
  readonly #held = new Map<string, Held>();

  /** Sends a request with a new ticket. The ticket is void afterwards, even if nobody redeemed it. */
  async during<Result>(held: Held, send: (ticket: string) => Promise<Result>): Promise<Result> {
    const ticket = randomBytes(TICKET_BYTES).toString('base64url');
    this.#held.set(ticket, held);
    try {
      return await send(ticket);
    } finally {
      this.#held.delete(ticket);
    }
  }

  /** Returns what the ticket of a request stands for, or null for a request without a valid one. */
  redeem({ headers }: FastifyRequest): Held | null {
    const ticket = headers[TICKET_HEADER];
    if (typeof ticket !== 'string') return null;
    const held = this.#held.get(ticket) ?? null;
    this.#held.delete(ticket);
    return held;
  }
}
