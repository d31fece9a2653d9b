import { createHmac } from 'node:crypto';
import type { BlobStorage } from '../../domain/sources/exports/object-storage.ts';
import { escaped, queryText, type SignedRequest } from './signed-request.ts';

/** The version of Azure's protocol, also of the signatures made here. */
const VERSION = '2021-12-02';

/** How long a signature made of an account key is valid. A reading that takes longer fails, and begins anew. */
const VALID_MS = 12 * 3_600_000;
/** The clocks of two machines differ. */
const EARLIER_MS = 15 * 60_000;

/**
 * Returns the base of an account's blobs. An endpoint is the base of the service: its name begins with `blob.` in other clouds than
 * the public one, already has the account, or has the account in its path, as Azurite's does.
 */
export function blobBase(account: string, { endpoint }: BlobStorage): string {
  if (endpoint === null) return `https://${account}.blob.core.windows.net`;
  const { protocol, host, pathname } = new URL(endpoint);
  if (host.startsWith('blob.')) return `${protocol}//${account}.${endpoint.slice(protocol.length + 2)}`;
  if (host.startsWith(`${account}.`) || pathname.replace(/\/+$/, '').endsWith(`/${account}`)) return endpoint;
  return `${endpoint}/${account}`;
}

/**
 * Returns the shared access signature that reads and lists a container; null without credentials. An account key is not given to
 * anybody: it makes a signature for this container.
 */
export function containerSas(
  account: string,
  container: string,
  { sasToken, accountKey }: BlobStorage,
  now = Date.now(),
): string | null {
  if (sasToken !== null || accountKey === null) return sasToken;
  const [start, end] = [now - EARLIER_MS, now + VALID_MS].map(
    (at) => `${new Date(at).toISOString().slice(0, 19)}Z`,
  );
  const fields = { sp: 'rl', st: start ?? '', se: end ?? '', sv: VERSION, sr: 'c' };
  const signed = [
    fields.sp,
    fields.st,
    fields.se,
    `/blob/${account}/${container}`,
    ...['', '', ''], // the policy, addresses and protocols
    VERSION,
    fields.sr,
    ...['', '', '', '', '', '', ''], // the snapshot, the scope of encryption, and headers of the answer
  ].join('\n');
  const sig = createHmac('sha256', Buffer.from(accountKey, 'base64')).update(signed).digest('base64');
  return queryText({ ...fields, sig });
}

/** Returns the request of a blob at `az://account/container/key`, or of the container without a key. */
export function blobRequest(
  { account, bucket, key }: { account: string; bucket: string; key: string },
  storage: BlobStorage,
  query: Record<string, string> = {},
): SignedRequest {
  const path = key === '' ? bucket : `${bucket}/${key.split('/').map(escaped).join('/')}`;
  const url = new URL(`${blobBase(account, storage)}/${path}`);
  url.search = [queryText(query), containerSas(account, bucket, storage) ?? '']
    .filter((text) => text !== '')
    .join('&');
  return { url, headers: { 'x-ms-version': VERSION } };
}
