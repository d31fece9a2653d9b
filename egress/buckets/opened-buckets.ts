import type { Credentials } from '../../domain/sources/credentials.ts';
import {
  GCS_ENDPOINT,
  DEFAULT_REGION,
  type Buckets,
  type ObjectStorage,
  type OperatorBuckets,
} from '../../domain/sources/exports/object-storage.ts';
import type { TargetRules } from '../requests/guarded-request.ts';
import { assumeRole } from './assume-role.ts';

type S3Credentials = Extract<Credentials, { type: 's3' }>;

/**
 * Returns what opens the buckets of a source: its own credentials for their cloud, and the operator's for the others. Takes a role
 * if the credentials name one.
 *
 * @throws ServiceError `invalid` that says what to change, if the role is refused.
 */
export async function openedBuckets(
  operator: OperatorBuckets,
  credentials: Credentials | null,
  orgId: string,
  rules: TargetRules & { field: string },
): Promise<Buckets> {
  switch (credentials?.type) {
    case 's3':
      return { ...operator, s3: await s3Of(operator, credentials, orgId, rules) };
    case 'gcs':
      return {
        ...operator,
        gs: {
          keyId: credentials.access_id,
          secret: credentials.secret,
          sessionToken: null,
          region: DEFAULT_REGION,
          endpoint: credentials.endpoint ?? GCS_ENDPOINT,
        },
      };
    case 'azure':
      return {
        ...operator,
        az: {
          sasToken: credentials.sas_token ?? null,
          accountKey: credentials.account_key ?? null,
          endpoint: credentials.endpoint ?? null,
        },
      };
    default:
      return operator;
  }
}

async function s3Of(
  operator: OperatorBuckets,
  { access_key_id: keyId, role_arn: arn, ...own }: S3Credentials,
  orgId: string,
  rules: TargetRules & { field: string },
): Promise<ObjectStorage> {
  const region = own.region ?? null;
  const endpoint = own.endpoint ?? null;
  const key: ObjectStorage =
    keyId === undefined
      ? { ...operator.s3, region: region ?? operator.s3.region, endpoint: endpoint ?? operator.s3.endpoint }
      : {
          keyId,
          secret: own.secret_access_key ?? null,
          sessionToken: own.session_token ?? null,
          region,
          endpoint,
        };
  if (arn === undefined) return key;
  const service = endpoint ?? operator.sts;
  // The operator has chosen its service, which may be private.
  const privateTargets = service !== null && service === operator.sts ? null : rules.privateTargets;
  return assumeRole({ arn, key, service, externalId: orgId }, { ...rules, privateTargets });
}
