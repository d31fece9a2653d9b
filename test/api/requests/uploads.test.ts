import { once } from 'node:events';
import { readdir, stat } from 'node:fs/promises';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { valuesLock } from '../../../warehouse/metrics/value-changes.ts';
import { valueFileLine } from '../../../warehouse/metrics/value-file.ts';
import { listValues } from '../../../warehouse/metrics/value-history.ts';
import { waitFor } from '../../support/service/api-client.ts';
import {
  openRaw,
  startLocalApi,
  type LocalApi,
  type RawConnection,
} from '../../support/service/local-api.ts';
import { newMetric } from '../../support/warehouse/tenant.ts';

/** Limits of uploads (contract §1): how many run at once, and how long they lock their metric. */

interface Uploader {
  orgId: string;
  metricId: string;
  secret: string;
}

let api: LocalApi;

beforeAll(async () => {
  api = await startLocalApi();
});

afterAll(() => api.close());

const newUploader = async (): Promise<Uploader> => {
  const { orgId, secret } = await api.newTenant();
  const { id: metricId } = await newMetric(api.warehouse, orgId);
  return { orgId, metricId, secret };
};

const upload = async ({ metricId, secret }: Uploader, body: string) => {
  const response = await fetch(`${api.url}/api/v1/metrics/${metricId}/values/csv`, {
    method: 'POST',
    headers: { 'x-api-key': secret, 'content-type': 'text/csv' },
    body,
  });
  return {
    status: response.status,
    retryAfter: response.headers.get('retry-after'),
    body: await response.json(),
  };
};

const LINE = '2026-01-05,1\n';
const KEPT = valueFileLine({ period: '2026-01-05', label: '', value: '1', line: 1 });

/** Starts an upload with the length of a line, and sends only `sent`. */
const begin = ({ metricId, secret }: Uploader, sent: string): RawConnection =>
  openRaw(
    api.port,
    `POST /api/v1/metrics/${metricId}/values/csv HTTP/1.1\r\nHost: x\r\nX-API-Key: ${secret}\r\nConnection: close\r\n` +
      `Content-Type: text/csv\r\nContent-Length: ${LINE.length}\r\n\r\n${sent}`,
  );

const stored = async ({ orgId, metricId }: Uploader): Promise<string[]> =>
  (
    await listValues(api.warehouse, orgId, metricId, { start: null, end: null, limit: 1000, cursor: null })
  ).map(({ period, value }) => `${period} ${Number(value)}`);

/** Waits until the service has so many files of uploads, with so many bytes in all. */
const untilReceived = (files: number, bytes: number) =>
  waitFor(async () => {
    const { spillDirectory } = api.warehouse.settings;
    const names = (await readdir(spillDirectory)).filter((name) => name.startsWith('upload-'));
    const sizes = await Promise.all(names.map(async (name) => (await stat(join(spillDirectory, name))).size));
    const sum = sizes.reduce((left, right) => left + right, 0);
    return names.length === files && sum === bytes ? true : undefined;
  });

/** Repeats an upload until the answer has the status. */
const untilStatus = (uploader: Uploader, status: number) =>
  waitFor(async () => {
    const answer = await upload(uploader, LINE);
    return answer.status === status ? answer : undefined;
  });

describe('concurrent uploads', () => {
  it('are limited to two of an organisation, and do not limit another one', async () => {
    const [first, second] = [await newUploader(), await newUploader()];
    const slow = [begin(first, ''), begin(first, '')];
    await untilReceived(2, 0);
    const refused = await upload(first, LINE);
    expect(refused.status).toBe(503);
    expect(refused.retryAfter).toMatch(/^\d+$/);
    expect(refused.body).toEqual({
      success: false,
      error: expect.stringContaining('at most 2 uploads') as string,
    });
    expect(await upload(second, LINE)).toMatchObject({ status: 200 });
    for (const { socket } of slow) socket.write(LINE);
    for (const { answer } of slow) expect(await answer).toMatch(/^HTTP\/1\.1 200 /);
    expect(await untilStatus(first, 200)).toMatchObject({ body: { data: { unchanged: 1 } } });
  });

  it('are limited to eight of a process, and an aborted one frees its slot', async () => {
    const uploaders = await Promise.all(Array.from({ length: 4 }, newUploader));
    const slow = uploaders.flatMap((uploader) => [begin(uploader, ''), begin(uploader, '')]);
    const last = await newUploader();
    await untilReceived(8, 0);
    expect(await upload(last, LINE)).toMatchObject({ status: 503, body: { error: 'busy; try again' } });
    for (const { socket } of slow) socket.destroy();
    await untilStatus(last, 200);
    for (const uploader of uploaders) expect(await stored(uploader)).toEqual([]);
  });
});

it('an upload whose client disconnects stores nothing and frees its metric', async () => {
  const uploader = await newUploader();
  let free: () => void = () => undefined;
  const held = new Promise<void>((resolve) => (free = resolve));
  // Another change of the metric makes the upload wait, so that the client disconnects before it is stored.
  const before = api.warehouse.decideBy([valuesLock(uploader.metricId)], () => held);
  const connected = once(api.app.server, 'connection');
  const { socket } = begin(uploader, LINE);
  const [served] = (await connected) as [Socket];
  const noticed = once(served, 'close');
  await untilReceived(1, KEPT.length);
  socket.destroy();
  await noticed;
  free();
  await before;
  expect(await untilStatus(uploader, 200)).toMatchObject({ body: { data: { created: 1 } } });
});

it('an upload with a wrong line gets its error once the whole body has arrived, as clients expect', async () => {
  const { metricId, secret } = await newUploader();
  const body = LINE + 'no day,1\n'.repeat(1_000_000);
  const { answer } = openRaw(
    api.port,
    `POST /api/v1/metrics/${metricId}/values/csv HTTP/1.1\r\nHost: x\r\nX-API-Key: ${secret}\r\nConnection: close\r\n` +
      `Content-Type: text/csv\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
  );
  expect(await answer).toMatch(/^HTTP\/1\.1 400 [^]*line 2: period: /);
});
