import { bucketPathOf } from '../../domain/sources/exports/object-storage.ts';
import { blobProblem } from './blob-problem.ts';
import type { BucketRefusal } from './bucket-refusal.ts';
import { textOf } from './xml.ts';

/** Returns what a person should change, because an object storage has refused a request. */
export function bucketProblem(refusal: BucketRefusal): string {
  const { headers, text, path, url, status } = refusal;
  const parts = bucketPathOf(path);
  const stated = headers['x-ms-error-code'];
  const code = typeof stated === 'string' ? stated : textOf(text, 'Code');
  const known =
    parts === null
      ? null
      : parts.scheme === 'az'
        ? blobProblem(code, parts, refusal)
        : s3Problem(code, { ...parts, ...refusal });
  if (known !== null) return known;
  return `${url.host} answered ${status}${/^\w{1,60}$/.test(code) ? ` (${code})` : ''} for ${path}: check the location, the credentials and the endpoint`;
}

type S3Refusal = BucketRefusal & { scheme: 's3' | 'gs'; bucket: string };

/** The rights in the words of AWS and Google. */
const RIGHTS = {
  s3: { list: 's3:ListBucket on the bucket', read: 's3:GetObject on its objects' },
  gs: { list: 'storage.objects.list', read: 'storage.objects.get' },
} as const;

/** The fields of the credentials. */
const FIELDS = { s3: ['access_key_id', 'secret_access_key'], gs: ['access_id', 'secret'] } as const;

function s3Problem(code: string, refusal: S3Refusal): string | null {
  const { asked, scheme, bucket, status } = refusal;
  const [key, secret] = FIELDS[scheme];
  switch (code) {
    case 'AuthorizationHeaderMalformed':
    case 'PermanentRedirect':
    case 'IllegalLocationConstraintException':
      return otherRegion(refusal);
    case 'NoSuchBucket':
      return `there is no bucket ${bucket}: check its name, and the endpoint`;
    case 'NoSuchKey':
      return 'there is no object at this path any more: start the ingest again once the export is complete';
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
      return `the key may not ${asked} the bucket ${bucket}: allow it ${RIGHTS[scheme][asked]}`;
    default:
      // A redirect leads to the region of the bucket.
      return status === 301 || status === 307 ? otherRegion(refusal) : null;
  }
}

function otherRegion({ bucket, headers, text }: S3Refusal): string {
  const region = headers['x-amz-bucket-region'] ?? textOf(text, 'Region');
  return typeof region === 'string' && /^[a-z0-9-]{1,40}$/.test(region)
    ? `the bucket ${bucket} is in the region ${region}: set region to ${region}`
    : `the bucket ${bucket} is in another region: set region to the bucket's`;
}
