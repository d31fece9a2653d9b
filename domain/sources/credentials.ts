import { z } from 'zod';
import { invalid } from '../shared/errors.ts';
import { serviceAccountKeyOf } from '../shared/service-account-key.ts';
import { credentialTypeOf } from './credential-of-location.ts';

export { credentialTypeOf } from './credential-of-location.ts';

/** A printable text without blanks, as all keys and tokens are. The message repeats nothing of what was sent. */
function secret(longest: number, what: string) {
  const error = `expected ${what}, of at most ${longest} characters and without blanks`;
  return z
    .string({ error })
    .trim()
    .regex(/^[\x21-\x7e]+$/, { error })
    .max(longest, { error });
}

const ENDPOINT = 'expected the base URL of the service, such as "https://minio.example.com"';

/** The service to which requests are sent, if it is not the cloud's own. It has neither credentials nor a query. */
const endpoint = z
  .string({ error: ENDPOINT })
  .max(500, { error: ENDPOINT })
  .regex(/^https?:\/\/[\w.:[\]/~%-]+$/i, { error: ENDPOINT })
  .refine((text) => URL.canParse(text), { error: ENDPOINT })
  .transform((text) => text.replace(/\/+$/, ''))
  .optional();

const REGION = 'expected a region such as "eu-central-1"';
const ROLE = 'expected the ARN of a role, such as "arn:aws:iam::123456789012:role/billing"';
const SAS = 'the shared access signature, which has sig=…';
const ACCOUNT_KEY = 'expected an access key of the storage account, in base64';

const S3 = z
  .strictObject({
    type: z.literal('s3'),
    access_key_id: secret(128, 'the id of an access key').optional(),
    secret_access_key: secret(256, 'the secret of the access key').optional(),
    session_token: secret(4_096, 'a session token').optional(),
    region: z
      .string({ error: REGION })
      .regex(/^[a-z0-9-]{1,40}$/, { error: REGION })
      .optional(),
    endpoint,
    role_arn: z
      .string({ error: ROLE })
      .regex(/^arn:aws[a-z-]*:iam::\d{12}:role\/[\w+=,.@/-]{1,500}$/, { error: ROLE })
      .optional(),
  })
  .refine(({ access_key_id: id, secret_access_key: key }) => (id === undefined) === (key === undefined), {
    error: 'expected access_key_id and secret_access_key together',
  })
  .refine(({ access_key_id: id, role_arn: role }) => id !== undefined || role !== undefined, {
    error: 'expected access_key_id and secret_access_key, or a role_arn',
  });

const GCS = z.strictObject({
  type: z.literal('gcs'),
  access_id: secret(128, 'the access ID of an HMAC key'),
  secret: secret(256, 'the secret of the HMAC key'),
  endpoint,
});

const AZURE = z
  .strictObject({
    type: z.literal('azure'),
    // People copy it with the question mark, or with the whole URL before it.
    sas_token: secret(4_096, SAS)
      .transform((text) => text.replace(/^.*\?/, ''))
      .refine((text) => /^[\w.~%&=:+/,*-]+$/.test(text) && /(?:^|&)sig=[^&]/.test(text), {
        error: `expected ${SAS}`,
      })
      .optional(),
    account_key: z
      .string({ error: ACCOUNT_KEY })
      .trim()
      .regex(/^[A-Za-z0-9+/]{20,200}={0,2}$/, { error: ACCOUNT_KEY })
      .optional(),
    endpoint,
  })
  .refine(({ sas_token: sas, account_key: key }) => (sas === undefined) !== (key === undefined), {
    error: 'expected either sas_token or account_key',
  });

/** The key is checked by its own rules, which name the wrong field. */
const GOOGLE = z.strictObject({
  type: z.literal('google'),
  service_account: z.unknown().transform(serviceAccountKeyOf),
});

const TOKEN = z.strictObject({ type: z.literal('token'), token: secret(4_096, 'a token of the vendor') });

