import { describe, expect, it } from 'vitest';
import { restrictedKeyProblem } from '../../../../domain/imports/stripe/restricted-key.ts';
import { apiBaseText, stripeApiBase } from '../../../../domain/imports/stripe/api-base.ts';

/** Keys of the payment platform and the setting STRIPE_API_BASE. */
describe('a key', () => {
  it.each(['rk_live_51AbC', 'rk_test_51AbC'])('may be used if it is restricted: %s', (key) => {
    expect(restrictedKeyProblem(key)).toBeNull();
  });

  it.each([
    'sk_live_51SecretSecret',
    'sk_test_51SecretSecret',
    'pk_live_51SecretSecret',
    'rk_51SecretSecret',
    'RK_LIVE_51SecretSecret',
    ' rk_live_51SecretSecret',
    'rk_live_51SecretSecret\n',
    'rk_live_51Secret Secret',
    'rk_live_',
    '',
  ])('is refused otherwise, without a part of it in the message: %j', (key) => {
    const problem = restrictedKeyProblem(key);
    expect(problem).toMatch(/^expected a restricted key that begins with rk_live_ or rk_test_/);
    expect(problem).not.toMatch(/51|Secret/);
  });
});

describe('the base of the API', () => {
  it.each([
    ['https://api.stripe.com', { protocol: 'https', host: 'api.stripe.com', port: 443 }],
    ['https://stripe.example:8443/', { protocol: 'https', host: 'stripe.example', port: 8443 }],
    ['http://127.0.0.1:4010', { protocol: 'http', host: '127.0.0.1', port: 4010 }],
    ['http://[::1]', { protocol: 'http', host: '::1', port: 80 }],
  ])('%s', (text, base) => {
    expect(stripeApiBase(text)).toEqual(base);
  });

  it.each([
    [
      'api.stripe.com',
      'expected the base URL of an API, such as https://api.stripe.com, got "api.stripe.com"',
    ],
    ['ftp://api.stripe.com', 'got "ftp://api.stripe.com"'],
    ['https://proxy.example/stripe', 'without a path or query, got "https://proxy.example/stripe"'],
    ['https://api.stripe.com/?a=1', 'without a path or query'],
    ['https://me:secret@api.stripe.com', 'without a user name or password'],
  ])('rejects %s', (text, message) => {
    expect(() => stripeApiBase(text)).toThrow(message);
  });

  it('does not repeat a password', () => {
    expect(() => stripeApiBase('https://me:secret@api.stripe.com')).not.toThrow('secret');
  });

  it.each(['https://api.stripe.com', 'http://127.0.0.1:4010', 'http://[::1]:81'])(
    'is shown as %s',
    (text) => {
      expect(apiBaseText(stripeApiBase(text))).toBe(text);
    },
  );
});
