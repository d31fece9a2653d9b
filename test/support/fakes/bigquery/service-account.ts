import { createVerify, generateKeyPairSync } from 'node:crypto';

/** A service account with its JSON key, as Google Cloud's console creates it. */
export interface FakeServiceAccount {
  key: Record<string, string>;
  email: string;
  publicKey: string;
}

/** Creates a service account. The hosts in its key lead to `tokenHost`, which nobody should call. */
export function newServiceAccount(projectId = 'acme-analytics', tokenHost = 'https://oauth2.googleapis.com') {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', {
    modulusLength: 2048,
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    publicKeyEncoding: { type: 'spki', format: 'pem' },
  });
  const email = `importer@${projectId}.iam.gserviceaccount.com`;
  const key: Record<string, string> = {
    type: 'service_account',
    project_id: projectId,
    private_key_id: '0123456789abcdef0123456789abcdef01234567',
    private_key: privateKey,
    client_email: email,
    client_id: '104857600000000000001',
    auth_uri: `${tokenHost}/o/oauth2/auth`,
    token_uri: `${tokenHost}/token`,
    auth_provider_x509_cert_url: `${tokenHost}/oauth2/v1/certs`,
    client_x509_cert_url: `${tokenHost}/robot/v1/metadata/x509/importer`,
    universe_domain: 'googleapis.com',
  };
  return { key, email, publicKey } satisfies FakeServiceAccount;
}

const SCOPES = ['https://www.googleapis.com/auth/bigquery', 'https://www.googleapis.com/auth/cloud-platform'];
const AUDIENCE = 'https://bigquery.googleapis.com/';

/**
 * Returns why BigQuery would reject an Authorization header, or null. The account must have signed the
 * token, as its issuer and subject. The token lives an hour at most, and has a scope or an audience.
 */
export function tokenProblem(
  header: string | undefined,
  { email, publicKey, key }: FakeServiceAccount,
  now = Date.now(),
): string | null {
  const [, head = '', claims = '', signature = ''] =
    /^Bearer ([\w-]+)\.([\w-]+)\.([\w-]+)$/.exec(header ?? '') ?? [];
  if (head === '') return 'no token';
  const { alg, kid } = decoded(head);
  if (alg !== 'RS256') return 'wrong algorithm';
  if (kid !== key['private_key_id']) return 'unknown key';
  const verified = createVerify('RSA-SHA256')
    .update(`${head}.${claims}`)
    .verify(publicKey, Buffer.from(signature, 'base64url'));
  if (!verified) return 'wrong signature';
  const { iss, sub, iat, exp, scope, aud } = decoded(claims);
  if (iss !== email || sub !== email) return 'wrong issuer or subject';
  const seconds = now / 1000;
  const lives = typeof iat === 'number' && typeof exp === 'number' ? exp - iat : Infinity;
  if (!(lives > 0 && lives <= 3600 && Number(exp) > seconds && Number(iat) <= seconds + 60)) return 'expired';
  const scopes = typeof scope === 'string' ? scope.split(' ') : [];
  if (aud === undefined ? !scopes.some((one) => SCOPES.includes(one)) : aud !== AUDIENCE)
    return 'wrong scope or audience';
  return null;
}

const decoded = (part: string): Record<string, unknown> =>
  JSON.parse(Buffer.from(part, 'base64url').toString()) as Record<string, unknown>;
