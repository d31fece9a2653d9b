import { credentialTypeOf } from '../../../domain/sources/credential-of-location.ts';
import type { CredentialType } from '../../../domain/sources/credentials.ts';
import type { paths } from '../../http/generated/api-types.d.ts';

/** Credentials as the API takes them. */
export type CredentialsBody =
  paths['/api/v1/cost-sources/{id}/credentials']['put']['requestBody']['content']['application/json'];

/** A field of credentials, as people fill it in. */
export interface CredentialField {
  /** Its name in the API. */
  name: string;
  label: string;
  description?: string;
  placeholder?: string;
  /** Whether it must not be read over a shoulder. A key file is long, and hidden by being pasted or chosen. */
  shows: 'text' | 'dots' | 'key file';
  /** Whether few need it. */
  isRare?: true;
}

const endpoint = (description: string, placeholder: string): CredentialField => ({
  name: 'endpoint',
  label: 'Endpoint',
  description,
  placeholder,
  shows: 'text',
  isRare: true,
});

const ENDPOINT = endpoint(
  'Only for a service that speaks like the cloud’s, such as MinIO.',
  'https://minio.example.com',
);

/** The fields of each type of credentials. */
export const CREDENTIAL_FIELDS: Readonly<Record<CredentialType, readonly CredentialField[]>> = {
  s3: [
    { name: 'access_key_id', label: 'Access key ID', placeholder: 'AKIA…', shows: 'text' },
    { name: 'secret_access_key', label: 'Secret access key', shows: 'dots' },
    { name: 'region', label: 'Region of the bucket', placeholder: 'eu-central-1', shows: 'text' },
    {
      name: 'role_arn',
      label: 'Role to assume',
      description: 'With the key, or with the service’s own identity.',
      placeholder: 'arn:aws:iam::123456789012:role/billing',
      shows: 'text',
      isRare: true,
    },
    ENDPOINT,
  ],
  gcs: [
    {
      name: 'access_id',
      label: 'Access ID',
      description: 'Of an HMAC key.',
      placeholder: 'GOOG1E…',
      shows: 'text',
    },
    { name: 'secret', label: 'Secret', shows: 'dots' },
    ENDPOINT,
  ],
  azure: [
    {
      name: 'sas_token',
      label: 'Shared access signature (SAS)',
      description:
        'It needs the permissions to list and to read. You can also paste the whole URL that contains it.',
      shows: 'dots',
    },
    {
      name: 'account_key',
      label: 'Access key of the storage account',
      description: 'Instead of a signature. It opens the whole account, so a signature is better.',
      shows: 'dots',
    },
    endpoint(
      'Only for another service than Azure’s public one, such as Azure Government or Azurite.',
      'https://blob.core.usgovcloudapi.net',
    ),
  ],
  google: [
    {
      name: 'service_account',
      label: 'Key of the service account',
      description: 'The JSON file with the key.',
      shows: 'key file',
    },
  ],
  token: [{ name: 'token', label: 'Token', shows: 'dots' }],
};

/** What is filled in, by the names of fields. */
export type EnteredCredentials = Record<string, string>;

/** All fields, empty. */
export const NO_CREDENTIALS: EnteredCredentials = Object.fromEntries(
  Object.values(CREDENTIAL_FIELDS).flatMap((fields) => fields.map(({ name }) => [name, ''])),
);

/** Returns the type of credentials that a source takes; null if it takes none. */
export const typeFor = (location: string, opensWith?: 'token'): CredentialType | null =>
  opensWith ?? credentialTypeOf(location.trim());

/** Returns credentials as the API takes them; undefined if nothing is filled in. The service refuses what does not fit. */
export function credentialsBody(
  type: CredentialType | null,
  entered: EnteredCredentials,
): CredentialsBody | undefined {
  if (type === null) return undefined;
  const filled = CREDENTIAL_FIELDS[type].flatMap(({ name, shows }) => {
    const text = entered[name]?.trim() ?? '';
    return text === '' ? [] : [[name, shows === 'key file' ? parsed(text) : text] as const];
  });
  return filled.length === 0 ? undefined : { type, ...Object.fromEntries(filled) };
}

/** Returns the JSON of a key file, or the text itself for the service to refuse. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
