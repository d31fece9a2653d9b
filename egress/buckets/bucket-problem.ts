import { bucketPathOf, type BucketPath } from '../../domain/sources/exports/object-storage.ts';
import { textOf } from './xml.ts';

/** What was asked of a bucket: its list of objects, or the content of one. */
export type AskedOfBucket = 'list' | 'read';

/** A refusal of an object storage. */
export interface BucketRefusal {
  asked: AskedOfBucket;
  /** The object or the folder. */
  path: string;
  host: string;
  status: number;
  headers: Readonly<Record<string, string | string[] | undefined>>;
  /** The beginning of the answer. */
  text: string;
}

/** Returns what a person should change, because an object storage has refused a request. */
export function bucketProblem(refusal: BucketRefusal): string {
  const { headers, text, path, host, status } = refusal;
  const parts = bucketPathOf(path);
  const stated = headers['x-ms-error-code'];
  const code = typeof stated === 'string' ? stated : textOf(text, 'Code');
  const known =
    parts === null
      ? null
      : parts.scheme === 'az'
        ? ofAzure(code, parts, refusal)
        : ofS3(code, parts, refusal);
  if (known !== null) return known;
  return `${host} answered ${status}${/^\w{1,60}$/.test(code) ? ` (${code})` : ''} for ${path}: check the location and the credentials`;
}

type S3Path = Exclude<BucketPath, { scheme: 'az' }>;

/** The rights in the words of AWS and Google. */
const RIGHTS = {
  s3: { list: 's3:ListBucket on the bucket', read: 's3:GetObject on its objects' },
  gs: { list: 'storage.objects.list', read: 'storage.objects.get' },
} as const;

const ASKED = { list: 'list', read: 'read' } as const;

function ofS3(
  code: string,
  { scheme, bucket }: S3Path,
  { asked, status, headers, text }: BucketRefusal,
): string | null {
  const [key, secret] = scheme === 's3' ? ['access_key_id', 'secret_access_key'] : ['access_id', 'secret'];
  const region = headers['x-amz-bucket-region'] ?? textOf(text, 'Region');
  switch (code) {
    case 'AuthorizationHeaderMalformed':
    case 'PermanentRedirect':
    case 'IllegalLocationConstraintException':
      return typeof region === 'string' && /^[a-z0-9-]{1,40}$/.test(region)
        ? `the bucket ${bucket} is in the region ${region}: set region to ${region}`
        : `the bucket ${bucket} is in another region: set region to the bucket's`;
    case 'NoSuchBucket':
      return `there is no bucket ${bucket}: check its name, and the endpoint`;
    case 'NoSuchKey':
      return `there is no object at this path any more: start the ingest again once the export is complete`;
    case 'InvalidAccessKeyId':
      return `the ${key} is not known: it was deleted, or belongs to another service; make a new key, or set the endpoint`;
    case 'SignatureDoesNotMatch':
    case 'InvalidSecurity':
      return `the ${secret} does not belong to the ${key}: copy both again`;
    case 'ExpiredToken':
    case 'TokenRefreshRequired':
      return 'the session_token has expired: use a key without one, or a role';
    case 'InvalidToken':
      return 'the session_token does not belong to the key: copy all three again';
    case 'RequestTimeTooSkewed':
      return `the clock of this machine differs from the storage's: ask the operator to set it`;
    case 'AccessDenied':
    case 'AccessForbidden':
      return `the key may not ${ASKED[asked]} the bucket ${bucket}: allow it ${RIGHTS[scheme][asked]}`;
    default:
      // A redirect leads to the bucket's region.
      return status === 301 || status === 307
        ? ofS3(
            'PermanentRedirect',
            { scheme, bucket, key: '' },
            { asked, status, headers, text, path: '', host: '' },
          )
        : null;
  }
}

type AzurePath = Extract<BucketPath, { scheme: 'az' }>;

function ofAzure(
  code: string,
  { account, bucket }: AzurePath,
  { asked, text }: BucketRefusal,
): string | null {
  const detail = textOf(text, 'AuthenticationErrorDetail');
  switch (code) {
    case 'AuthenticationFailed':
      return /time frame|expired/i.test(`${detail} ${textOf(text, 'Message')}`)
        ? 'the sas_token has expired, or is not valid yet: make a new one'
        : `the sas_token or account_key is not one of the storage account ${account}: copy it again, and check the account in the location`;
    case 'AuthorizationPermissionMismatch':
    case 'AuthorizationResourceTypeMismatch':
    case 'AuthorizationServiceMismatch':
    case 'AuthorizationFailure':
    case 'AuthorizationProtocolMismatch':
      return `the sas_token may not ${ASKED[asked]} the container ${bucket}: make one with the permissions Read and List for containers and blobs, or check the firewall of the storage account`;
    case 'AuthorizationSourceIPMismatch':
      return `the sas_token is limited to other addresses than the service's: make one without this limit`;
    case 'ContainerNotFound':
    case 'InvalidResourceName':
    case 'OutOfRangeInput':
      return `the storage account ${account} has no container ${bucket}: check the location, az://account/container/path`;
    case 'BlobNotFound':
      return 'there is no blob at this path any more: start the ingest again once the export is complete';
    case 'AccountIsDisabled':
      return `the storage account ${account} is disabled: ask its owner`;
    case 'KeyBasedAuthenticationNotPermitted':
      return `the storage account ${account} accepts no account key: use a sas_token of a user delegation`;
    case 'PublicAccessNotPermitted':
    case 'NoAuthenticationInformation':
    case 'ResourceNotFound':
      return `the container ${bucket} of ${account} cannot be read without credentials: give the source a sas_token or account_key`;
    default:
      return null;
  }
}
