import { Hash } from '@smithy/hash-node';
import { SignatureV4 } from '@smithy/signature-v4';
import type { ObjectStorage } from '../../domain/sources/exports/object-storage.ts';

/** A segment of a key as S3 signs it. */
const escaped = (segment: string): string =>
  encodeURIComponent(segment).replace(
    /[!'()*]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  );

/** The request of an object at `s3://bucket/key`, signed with the operator's credentials, if there are any. It signs no body. */
export async function signedRequest(
  path: string,
  { keyId, secret, sessionToken, region, endpoint }: ObjectStorage,
  method: 'GET' | 'PUT' | 'DELETE' = 'GET',
): Promise<{ url: URL; headers: Record<string, string> }> {
  const [, bucket = '', key = ''] = /^s3:\/\/([^/]+)\/(.*)$/s.exec(path) ?? [];
  const place = region ?? 'us-east-1';
  const base = endpoint === null ? `https://${bucket}.s3.${place}.amazonaws.com` : `${endpoint}/${bucket}`;
  const url = new URL(`${base}/${key.split('/').map(escaped).join('/')}`);
  if (keyId === null || secret === null) return { url, headers: {} };
  const signer = new SignatureV4({
    service: 's3',
    region: place,
    credentials: {
      accessKeyId: keyId,
      secretAccessKey: secret,
      ...(sessionToken === null ? {} : { sessionToken }),
    },
    sha256: Hash.bind(null, 'sha256'),
    // S3 signs the path as it is sent.
    uriEscapePath: false,
  });
  const { headers } = await signer.sign({
    method,
    protocol: url.protocol,
    hostname: url.hostname,
    path: url.pathname,
    headers: { host: url.host, 'x-amz-content-sha256': 'UNSIGNED-PAYLOAD' },
  });
  return { url, headers };
}
