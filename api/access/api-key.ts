import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';

const PREFIX = 'ca_';
const SHAPE = /^ca_([0-9a-f]{32})_([A-Za-z0-9_-]{43})$/;

const hash = (secret: string): string => createHash('sha256').update(secret).digest('hex');

/** Returns a new key's secret (a readable prefix, the key's id and 256 random bits) and the hash to store. */
export function newSecret(keyId: string): { secret: string; secretHash: string } {
  const secret = `${PREFIX}${keyId.replace(/^key_/, '')}_${randomBytes(32).toString('base64url')}`;
  return { secret, secretHash: hash(secret) };
}

/** Returns the key id in a secret, or null if the text is not a secret. */
export function keyIdOf(secret: string): string | null {
  const id = SHAPE.exec(secret)?.[1];
  return id === undefined ? null : `key_${id}`;
}

/** Whether a secret has this hash. Takes constant time. */
export const matches = (secret: string, secretHash: string): boolean =>
  timingSafeEqual(Buffer.from(hash(secret), 'hex'), Buffer.from(secretHash, 'hex'));
