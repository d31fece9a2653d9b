import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { invalid, Outage } from '../../domain/shared/errors.ts';
import { signedRequest } from '../buckets/signed-request.ts';
import { guardedRequest, type GuardedAnswer } from '../requests/guarded-request.ts';
import { mayPass } from '../requests/passing-status.ts';
import type { ExportPlace, StorageRules } from './export-place.ts';

const FIELD = 'EXPORT_TO';

/** Longest time for one file, and longest silence. */
const TIMEOUT_MS = 3_600_000;
const SILENCE_MS = 30_000;
/** Of an error's answer. It begins with the code of the error. */
const MOST_BYTES = 2_048;

/** Returns a prefix of a bucket as a place for exports. A file is one PUT, which an object storage shows only as a whole. */
export const bucketPlace = (root: string, rules: StorageRules): ExportPlace => ({
  put: async (path, file, signal) => {
    const { size } = await stat(file);
    await send('PUT', `${root}/${path}`, rules, signal, {
      headers: { 'content-length': size, 'content-type': 'application/vnd.apache.parquet' },
      body: createReadStream(file),
    });
  },
  remove: async (path, signal) => {
    await send('DELETE', `${root}/${path}`, rules, signal);
  },
});

async function send(
  method: 'PUT' | 'DELETE',
  path: string,
  { objectStorage, privateTargets }: StorageRules,
  signal: AbortSignal,
  {
    headers = {},
    ...sent
  }: Pick<Parameters<typeof guardedRequest>[1], 'body'> & {
    headers?: Record<string, string | number>;
  } = {},
): Promise<void> {
  const { url, headers: signed } = await signedRequest(path, objectStorage, method);
  const answer = await guardedRequest(
    url,
    { method, headers: { ...headers, ...signed }, timeout: SILENCE_MS, ...sent },
    { privateTargets, field: FIELD, signal, timeoutMs: TIMEOUT_MS, mostBytes: MOST_BYTES, longer: 'cut' },
  );
  refuseFailure(method, url, answer);
}

function refuseFailure(
  method: 'PUT' | 'DELETE',
  { host, pathname }: URL,
  { status, text }: GuardedAnswer,
): void {
  if ((status >= 200 && status < 300) || (method === 'DELETE' && status === 404)) return;
  const code = /<Code>(\w+)<\/Code>/.exec(text)?.[1] ?? 'no reason given';
  if (mayPass(status)) throw new Outage(`${host} answered ${status} (${code}) to ${method} ${pathname}`);
  throw invalid(
    `${FIELD}: ${host} answered ${status} (${code}) to ${method} ${pathname}: check the bucket, AWS_REGION and the rights of the AWS_* credentials`,
  );
}
