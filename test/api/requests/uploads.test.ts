import { once } from 'node:events';
import { readdir, stat } from 'node:fs/promises';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { valuesLock } from '../../../warehouse/metrics/value-changes.ts';
import { valueFileLine } from '../../../warehouse/metrics/value-file.ts';
import { listValues } from '../../../warehouse/metrics/value-history.ts';
import { waitFor } from '../../support/service/api-client.ts';
import { openRaw, startLocalApi, type RawConnection } from '../../support/service/local-api.ts';
import { newMetric } from '../../support/warehouse/tenant.ts';
import { withOpened } from '../../support/with-opened.ts';

/** Limits of uploads: how many run at once, and how long they lock their metric. */

interface Uploader {
  orgId: string;
  metricId: string;
  secret: string;
}

const api = withOpened(startLocalApi);

async function newUploader(): Promise<Uploader> {
  const { orgId, secret } = await api.newTenant();
  const { id: metricId } = await newMetric(api.warehouse, orgId);
  return { orgId, metricId, secret };
}

async function upload({ metricId, secret }: Uploader, body: string | Buffer, type = 'text/csv') {
  const response = await fetch(`${api.url}/api/v1/metrics/${metricId}/values/csv`, {
    method: 'POST',
    headers: { 'x-api-key': secret, 'content-type': type },
    body: Buffer.from(body),
  });
  return {
    status: response.status,
    retryAfter: response.headers.get('retry-after'),
    body: await response.json(),
  };
}

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
    const names = (await readdir(spillDirectory)).filter((name) => name.startsWith('values-'));
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

describe('an upload', () => {
  it('is read in UTF-8 and UTF-16, as a spreadsheet writes it', async () => {
    const csv = 'period;value\r\n2026-01-05;1,5\r\n2026-01-06;0,12345678905\r\n';
    for (const [type, body] of [
      ['text/csv;charset=utf-8', Buffer.from(csv)],
      ['text/csv; charset="UTF-8"; header=present', Buffer.from(`\ufeff${csv}`)],
      ['text/csv', Buffer.from(`\ufeff${csv}`, 'utf16le')],
      ['text/csv;charset=utf-16', Buffer.from(`\ufeff${csv}`, 'utf16le').swap16()],
      ['text/csv;charset=UTF-16LE', Buffer.from(csv, 'utf16le')],
    ] as const) {
      const uploader = await newUploader();
      expect({ type, ...(await upload(uploader, body, type)) }).toMatchObject({
        type,
        status: 200,
        body: { data: { created: 2, replaced: 0, unchanged: 0, rounded: 1, months: ['2026-01'] } },
      });
      expect(await stored(uploader)).toEqual(['2026-01-05 1.5', '2026-01-06 0.1234567891']);
    }
  });

  it('in another charset, or in another one than declared, is a 415', async () => {
    const uploader = await newUploader();
    for (const type of ['text/csv;charset=latin1', 'text/csv;charset=utf-8;charset=utf-16', 'text/plain'])
      expect(await upload(uploader, LINE, type)).toMatchObject({ status: 415 });
    expect(await upload(uploader, LINE, 'text/csv;charset=utf-16')).toMatchObject({
      status: 415,
      body: {
        error:
          'content-type: expected text/csv with the charset of the file, got utf-16 for a file without a byte order mark of UTF-16',
      },
    });
    expect(await stored(uploader)).toEqual([]);
  });
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
  const before = api.warehouse.withLock([valuesLock(uploader.metricId)], () => held);
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
