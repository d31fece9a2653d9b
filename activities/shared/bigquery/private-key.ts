import { createPrivateKey } from 'node:crypto';

const LEAST_BITS = 2048;
const MOST_BITS = 4096;

/**
 * Whether a PEM is an RSA key of 2048 to 4096 bits. Signing runs on the main thread, and its time grows with the cube of the key's
 * numbers: a key of 49,152 bits takes minutes. A forged key can have long factors and a short modulus, so that all numbers count.
 */
export function isSigningKey(pem: string): boolean {
  try {
    const key = createPrivateKey(pem);
    const bits = key.asymmetricKeyDetails?.modulusLength ?? 0;
    if (key.asymmetricKeyType !== 'rsa' || bits < LEAST_BITS || bits > MOST_BITS) return false;
    const { p = '', q = '', dp = '', dq = '', qi = '', d = '', e = '' } = key.export({ format: 'jwk' });
    return (
      [p, q, dp, dq, qi].every((number) => bitsOf(number) <= bits / 2 + 8) &&
      bitsOf(d) <= bits &&
      bitsOf(e) <= 64
    );
  } catch {
    return false;
  }
}

const bitsOf = (base64url: string): number => Buffer.from(base64url, 'base64url').length * 8;
