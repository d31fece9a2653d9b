import type { FastifyRequest } from 'fastify';
import { unauthenticated } from '../../domain/shared/errors.ts';

/** The headers that may carry a key. MCP clients also send it as a bearer token. */
export type KeyHeaders = 'X-API-Key' | 'X-API-Key or Authorization: Bearer';

/** A key as it was sent. `from` is the header or field that carried it, for error messages. */
export interface SentKey {
  from: string;
  secret: string;
}

const BEARER = /^Bearer +(\S+) *$/i;

/** Returns the key that a request carries; X-API-Key comes first. Throws a 401 without a key. */
export const sentKey = ({ headers }: FastifyRequest, accepted: KeyHeaders): SentKey => {
  const key = headers['x-api-key'];
  if (typeof key === 'string' && key !== '') return { from: 'X-API-Key', secret: key };
  const [, token] = BEARER.exec(headers.authorization ?? '') ?? [];
  if (accepted === 'X-API-Key' || token === undefined)
    throw unauthenticated(`${accepted}: expected an API key, got nothing`);
  return { from: 'Authorization', secret: token };
};