/** What opens the location of a cost source, by type (docs/http.md#connect-a-cost-source). It is stored sealed, and never shown. */
export const CREDENTIALS = { s3: S3, gcs: GCS, azure: AZURE, google: GOOGLE, token: TOKEN } as const;

export type CredentialType = keyof typeof CREDENTIALS;
type CredentialsOf<Type extends CredentialType> = z.output<(typeof CREDENTIALS)[Type]>;
export type Credentials = { [Type in CredentialType]: CredentialsOf<Type> }[CredentialType];

export const CREDENTIAL_TYPES = Object.keys(CREDENTIALS) as CredentialType[];
const quoted = (types: readonly CredentialType[]): string =>
  types.map((type) => JSON.stringify(type)).join(' or ');

/**
 * Returns the types of credentials that a source accepts.
 *
 * @param locations all that the source reads (file-locations.ts).
 * @param isVendor whether it reads the API of a vendor of AI tools, which takes a token.
 */
export const acceptedTypes = (locations: readonly string[], isVendor = false): CredentialType[] => [
  ...new Set([
    ...locations.map(credentialTypeOf).filter((type) => type !== null),
    ...(isVendor ? (['token'] as const) : []),
  ]),
];

/**
 * Returns credentials as they are stored.
 *
 * @param accepted the types that the source accepts.
 * @throws ServiceError `invalid` that names the wrong field. Its message repeats nothing of what was sent.
 */
export function credentialsOf(sent: unknown, accepted: readonly CredentialType[]): Credentials {
  if (accepted.length === 0)
    throw invalid('credentials: expected none, because nothing that this source reads takes credentials');
  const { type = null } = typeof sent === 'object' && sent !== null && 'type' in sent ? sent : {};
  const known = CREDENTIAL_TYPES.find((one) => one === type);
  if (known === undefined || !accepted.includes(known))
    throw invalid(`credentials.type: expected ${quoted(accepted)} for what this source reads`);
  const parsed = CREDENTIALS[known].safeParse(sent);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  if (issue?.code === 'unrecognized_keys')
    throw invalid(`credentials: unknown field; ${known} has ${fieldsOf(known).join(', ')}`);
  const field = ['credentials', ...(issue?.path ?? [])].map(String).join('.');
  throw invalid(
    `${field}: ${issue?.message.startsWith('expected') === true ? issue.message : 'expected a valid value'}`,
  );
}

const fieldsOf = (type: CredentialType): string[] =>
  Object.keys(CREDENTIALS[type].shape).filter((field) => field !== 'type');

/** Whether credentials sign with a key of the source, and not with the operator's own identity. */
export const haveOwnKey = (credentials: Credentials): boolean =>
  credentials.type !== 's3' || credentials.access_key_id !== undefined;

/** What reads show of stored credentials. */
export interface ShownCredentials {
  type: CredentialType;
  /** Tells two credentials apart, and is never enough to use one. */
  hint: string;
  set_at: string;
}

/** Returns what tells credentials apart for people: a public id, or the last characters of a long secret. */
export function hintOf(credentials: Credentials): string {
  switch (credentials.type) {
    case 's3':
      return [ending(credentials.access_key_id), credentials.role_arn].filter(Boolean).join(' as ');
    case 'gcs':
      return ending(credentials.access_id);
    case 'azure':
      return credentials.sas_token === undefined
        ? 'account key'
        : `SAS${until(new URLSearchParams(credentials.sas_token))}`;
    case 'google':
      return credentials.service_account.client_email;
    case 'token':
      return ending(credentials.token);
  }
}

function until(sas: URLSearchParams): string {
  const end = /^\d{4}-\d\d-\d\d/.exec(sas.get('se') ?? '')?.[0];
  return end === undefined ? '' : ` until ${end}`;
}

/** Short texts would lose too much with their last characters. */
const ending = (text = ''): string => (text === '' ? '' : `…${text.length < 16 ? '' : text.slice(-4)}`);
