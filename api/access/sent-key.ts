import type { FastifyRequest } from 'fastify';
import { unauthenticated } from '../../domain/shared/errors.ts';

/** A key as it was sent. `from` is the header or field that carried it, for error messages. */
export interface SentKey {
  from: string;
  secret: string;
}

const BEARER = /^Bearer +(\S+) *$/i;

/** Whether a request carries a key, in one of its two headers. */
export const carriesKey = ({ headers }: FastifyRequest): boolean =>
  (headers['x-api-key'] ?? '') !== '' || headers.authorization !== undefined;

/** Returns the key that a request carries; X-API-Key comes first. Throws a 401 without a key. */
export function sentKey({ headers }: FastifyRequest): SentKey {
  const key = headers['x-api-key'];
  if (typeof key === 'string' && key !== '') return { from: 'X-API-Key', secret: key };
  const [, token] = BEARER.exec(headers.authorization ?? '') ?? [];
  if (token === undefined)
    throw unauthenticated('X-API-Key or Authorization: Bearer: expected an API key, got nothing');
  return { from: 'Authorization', secret: token };
}
