import { createHash, randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { removeDeadUploads } from '../../../warehouse/sources/uploads/dead-uploads.ts';
import { updateCostSource } from '../../../warehouse/sources/cost-sources.ts';
import { writeContent } from '../../../warehouse/sources/uploads/uploaded-contents.ts';
import { uploadedFiles } from '../../../warehouse/sources/uploads/uploaded-files.ts';
import { startLocalApi } from '../../support/service/local-api.ts';
import { describeOnBothEngines } from '../../support/warehouse/engines.ts';
import { BY_ADMIN, newSource, NOW } from '../../support/warehouse/tenant.ts';
import { withOpened } from '../../support/with-opened.ts';

/** The limit of the API in this process. */
const MOST_BYTES = 4 * 2 ** 20;
const HOUR_MS = 3_600_000;

const BILL = 'day,account,cost\n2026-01-01,1111,10\n';

interface Answer {
  status: number;
  data?: unknown;
  error?: string;
}

describeOnBothEngines('the files of a source', (open) => {
  const api = withOpened(() => startLocalApi({ open }));

  const newStory = async (location = 'upload') => {
    const { orgId, secret } = await api.newTenant();
    const source = await newSource(api.warehouse, orgId, { location });
    const path = `${api.url}/api/v1/cost-sources/${source.id}/files`;
    const send = async (
      method: string,
      name: string,
      body?: Buffer | string,
      key = secret,
    ): Promise<Answer> => {
      const answer = await fetch(name === '' ? path : `${path}/${encodeURIComponent(name)}`, {
        method,
        headers: { 'x-api-key': key },
        ...(body === undefined ? {} : { body: typeof body === 'string' ? body : new Uint8Array(body) }),
      });
      return { status: answer.status, ...((await answer.json()) as Omit<Answer, 'status'>) };
    };
    const stored = async (): Promise<Record<string, Buffer>> => {
      const contents: Record<string, Buffer> = {};
      for (const { file_name: name, content } of await uploadedFiles(api.warehouse, orgId, source.id)) {
        const file = join(api.directory, content.id);
        await api.warehouse.session((session) => writeContent(session, orgId, content, file));
        contents[name] = await readFile(file);
      }
      return contents;
    };
    return { orgId, source, send, stored };
  };

  it('are stored byte for byte, and one of the same name replaces the one before', async () => {
    const { send, stored } = await newStory();
    // Three parts and a bit, which no text compresses away.
    const large = Buffer.concat([Buffer.from('PAR1'), randomBytes(900_000)]);
    const sha256 = createHash('sha256').update(large).digest('hex');
    expect(await send('PUT', 'january.parquet', large)).toMatchObject({
      status: 200,
      data: { name: 'january.parquet', bytes: 900_004, sha256, sent_at: NOW.toISOString() },
    });
    expect(await send('PUT', 'bill 1.csv', BILL)).toMatchObject({ status: 200 });
    expect(await send('PUT', 'bill 1.csv', `${BILL}2026-01-02,1111,5\n`)).toMatchObject({ status: 200 });
    expect(await send('PUT', 'more.csv.gz', gzipSync(BILL))).toMatchObject({ status: 200 });
    expect(await stored()).toEqual({
      'bill 1.csv': Buffer.from(`${BILL}2026-01-02,1111,5\n`),
      'january.parquet': large,
      'more.csv.gz': gzipSync(BILL),
    });
    expect(await send('GET', '')).toMatchObject({
      data: [{ name: 'bill 1.csv', bytes: 54 }, { name: 'january.parquet' }, { name: 'more.csv.gz' }],
    });
    expect(await send('DELETE', 'bill 1.csv')).toMatchObject({ status: 200, data: { name: 'bill 1.csv' } });
    expect(await send('DELETE', 'bill 1.csv')).toMatchObject({ status: 404 });
    expect(Object.keys(await stored())).toEqual(['january.parquet', 'more.csv.gz']);
  });

  it.each([
    ['bill.xlsx', BILL, /name: expected a file name .* ends in .csv, .csv.gz or .parquet/],
    ['../../etc/x.csv', BILL, /name: expected a file name/],
    ['.csv', BILL, /name: expected a file name/],
    ['bill.csv', '', /body: expected a file with rows, got an empty one/],
    ['bill.csv', 'PK\x03\x04 a workbook', /body: expected CSV, as the name says, got an Excel workbook/],
    ['bill.csv', 'PAR1 columns', /body: expected CSV, as the name says, got Parquet/],
    ['bill.csv.gz', BILL, /body: expected gzipped CSV, as the name says, got something else/],
    ['bill.parquet', '<html>', /body: expected Parquet, as the name says, got HTML or XML/],
  ])('are rejected, and nothing is stored: %s', async (name, body, message) => {
    const { send, stored } = await newStory();
    const answer = await send('PUT', name, body);
    expect(answer.status).toBe(400);
    expect(answer.error).toMatch(message);
    expect(await stored()).toEqual({});
  });

  it('have a limit each, and together', async () => {
    const { send, stored } = await newStory();
    expect(await send('PUT', 'a.csv', `a\n${'x'.repeat(MOST_BYTES)}`)).toMatchObject({
      status: 413,
      error: 'body: too large, expected at most 4 MiB',
    });
    expect(await stored()).toEqual({});
    // Sixteen of the largest files are allowed together. The one before a replacement counts until the maintenance removes it.
    const largest = `a\n${'x'.repeat(MOST_BYTES - 2)}`;
    for (let sent = 0; sent < 16; sent += 1) expect((await send('PUT', 'a.csv', largest)).status).toBe(200);
    expect(await send('PUT', 'a.csv', BILL)).toMatchObject({
      status: 409,
      error: `expected at most ${16 * MOST_BYTES} bytes in all files of the organisation, got ${16 * MOST_BYTES + BILL.length}: delete files, which frees their space at night`,
    });
    expect(await send('PUT', 'a.csv', BILL)).toMatchObject({ status: 409 });
    await removeDeadUploads(api.warehouse, new Date(NOW.getTime() + 25 * HOUR_MS));
    expect(await send('PUT', 'a.csv', BILL)).toMatchObject({ status: 200 });
    expect(await stored()).toEqual({ 'a.csv': Buffer.from(BILL) });
  });

  it('belong to sources of the organisation whose location is `upload`, and only admins send them', async () => {
    const { orgId, send } = await newStory('bills/*.csv');
    expect(await send('PUT', 'a.csv', BILL)).toMatchObject({
      status: 409,
      error: 'the source takes no files: expected one whose location is "upload"; change its location first',
    });
    const story = await newStory();
    expect(await story.send('PUT', 'a.csv', BILL, await api.newKey(orgId))).toMatchObject({ status: 404 });
    expect(await story.send('GET', '', undefined, await api.newKey(orgId))).toMatchObject({ status: 404 });
    const write = await api.newKey(story.orgId, { permission: 'write' });
    expect(await story.send('PUT', 'a.csv', BILL, write)).toMatchObject({ status: 403 });
    expect(await story.send('DELETE', 'a.csv', undefined, write)).toMatchObject({ status: 403 });
    expect(await story.stored()).toEqual({});
  });

  it('go with the maintenance after they are replaced, deleted, or without a source', async () => {
    const { orgId, source, send } = await newStory();
    const rows = async () => {
      const [found] = await api.warehouse.query<{ contents: string; parts: string }>(
        `SELECT (SELECT count(*) FROM uploaded_contents WHERE org_id = $org) AS contents,
           (SELECT count(DISTINCT content_id) FROM uploaded_parts WHERE org_id = $org) AS parts`,
        { org: orgId },
      );
      return [Number(found?.contents), Number(found?.parts)];
    };
    for (const text of [BILL, `${BILL}\n`]) await send('PUT', 'a.csv', text);
    await send('PUT', 'b.csv', BILL);
    await send('DELETE', 'b.csv');
    expect(await rows()).toEqual([3, 3]);
    await removeDeadUploads(api.warehouse, new Date(NOW.getTime() + HOUR_MS));
    expect(await rows()).toEqual([3, 3]);
    const later = new Date(NOW.getTime() + 25 * HOUR_MS);
    await removeDeadUploads(api.warehouse, later);
    expect((await rows())[0]).toBe(1);
    await updateCostSource(api.warehouse, orgId, source.id, 'delete', BY_ADMIN);
    await removeDeadUploads(api.warehouse, later);
    expect((await rows())[0]).toBe(0);
  });
});
