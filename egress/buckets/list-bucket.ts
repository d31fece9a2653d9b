import {
  bucketOf,
  bucketPathOf,
  type Buckets,
  type BucketPath,
} from '../../domain/sources/exports/object-storage.ts';
import { invalid, Outage } from '../../domain/shared/errors.ts';
import { guardedRequest, type TargetRules } from '../requests/guarded-request.ts';
import { mayPass } from '../requests/passing-status.ts';
import { bucketProblem } from './bucket-problem.ts';
import { bucketRequest } from './bucket-request.ts';
import { elementsOf, textOf } from './xml.ts';

export interface BucketRules extends TargetRules {
  field: string;
  buckets: Buckets;
}

/** An object of a bucket, as a list shows it. */
export interface BucketFile {
  /** The whole path, as locations are written. */
  path: string;
  bytes: number;
  etag: string;
  /** When it was written, in milliseconds since 1970; null if the storage does not say. */
  writtenAt: number | null;
}

const TIMEOUT_MS = 60_000;
/** A page has 1,000 objects of S3, and as many blobs. */
const MOST_ON_PAGE = 1_000;
const MOST_BYTES = 16 * 2 ** 20;
const MOST_PAGES = 1_000;

/**
 * Lists the objects whose paths begin with `prefix`, in the order of their bytes. It takes one request for each thousand.
 *
 * @param prefix such as `s3://bucket/folder/`; not a glob.
 * @param most stops after as many objects.
 * @throws ServiceError `invalid` that says what to change, if the storage refuses it.
 * @throws Outage if the storage cannot be reached or reports an outage of its own.
 */
export async function listBucket(prefix: string, rules: BucketRules, most = Infinity): Promise<BucketFile[]> {
  const path = bucketPathOf(prefix);
  if (path === null) throw new Error(`${prefix} is not in a bucket`);
  const found: BucketFile[] = [];
  let next: string | null = null;
  for (let page = 0; page < MOST_PAGES; page += 1) {
    const { files, after }: Page = await pageOf(path, next, rules, Math.min(most, MOST_ON_PAGE));
    found.push(...files);
    if (after === '' || found.length >= most) return found;
    next = after;
  }
  throw invalid(
    `${rules.field}: ${prefix} has more than ${MOST_PAGES * MOST_ON_PAGE} objects: name a folder with fewer`,
  );
}

interface Page {
  files: BucketFile[];
  /** Where the next page begins; empty on the last. */
  after: string;
}

async function pageOf(
  path: BucketPath,
  from: string | null,
  rules: BucketRules,
  most: number,
): Promise<Page> {
  const bucket = bucketOf(path);
  const asked = await bucketRequest(bucket, rules.buckets, queryOf(path, from, most));
  if (asked === null) throw new Error(`${bucket} is no bucket`);
  const { url, headers } = asked;
  const {
    status,
    text,
    headers: answered,
  } = await guardedRequest(
    url,
    { headers, timeout: TIMEOUT_MS },
    { ...rules, timeoutMs: TIMEOUT_MS, mostBytes: MOST_BYTES, longer: 'refuse' },
  );
  if (mayPass(status)) throw new Outage(`${url.host} answered ${status} to the listing of ${bucket}`);
  if (status !== 200) {
    const refusal = { asked: 'list', path: bucket, url, status, headers: answered, text } as const;
    throw invalid(`${rules.field}: ${bucketProblem(refusal)}`);
  }
  const [page, element, next] =
    path.scheme === 'az'
      ? (['EnumerationResults', 'Blob', 'NextMarker'] as const)
      : (['ListBucketResult', 'Contents', 'NextContinuationToken'] as const);
  if (!text.includes(`<${page}`))
    throw invalid(`${rules.field}: ${url.host} does not answer like an object storage: check the endpoint`);
  const read = path.scheme === 'az' ? blobOf : objectOf;
  return { files: elementsOf(text, element).flatMap((one) => read(one, bucket)), after: textOf(text, next) };
}

function queryOf(path: BucketPath, from: string | null, most: number): Record<string, string> {
  if (path.scheme === 'az')
    return {
      restype: 'container',
      comp: 'list',
      // Folders of a hierarchical namespace are blobs with this mark.
      include: 'metadata',
      maxresults: String(most),
      prefix: path.key,
      ...(from === null ? {} : { marker: from }),
    };
  return {
    'list-type': '2',
    'max-keys': String(most),
    prefix: path.key,
    ...(from === null ? {} : { 'continuation-token': from }),
  };
}

const objectOf = (xml: string, bucket: string): BucketFile[] => [
  {
    path: `${bucket}${textOf(xml, 'Key')}`,
    bytes: Number(textOf(xml, 'Size')),
    etag: textOf(xml, 'ETag'),
    writtenAt: instantOf(textOf(xml, 'LastModified')),
  },
];

function blobOf(xml: string, bucket: string): BucketFile[] {
  if (textOf(xml, 'ResourceType') === 'directory' || /^true$/i.test(textOf(xml, 'hdi_isfolder'))) return [];
  return [
    {
      path: `${bucket}${textOf(xml, 'Name')}`,
      bytes: Number(textOf(xml, 'Content-Length')),
      etag: textOf(xml, 'Etag'),
      writtenAt: instantOf(textOf(xml, 'Last-Modified')),
    },
  ];
}

function instantOf(text: string): number | null {
  const at = Date.parse(text);
  return Number.isNaN(at) ? null : at;
}
