import { describe, expect, it } from 'vitest';
import { isProjectId, serviceAccountKeyOf } from '../../../domain/shared/service-account-key.ts';

const PEM = '-----BEGIN PRIVATE KEY-----\nc2VjcmV0LWJ5dGVz\n-----END PRIVATE KEY-----\n';
const KEY = {
  type: 'service_account',
  project_id: 'acme-analytics',
  private_key_id: 'id-secret',
  private_key: PEM,
  client_email: 'importer@acme-analytics.iam.gserviceaccount.com',
  token_uri: 'https://evil.example/token',
  universe_domain: 'googleapis.com',
};
function refusalOf(credentials: unknown): Error {
  try {
    serviceAccountKeyOf(credentials);
  } catch (error) {
    return error as Error;
  }
  throw new Error('accepted');
}
const EXPECTED = 'credentials: expected the JSON key of a service account, as Google Cloud creates it; ';

describe('the key of a service account', () => {
  it('is reduced to what an import needs, without hosts', () => {
    const { token_uri: _, ...needed } = KEY;
    expect(serviceAccountKeyOf(KEY)).toEqual(needed);
    const { private_key_id: _id, universe_domain: _universe, ...least } = needed;
    expect(serviceAccountKeyOf(least)).toEqual(least);
  });

  it.each<[string, unknown, string]>([
    ['another type', { ...KEY, type: 'authorized_user' }, 'its type must be "service_account"'],
    ['no type', { ...KEY, type: undefined }, 'its type must be "service_account"'],
    ['an OAuth client', { installed: { client_secret: 'secret' } }, 'its type must be "service_account"'],
    ['no project', { ...KEY, project_id: '' }, 'its project_id is missing or wrong'],
    ['no e-mail', { ...KEY, client_email: 'secret' }, 'its client_email is missing or wrong'],
    ['an empty id', { ...KEY, private_key_id: '' }, 'its private_key_id is missing or wrong'],
    ...[
      { what: 'no private key', private_key: undefined },
      { what: 'a public key', private_key: PEM.replaceAll('PRIVATE', 'PUBLIC') },
      { what: 'an EC key', private_key: PEM.replaceAll('PRIVATE', 'EC PRIVATE') },
      { what: 'an encrypted key', private_key: PEM.replaceAll('PRIVATE', 'ENCRYPTED PRIVATE') },
      { what: 'written line breaks', private_key: PEM.replaceAll('\n', '\\n') },
      { what: 'half a key', private_key: PEM.slice(0, 40) },
    ].map(({ what, private_key }): [string, unknown, string] => [
      what,
      { ...KEY, private_key },
      'its private_key must be an RSA key of 2048 to 4096 bits in PEM, with its line breaks',
    ]),
    [
      'another universe',
      { ...KEY, universe_domain: 'evil.example' },
      'its universe_domain must be googleapis.com',
    ],
    ['a text', JSON.stringify(KEY), 'it is a JSON object'],
    ['nothing', null, 'it is a JSON object'],
    ['a list', [KEY], 'it is a JSON object'],
  ])('is refused with %s, and the message repeats nothing of it', (_what, credentials, reason) => {
    const error = refusalOf(credentials);
    expect(error).toMatchObject({ name: 'ServiceError', kind: 'invalid', message: EXPECTED + reason });
    expect(error.stack).not.toMatch(/secret|c2Vj|authorized_user|evil|acme/);
  });
});

it('a project’s id has no characters that change a URL', () => {
  for (const id of ['acme-analytics', 'p1', 'example.com:old-project', '123456'])
    expect(isProjectId(id)).toBe(true);
  for (const id of ['', '..', 'a/b', 'a?b', 'a b', 'Acme', 'a%2e', '{{projectId}}', '-a', 'a'.repeat(101)])
    expect(isProjectId(id)).toBe(false);
});
