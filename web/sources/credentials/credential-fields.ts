import type { CostSource } from '../sources-queries.ts';

export type CredentialType = NonNullable<CostSource['credentials']>['type'];

interface CredentialField {
  name: string;
  label: string;
  description?: string;
  /** Whether nobody should read it over a shoulder. */
  isSecret?: true;
  isRequired?: true;
  /** Whether it is many lines of JSON. */
  isJson?: true;
}

const ENDPOINT: CredentialField = {
  name: 'endpoint',
  label: 'Endpoint',
  description: "Only for another service than the cloud's own.",
};

/** What people fill in, by the type of credentials. */
export const CREDENTIAL_FORMS: Record<CredentialType, { label: string; fields: readonly CredentialField[] }> =
  {
    s3: {
      label: 'Key of S3',
      fields: [
        { name: 'access_key_id', label: 'Access key ID' },
        { name: 'secret_access_key', label: 'Secret access key', isSecret: true },
        { name: 'region', label: 'Region', description: 'The region of the bucket, such as eu-central-1.' },
        { name: 'role_arn', label: 'Role', description: 'The ARN of a role to take with the key.' },
        ENDPOINT,
      ],
    },
    gcs: {
      label: 'HMAC key of Google Cloud Storage',
      fields: [
        { name: 'access_id', label: 'Access ID', isRequired: true },
        { name: 'secret', label: 'Secret', isSecret: true, isRequired: true },
        ENDPOINT,
      ],
    },
    azure: {
      label: 'Azure Blob Storage',
      fields: [
        {
          name: 'sas_token',
          label: 'SAS token',
          description: 'It may read and list. Or give an account key.',
          isSecret: true,
        },
        { name: 'account_key', label: 'Account key', isSecret: true },
        ENDPOINT,
      ],
    },
    google: {
      label: 'Google service account',
      fields: [{ name: 'service_account', label: 'Service account key', isJson: true, isRequired: true }],
    },
    token: {
      label: 'Token',
      fields: [{ name: 'token', label: 'Token', isSecret: true, isRequired: true }],
    },
  };

const TYPE_OF_SCHEME: Readonly<Record<string, CredentialType>> = {
  s3: 's3',
  gs: 'gcs',
  az: 'azure',
  bigquery: 'google',
};

/** Returns the type of credentials that a location takes; null for one that takes none. */
export const credentialTypeOf = (location: string): CredentialType | null =>
  TYPE_OF_SCHEME[/^\s*([a-z0-9]+):\/\//i.exec(location)?.[1]?.toLowerCase() ?? ''] ?? null;

/** Returns the JSON of a key, or the text itself for the service to refuse. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** Returns the credentials that were filled in; null if all of their fields are empty. */
export function credentialsBody(
  type: CredentialType,
  values: Readonly<Record<string, string>>,
): ({ type: CredentialType } & Record<string, unknown>) | null {
  const filled = CREDENTIAL_FORMS[type].fields.flatMap(({ name, isJson }) => {
    const text = values[name]?.trim() ?? '';
    return text === '' ? [] : [[name, isJson === true ? parsed(text) : text] as const];
  });
  return filled.length === 0 ? null : { type, ...Object.fromEntries(filled) };
}
