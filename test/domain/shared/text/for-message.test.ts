import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { forMessage } from '../../../../domain/shared/text/for-message.ts';

const PEM = generateKeyPairSync('rsa', { modulusLength: 2048 })
  .privateKey.export({ type: 'pkcs8', format: 'pem' })
  .toString();

describe('a received value in a message', () => {
  it.each([
    [undefined, 'nothing'],
    [null, 'null'],
    [5, '5'],
    ['2026-13', '"2026-13"'],
    ['metric met_019aa5d2b7c87a1e9f1c3d2e4f506172', '"metric met_019aa5d2b7c87a1e9f1c3d2e4f506172"'],
    [
      '/data/exports/Acme 2026/january-final-version-2.csv',
      '"/data/exports/Acme 2026/january-final-version-2.csv"',
    ],
    ['x'.repeat(100), `"${'x'.repeat(79)}…`],
    [['a'], 'a list of 1 item'],
    [[], 'a list of 0 items'],
    [{ type: 'service_account', private_key: PEM }, 'an object'],
  ])('%j is written %s', (value, text) => {
    expect(forMessage(value)).toBe(text);
  });

  it.each([
    ['a private key', PEM],
    ['the JSON of a service account', JSON.stringify({ type: 'service_account', private_key: 'x' })],
    ['a key of Stripe', 'sk_live_abc'],
    ['a key of this service', `ca_${'0'.repeat(32)}_${randomBytes(32).toString('base64url')}`],
    ['a secret of a webhook', 'whsec_abc'],
    ['an access key of AWS', 'AKIAIOSFODNN7EXAMPLE'],
    ['a token', 'Bearer eyJhbGciOiJIUzI1NiJ9.e30.x'],
    ['a URL with a password', 'postgres://me:word@host/db'],
    ['a signed URL', 'https://acme.blob.core.windows.net/x?sv=2024&sig=abc%3D'],
    ['a long word of random characters', `a1${randomBytes(30).toString('base64url')}A`],
  ])('%s is not written', (_what, value) => {
    expect(forMessage(value)).toBe('a text that may be a credential');
  });
});
