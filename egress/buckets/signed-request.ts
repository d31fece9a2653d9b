import type { SignatureV4 } from '@smithy/signature-v4';
import { DEFAULT_REGION, type ObjectStorage } from '../../domain/sources/exports/object-storage.ts';

/** A text of a path or a query as S3 signs it. */
export const escaped = (text: string): string =>
  encodeURIComponent(text).replace(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);

export interface SignedRequest {
  url: URL;
  headers: Record<string, string>;
}

/** Returns the text of a query after a question mark. */
export const queryText = (query: Record<string, string>): string =>
  Object.entries(query)
    .map(([name, value]) => `${escaped(name)}=${escaped(value)}`)
    .join('&');

/**
 * Returns the request of an object at `s3://bucket/key` or `gs://bucket/key`, or of the bucket without a key. Signs it with the
 * credentials, if there are any. It signs no body.
 */
export async function signedRequest(
  path: string,
  storage: ObjectStorage,
  method: 'GET' | 'PUT' | 'DELETE' = 'GET',
  query: Record<string, string> = {},
): Promise<SignedRequest> {
  const { region, endpoint } = storage;
  const [, bucket = '', key = ''] = /^\w+:\/\/([^/]+)\/(.*)$/s.exec(path) ?? [];
  const place = region ?? DEFAULT_REGION;
  const base = endpoint === null ? `https://${bucket}.s3.${place}.amazonaws.com` : `${endpoint}/${bucket}`;
  const url = new URL(`${base}/${key.split('/').map(escaped).join('/')}`);
  url.search = queryText(query);
  const signer = await signerOf(storage, 's3', place);
  if (signer === null) return { url, headers: {} };
  const { headers } = await signer.sign({
    method,
    protocol: url.protocol,
    hostname: url.hostname,
    path: url.pathname,
    query,
    headers: { host: url.host, 'x-amz-content-sha256': 'UNSIGNED-PAYLOAD' },
  });
  return { url, headers };
}

/** Returns what signs requests to a service of AWS; null without credentials. Only this loads the library that signs. */
export async function signerOf(
  { keyId, secret, sessionToken }: ObjectStorage,
  service: 's3' | 'sts',
  region: string,
): Promise<SignatureV4 | null> {
  if (keyId === null || secret === null) return null;
  const [{ Hash }, { SignatureV4 }] = await Promise.all([
    import('@smithy/hash-node'),
    import('@smithy/signature-v4'),
  ]);
  return new SignatureV4({
    service,
    region,
    credentials: {
      accessKeyId: keyId,
      secretAccessKey: secret,
      ...(sessionToken === null ? {} : { sessionToken }),
    },
    sha256: Hash.bind(null, 'sha256'),
    // S3 signs the path as it is sent.
    uriEscapePath: service !== 's3',
  });
}
