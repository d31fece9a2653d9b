import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { WAIT_MS } from '../../support/patience.ts';
import { addDays } from '../../../domain/shared/calendar.ts';
import { create } from '../../support/service/create.ts';
import {
  as,
  ingest,
  newOrganisation,
  waitFor,
  type Api,
  type Run,
} from '../../support/service/api-client.ts';
import { expectData, expectPage } from '../../support/service/envelope.ts';
import { startFakeS3 } from '../../support/fakes/fake-s3.ts';
import type { LocalServer } from '../../support/fakes/file-server.ts';
import { dayLine, focusCsv } from '../../support/exports/focus-export.ts';
import { lacking } from '../../support/needs.ts';
import { withService } from '../../support/service/with-service.ts';

/** What a run reads of a bucket, counted by the server. */
const KEY_ID = 'AKIATEST';
const objects = new Map<string, Buffer>();
let sent: Record<string, number> = {};
/** Holds the next bytes of an object back until the service is gone. */
let holdsBack = '';
let isHeld = false;
let storage: LocalServer;

const bill = (month: string, cost: string): Buffer =>
  Buffer.from(focusCsv(Array.from({ length: 28 }, (_, day) => dayLine(addDays(`${month}-01`, day), cost))));

const service = withService(async () => {
  storage = await startFakeS3(
    objects,
    KEY_ID,
    (object, bytes) => {
      sent[object] = (sent[object] ?? 0) + bytes;
    },
    (object) => {
      isHeld ||= object === holdsBack;
      return object === holdsBack;
    },
  );
  return {
    CLOCK: '2026-02-07T06:00:00Z',
    PRIVATE_TARGETS: '127.0.0.1',
    SOURCE_BUCKETS: 's3://changing/,s3://killed/',
    AWS_ENDPOINT_URL_S3: storage.url,
    AWS_ACCESS_KEY_ID: KEY_ID,
    AWS_SECRET_ACCESS_KEY: 'secret-of-the-test-bucket',
    AWS_REGION: 'eu-central-1',
    NO_PROXY: '127.0.0.1,localhost',
  };
});

afterAll(() => storage.close());

beforeEach(() => {
  sent = {};
});

describe.skipIf(lacking('extensions') !== '')(`a run of a bucket${lacking('extensions')}`, () => {
  const connect = async (folder: string) => {
    const { admin, secret } = await newOrganisation(service);
    for (const [month, cost] of [
      ['2025-11', '1'],
      ['2025-12', '1'],
      ['2026-01', '1'],
    ] as const)
      objects.set(`${folder}/bill/${month}.csv`, bill(month, cost));
    const source = await create(admin, '/cost-sources', {
      name: 'Bill',
      kind: 'focus',
      location: `s3://${folder}/bill/`,
    });
    return { admin, secret, source };
  };
  const total = async (admin: Api): Promise<number> =>
    expectData(await admin.get<{ total: number }>('/costs?start_date=2025-11-01&end_date=2026-01-31')).total;

  it('asks for no byte of files that have not changed, and reads only a changed one', async () => {
    const { admin, source } = await connect('changing');
    const first = await ingest(admin, source);
    expect(first).toMatchObject({ status: 'completed', files_read: 3, files_unchanged: 0, cost_total: 84 });
    expect(first.bytes_read).toBe([...objects.values()].reduce((sum, { length }) => sum + length, 0));

    sent = {};
    expect(await ingest(admin, source)).toMatchObject({
      status: 'completed',
      files_read: 0,
      files_unchanged: 3,
      bytes_read: 0,
      months: [],
      rows_read: 0,
      cost_total: 0,
    });
    expect(sent).toEqual({});

    const december = bill('2025-12', '2.5');
    objects.set('changing/bill/2025-12.csv', december);
    expect(await ingest(admin, source)).toMatchObject({
      files_read: 1,
      files_unchanged: 2,
      bytes_read: december.length,
      months: ['2025-12'],
      rows_read: 28,
      cost_total: 70,
    });
    expect(Object.keys(sent)).toEqual(['changing/bill/2025-12.csv']);
    expect(await total(admin)).toBe(28 + 70 + 28);

    expect(await ingest(admin, source, { all: true })).toMatchObject({ files_read: 3, files_unchanged: 0 });
    expect(await total(admin)).toBe(126);
  });

  it('that was killed halfway has read nothing: it reads the change again, and nothing else', async () => {
    const { admin, secret, source } = await connect('killed');
    await ingest(admin, source);
    objects.set('killed/bill/2026-01.csv', bill('2026-01', '30'));
    holdsBack = 'killed/bill/2026-01.csv';
    const { run_id } = expectData(await admin.post<{ run_id: string }>(`/cost-sources/${source}/ingest`));
    await expect.poll(() => isHeld, { timeout: WAIT_MS }).toBe(true);
    await service.kill();
    holdsBack = '';
    sent = {};
    await service.start();
    const again = as(service, secret);
    const run = await waitFor(async () =>
      expectPage(await again.get<Run[]>(`/cost-sources/${source}/runs`)).items.find(
        (one) => one.run_id === run_id && one.status !== 'running',
      ),
    );
    expect(run).toMatchObject({
      status: 'completed',
      files_read: 1,
      files_unchanged: 2,
      months: ['2026-01'],
    });
    expect(Object.keys(sent)).toEqual(['killed/bill/2026-01.csv']);
    expect(await total(again)).toBe(28 + 28 + 840);
    expect(await ingest(again, source)).toMatchObject({ files_read: 0, files_unchanged: 3, bytes_read: 0 });
  });
});
