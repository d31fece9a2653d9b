import { readdir, writeFile } from 'node:fs/promises';
import { request as httpRequest } from 'node:http';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { create } from '../../support/service/create.ts';
import { as, ingest, newOrganisation, waitFor, type Api } from '../../support/service/api-client.ts';
import { expectData, expectError, expectPage } from '../../support/service/envelope.ts';
import { dayLine, focusCsv } from '../../support/exports/focus-export.ts';
import { textLike } from '../../support/service/matchers.ts';
import { withService } from '../../support/service/with-service.ts';
import { freeName } from '../../support/service/free-name.ts';
import { WAIT_MS } from '../../support/patience.ts';

/**
 * Every way to write or remove a value: by API, by hand and by CSV, with and without labels. All numbers are calculated by hand.
 * January 2026 has a spend of 1,200.
 */

interface Change {
  period: string;
  label?: string;
  action: string;
  value: number | null;
  previous: number | null;
  source: string;
  changed_by: { type: string; id: string; name: string };
}

interface LabelPart {
  label: string;
  value: number;
  share_percent: number | null;
}

interface Month {
  month: string;
  value: number | null;
  unit_cost: number | null;
  status: string;
  labels?: LabelPart[];
  current?: { value: number | null; labels?: LabelPart[] };
}

const CSV = 'text/csv';
const METRIC = { unit: 'one', aggregation: 'total', frequency: 'daily', scope: { type: 'organisation' } };

const service = withService({ CLOCK: '2026-02-07T06:00:00Z' });
let secret: string;
let admin: Api;
let sender: Api;
let reader: Api;
let writer: Api;

beforeAll(async () => {
  const { dataDir } = service;
  ({ admin, secret } = await newOrganisation(service));
  const keyWith = async (name: string, permission: string): Promise<Api> =>
    as(service, expectData(await admin.post<{ secret: string }>('/keys', { name, permission })).secret);
  sender = await keyWith('Shop', 'metrics:ingest');
  reader = await keyWith('Reader', 'read');
  writer = await keyWith('Writer', 'write');
  const location = join(dataDir, 'exports', 'bill.csv');
  await writeFile(location, focusCsv([dayLine('2026-01-05', '1000'), dayLine('2026-01-31', '200')]));
  const source = { name: 'Bill', kind: 'focus', location };
  const id = await create(admin, '/cost-sources', source);
  expect((await ingest(admin, id)).status).toBe('completed');
});

/** Returns the upload files that the service has not removed. */
const uploadsLeft = async (): Promise<string[]> =>
  (await readdir(join(service.dataDir, 'spill'), { recursive: true })).filter((name) =>
    name.includes('values-'),
  );

afterAll(async () => {
  // No upload has left a file behind, not even a rejected one.
  expect(await uploadsLeft()).toEqual([]);
  expect(service.logs()).not.toMatch(/"level":"(error|fatal)"/);
});

const newMetric = (changes: object = {}): Promise<string> =>
  create(admin, '/metrics', { name: freeName('', 'Orders'), ...METRIC, ...changes });

const post = (metric: string, values: unknown[], api = admin) =>
  api.post(`/metrics/${metric}/values`, { values });
const put = (metric: string, path: string, body: unknown, api = admin) =>
  api.send('PUT', `/metrics/${metric}/values/${path}`, {
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
const remove = (metric: string, query: string, api = admin) =>
  api.delete(`/metrics/${metric}/values${query}`);
const upload = (metric: string, body: string, type = CSV, api = admin) =>
  api.send('POST', `/metrics/${metric}/values/csv`, { headers: { 'content-type': type }, body });

const valuesOf = async (metric: string): Promise<string[]> =>
  expectPage(
    await admin.get<{ period: string; label?: string; value: number; source: string }[]>(
      `/metrics/${metric}/values`,
    ),
  ).items.map(({ period, label, value, source }) =>
    [period, ...(label === undefined ? [] : [label]), value, source].join(' '),
  );
const historyOf = async (metric: string): Promise<Change[]> =>
  expectPage(await admin.get<Change[]>(`/metrics/${metric}/history`)).items;
const monthsOf = async (metric: string, query = ''): Promise<Month[]> =>
  expectData(await admin.get<Month[]>(`/metrics/${metric}/months${query}`));
const january = async (metric: string, query = ''): Promise<Month | undefined> =>
  (await monthsOf(metric, query)).find(({ month }) => month === '2026-01');

const NOTHING_CHANGED = { created: 0, replaced: 0, unchanged: 1, rounded: 0, months: [] };

describe('a value', () => {
  it('can be written by API, by hand and by CSV, and removed; its history has actor, source and previous value', async () => {
    const metric = await newMetric();
    const created = { created: 1, replaced: 0, unchanged: 0, rounded: 0, months: ['2026-01'] };
    const replaced = { created: 0, replaced: 1, unchanged: 0, rounded: 0, months: ['2026-01'] };
    const sent = [{ period: '2026-01-05', value: 10 }];
    // Each request is sent twice. The second one changes nothing.
    expect(expectData(await post(metric, sent, sender))).toEqual(created);
    expect(expectData(await post(metric, sent, sender))).toEqual(NOTHING_CHANGED);
    expect(expectData(await put(metric, '2026-01-05', { value: 20 }))).toEqual(replaced);
    expect(expectData(await put(metric, '2026-01-05', { value: 20 }))).toEqual(NOTHING_CHANGED);
    expect(expectData(await upload(metric, 'period,value\n2026-01-05,30\n'))).toEqual(replaced);
    expect(expectData(await upload(metric, '2026-01-05,30', 'text/csv; charset=utf-8'))).toEqual(
      NOTHING_CHANGED,
    );
    expect(await valuesOf(metric)).toEqual(['2026-01-05 30 csv']);
    expect(await january(metric)).toMatchObject({ value: 30, unit_cost: 40 }); // 1200 ÷ 30
    expect(expectData(await remove(metric, '?period=2026-01-05'))).toEqual({
      removed: 1,
      months: ['2026-01'],
    });
    expect(expectData(await remove(metric, '?period=2026-01-05'))).toEqual({ removed: 0, months: [] });
    expect(await valuesOf(metric)).toEqual([]);
    expect(await january(metric)).toMatchObject({ value: null, unit_cost: null });
    expect(expectData(await put(metric, '2026-01-05', { value: 0 }))).toEqual(created);
    const history = await historyOf(metric);
    expect(
      history.map(({ action, value, previous, source, changed_by }) => [
        action,
        value,
        previous,
        source,
        changed_by.name,
      ]),
    ).toEqual([
      ['set', 0, null, 'hand', 'First admin key'],
      ['remove', null, 30, 'hand', 'First admin key'],
      ['set', 30, 20, 'csv', 'First admin key'],
      ['set', 20, 10, 'hand', 'First admin key'],
      ['set', 10, null, 'api', 'Shop'],
    ]);
    expect(history[0]?.changed_by).toEqual({ type: 'key', id: textLike(/^key_/), name: 'First admin key' });
    expect(history[0]).not.toHaveProperty('label');
  });

  it('can be removed with all others from a start to an end, both given as days or months', async () => {
    const metric = await newMetric();
    const days = ['2025-12-31', '2026-01-01', '2026-01-02', '2026-01-31', '2026-02-01'];
    expectData(
      await post(
        metric,
        days.map((period, index) => ({ period, value: index })),
      ),
    );
    expect(expectData(await remove(metric, '?start=2026-01-02&end=2026-01-02'))).toMatchObject({
      removed: 1,
    });
    expect(expectData(await remove(metric, '?start=2026-01&end=2026-01'))).toEqual({
      removed: 2,
      months: ['2026-01'],
    });
    expect(expectData(await remove(metric, '?end=2025-12'))).toMatchObject({ removed: 1 });
    expect(expectData(await remove(metric, '?start=2026-02-02'))).toMatchObject({ removed: 0 });
    expect(expectData(await remove(metric, '?start=2026-01'))).toMatchObject({
      removed: 1,
      months: ['2026-02'],
    });
    const monthly = await newMetric({ frequency: 'monthly' });
    expectData(await upload(monthly, 'month,value\r\n2025-12,1\r\n2026-01,2\r\n2026-02,3\r\n'));
    expect(expectData(await remove(monthly, '?start=2026-01&end=2026-01'))).toMatchObject({ removed: 1 });
    expect(expectData(await put(monthly, '2026-01', { value: 4.5 }))).toMatchObject({ created: 1 });
    expect(await valuesOf(monthly)).toEqual(['2025-12 1 csv', '2026-01 4.5 hand', '2026-02 3 csv']);
  });

  it('is rejected with the name of the wrong field, and not stored', async () => {
    const metric = await newMetric();
    const monthly = await newMetric({ frequency: 'monthly' });
    expectError(
      await put(metric, '2026-01', { value: 1 }),
      400,
      /^period: expected YYYY-MM-DD for a daily metric, got "2026-01"$/,
    );
    expectError(
      await put(monthly, '2026-01-05', { value: 1 }),
      400,
      /^period: expected YYYY-MM for a monthly metric/,
    );
    expectError(await put(metric, '2026-02-08', { value: 1 }), 400, /^period: .*future/);
    expectError(await put(metric, 'January', { value: 1 }), 400, /^period: expected/);
    expectError(
      await put(metric, '2026-01-05', { value: -1 }),
      400,
      /^value: expected a number of at least 0, got -1$/,
    );
    expectError(
      await put(metric, '2026-01-05', { value: 1e16 }),
      400,
      /^value: expected a number of at most 1e15/,
    );
    expectError(await put(metric, '2026-01-05', { value: '1' }), 400, /^value: expected/);
    expectError(await put(metric, '2026-01-05', {}), 400, /^value: expected .*nothing/);
    expectError(await put(metric, '2026-01-05', { value: 1, label: 'eu' }), 400, /^label: unknown field/);
    expectError(await put(metric, '2026-01-05?label=eu', { value: 1 }), 400, /^label: expected no label/);
    expectError(await put(metric, '2026-01-05?colour=red', { value: 1 }), 400, /colour: unknown field/);
    expectError(await put('met_none', '2026-01-05', { value: 1 }), 404, /met_none/);
    expectError(await put('met_none', 'January', { value: 1 }), 400, /^period/);
    expect(await historyOf(metric)).toEqual([]);

    expectData(await put(metric, '2026-01-05', { value: 1 }));
    expectError(await remove(metric, ''), 400, /expected period, or start or end/);
    expectError(await remove(metric, '?label=eu'), 400, /expected period, or start or end/);
    expectError(
      await remove(metric, '?period=2026-01-05&start=2026-01-05'),
      400,
      /^period: expected no period beside start/,
    );
    expectError(
      await remove(metric, '?period=2026-01-05&end=2026-01-05'),
      400,
      /^period: expected no period beside end/,
    );
    expectError(
      await remove(metric, '?period=2026-01'),
      400,
      /^period: expected YYYY-MM-DD for a daily metric/,
    );
    expectError(await remove(metric, '?start=January'), 400, /^start: expected/);
    expectError(
      await remove(metric, '?start=2026-01-06&end=2026-01-05'),
      400,
      /^end: expected 2026-01-06 or later, got "2026-01-05"$/,
    );
    expectError(await remove(metric, '?period=2026-01-05&label=eu'), 400, /^label: expected no label/);
    expectError(
      await remove(monthly, '?start=2026-01-01'),
      400,
      /^start: expected YYYY-MM for a monthly metric/,
    );
    expectError(
      await remove(monthly, '?period=2026-01-01'),
      400,
      /^period: expected YYYY-MM for a monthly metric/,
    );
    expectError(await remove('met_none', '?period=2026-01-05'), 404, /met_none/);
    expectError(await remove('met_none', ''), 400);
    expect(await valuesOf(metric)).toEqual(['2026-01-05 1 hand']);
    expect(await historyOf(metric)).toHaveLength(1);
  });

  it('can be corrected only by an admin, on Professional or above', async () => {
    const metric = await newMetric();
    for (const api of [reader, writer, sender]) {
      expectError(await put(metric, '2026-01-05', { value: 1 }, api), 403, /permission admin/);
      expectError(await remove(metric, '?period=2026-01-05', api), 403, /permission admin/);
    }
    // A key that sends values may send CSV, too.
    for (const api of [reader, writer])
      expectError(await upload(metric, '2026-01-05,1', CSV, api), 403, /permission (admin|metrics:ingest)/);
    expectData(await upload(await newMetric(), '2026-01-05,1', CSV, sender));
    const starter = await newOrganisation(service, { tier: 'starter' });
    expectError(await put(metric, '2026-01-05', { value: 1 }, starter.admin), 403, /Professional/);
    expectError(await remove(metric, '?nonsense', starter.admin), 403, /Professional/);
    expectError(await upload(metric, 'nonsense', 'x/y', starter.admin), 403, /Professional/);
    const other = await newOrganisation(service);
    expectError(await put(metric, '2026-01-05', { value: 1 }, other.admin), 404);
    expectError(await remove(metric, '?period=2026-01-05', other.admin), 404);
    expectError(await upload(metric, '2026-01-05,1', CSV, other.admin), 404);
    expect(await historyOf(metric)).toEqual([]);
  });
});

describe('a CSV upload', () => {
  it('is rejected with the number of its wrong line, and stores nothing', async () => {
    const metric = await newMetric();
    const lines = [
      'period,value',
      '2026-01-01,1',
      '',
      '2026-01-02,2',
      '2026-01-03,3',
      '2026-01-04,4',
      '2026-01-05,abc',
    ];
    expect(expectError(await upload(metric, lines.join('\n')), 400)).toBe(
      'line 7: value: expected a number of at least 0, got "abc"',
    );
    expectError(await upload(metric, ''), 400, /^body: expected lines of period,value, got none/);
    expectError(await upload(metric, 'period,value\r\n'), 400, /got none/);
    expectError(await upload(metric, '2026-01-01,1\n2026-01-02,2,3'), 400, /^line 2: expected 2 columns/);
    expectError(await upload(metric, '2026-01-01,1\n2026-01-01,2'), 400, /^line 2: .*line 1 already has/);
    expectError(await upload('met_none', '2026-01-01,1'), 404, /met_none/);
    const query = await admin.send('POST', `/metrics/${metric}/values/csv?a=1`, {
      headers: { 'content-type': CSV },
      body: '',
    });
    expectError(query, 400, /a: unknown field/);
    expect(await historyOf(metric)).toEqual([]);
  });

  it('must be text/csv, and in the charset that it names', async () => {
    const metric = await newMetric();
    for (const type of [
      'application/json',
      'text/plain',
      'multipart/form-data; boundary=x',
      'application/octet-stream',
      'text/csvx',
      'nonsense',
      'text/csv; charset=latin1',
      'text/csv; header=present; charset=utf-16',
    ]) {
      expectError(await upload(metric, '2026-01-01,1', type), 415, /text\/csv/);
    }
    expectError(await admin.send('POST', `/metrics/${metric}/values/csv`), 415, /text\/csv.*nothing/);
    for (const type of [
      'text/csv',
      'TEXT/CSV;charset=UTF-8',
      'text/csv; charset="utf-8"; header=absent',
      'text/csv;charset=utf8',
    ]) {
      expectData(await upload(metric, '2026-01-01,1', type));
    }
    expectError(
      await admin.send('POST', `/metrics/${metric}/values`, {
        headers: { 'content-type': CSV },
        body: '2026-01-01,1',
      }),
      415,
      /application\/json/,
    );
  });

  it('has at most 64 MiB, with or without a content length', async () => {
    const metric = await newMetric();
    const block = Buffer.from('2026-01-01,1\n'.repeat(80_660)); // a little over 1 MiB
    for (const headers of [{ 'content-length': `${block.length * 65}` }, {}]) {
      const { status, text } = await new Promise<{ status: number; text: string }>((resolve, reject) => {
        const request = httpRequest(
          `${service.url}/api/v1/metrics/${metric}/values/csv`,
          { method: 'POST', headers: { 'x-api-key': secret, 'content-type': CSV, ...headers } },
          (response) => {
            let text = '';
            response.on('data', (chunk: Buffer) => (text += chunk.toString()));
            response.on('end', () => {
              resolve({ status: response.statusCode ?? 0, text });
            });
          },
        );
        // The connection may close before the whole body is sent. The answer has arrived by then, or never will.
        request.on('error', (error) => {
          setTimeout(reject, WAIT_MS, error).unref();
        });
        for (let count = 0; count < 65; count += 1) request.write(block);
        request.end();
      });
      expect(status).toBe(413);
      expect(JSON.parse(text)).toEqual({ success: false, error: textLike(/too large.*64 MiB/) });
    }
    expect(await historyOf(metric)).toEqual([]);
  });

  it('that ends early stores nothing and leaves no file behind', async () => {
    const metric = await newMetric();
    await new Promise<void>((ended) => {
      const request = httpRequest(`${service.url}/api/v1/metrics/${metric}/values/csv`, {
        method: 'POST',
        headers: { 'x-api-key': secret, 'content-type': CSV, 'content-length': '1000' },
      });
      request.on('error', () => {
        ended();
      });
      request.write('2026-01-01,1\n');
      // The upload has begun once the service has a file for it.
      void waitFor(async () => ((await uploadsLeft()).length > 0 ? true : undefined)).finally(() =>
        request.destroy(),
      );
    });
    // A later upload to the metric succeeds, and stores the only value.
    expectData(await upload(metric, '2026-01-02,1'));
    expect(await valuesOf(metric)).toEqual(['2026-01-02 1 csv']);
  });
});

describe('a metric with labels', () => {
  it('can get its label key at any time while it has no values', async () => {
    for (const label_key of ['', '  ', 'x'.repeat(101), 3]) {
      expectError(
        await admin.post('/metrics', { name: 'x', ...METRIC, label_key }),
        400,
        /^label_key: expected a text of 1 to 100/,
      );
    }
    const made = expectData(
      await admin.post<{ id: string; label_key: string }>('/metrics', {
        name: 'x',
        ...METRIC,
        label_key: ' region ',
      }),
    );
    expect(made.label_key).toBe('region');
    const metric = await newMetric();
    const change = (label_key: unknown) =>
      admin.patch<{ label_key: string | null }>(`/metrics/${metric}`, { label_key });
    expect(expectData(await change('country')).label_key).toBe('country');
    expect(expectData(await change(null)).label_key).toBeNull();
    expectData(await post(metric, [{ period: '2026-01-05', value: 1 }]));
    expectError(await change('country'), 409, /label_key.*while the metric has values/);
    expect(expectData(await change(null)).label_key).toBeNull();
    expectData(await remove(metric, '?start=2026-01'));
    expect(expectData(await change('country')).label_key).toBe('country');
    expectData(await put(metric, '2026-01-05?label=de', { value: 1 }));
    expectError(await change(null), 409, /label_key/);
    expectError(await change('region'), 409, /label_key/);
    expect(expectData(await change('country')).label_key).toBe('country');
  });

  it('requires a label on every value, and allows each label once in a period', async () => {
    const metric = await newMetric({ label_key: 'region' });
    const period = '2026-01-05';
    const eu = { period, label: 'eu', value: 1 };
    expectError(
      await post(metric, [eu, { period, value: 1 }]),
      400,
      /^values\[1\]\.label: expected a label for the label key "region", got nothing$/,
    );
    expectError(await post(metric, [{ ...eu, label: '' }]), 400, /^values\[0\]\.label: expected a label/);
    expectError(await post(metric, [{ ...eu, label: '  ' }]), 400, /^values\[0\]\.label: expected a label/);
    const control = 'label: expected a text without control characters';
    expectError(await post(metric, [{ ...eu, label: 'a\tb' }]), 400, `values[0].${control}, got "a\\tb"`);
    expectError(await put(metric, `${period}?label=a%0Ab`, { value: 1 }), 400, `${control}, got "a\\nb"`);
    expectError(await remove(metric, `?period=${period}&label=%C2%85`), 400, control);
    expectError(await upload(metric, `${period},a\u007fb,1`), 400, `line 1: ${control}`);
    expectError(
      await post(metric, [{ ...eu, label: 'x'.repeat(201) }]),
      400,
      /^values\[0\]\.label: expected at most 200/,
    );
    expectError(await post(metric, [{ ...eu, label: 3 }]), 400, /^values\[0\]\.label: expected/);
    expectError(
      await post(metric, [eu, { ...eu, label: 'us' }, { ...eu, value: 2 }]),
      400,
      /^values\[2\]\.period: expected each period and label once.*"2026-01-05" with label "eu", which values\[0\] already has/,
    );
    expectError(await put(metric, period, { value: 1 }), 400, /^label: expected a label/);
    expectError(await put(metric, `${period}?label=`, { value: 1 }), 400, /^label: expected a label/);
    expectError(await remove(metric, `?period=${period}&label=`), 400, /^label: expected a label/);
    expectError(
      await upload(metric, `${period},1`),
      400,
      /^line 1: expected 3 columns, period,label,value, got 2/,
    );
    expectError(await upload(metric, `${period},,1`), 400, /^line 1: label: expected a label/);
    const plain = await newMetric();
    expectError(await post(plain, [eu]), 400, /^values\[0\]\.label: expected no label/);
    expectError(await admin.get(`/metrics/${plain}/months?by=label`), 400, /^by: .*label key/);
    expectError(
      await admin.get(`/metrics/${metric}/months?by=region`),
      400,
      /^by: expected "label", got "region"/,
    );
    expect(await historyOf(metric)).toEqual([]);
  });

  it('takes both encodings of a label, and blanks around it, as one label on every way in', async () => {
    const metric = await newMetric({ label_key: ' re\u0301gion' });
    const [mac, other] = ['Re\u0301union', 'R\u00e9union'];
    const counts = { created: 0, replaced: 0, unchanged: 0, rounded: 0, months: ['2026-01'] };
    expect(expectData(await post(metric, [{ period: '2026-01-05', label: ` ${mac}`, value: 1200 }]))).toEqual(
      {
        ...counts,
        created: 1,
      },
    );
    // 1200 in place of 1200 is no second label: the month would have 2400, and half the unit cost.
    expect(expectData(await post(metric, [{ period: '2026-01-05', label: other, value: 1200 }]))).toEqual({
      ...counts,
      unchanged: 1,
      months: [],
    });
    const twice = [mac, other].map((label) => ({ period: '2026-01-06', label, value: 1 }));
    expectError(await post(metric, twice), 400, /^values\[1\]\.period: expected each period and label once/);
    const put1300 = await put(metric, `2026-01-05?label=${encodeURIComponent(`${mac} `)}`, { value: 1300 });
    expect(expectData(put1300)).toEqual({ ...counts, replaced: 1 });
    expect(expectData(await upload(metric, `value,R\u00e9gion,period\n1400,"${mac}",2026-01-05\n`))).toEqual({
      ...counts,
      replaced: 1,
    });
    expect(await valuesOf(metric)).toEqual([`2026-01-05 ${other} 1400 csv`]);
    const removed = await remove(metric, `?period=2026-01-05&label=${encodeURIComponent(mac)}`);
    expect(expectData(removed)).toEqual({ removed: 1, months: ['2026-01'] });
  });

  it('keeps and shows labels as sent, without blanks around them', async () => {
    const metric = await newMetric({ label_key: 'region' });
    const labels = ['EU', 'eu', 'e u', 'x'.repeat(200), 'Ü, "q"'];
    expectData(
      await post(
        metric,
        labels.map((label) => ({ period: '2026-01-05', label, value: 1 })),
      ),
    );
    expectData(await put(metric, `2026-01-06?label=${encodeURIComponent('Ü, "q"')}`, { value: 2 }));
    expectData(await upload(metric, 'day,region,value\n2026-01-07,"Ü, ""q""",3\n'));
    const history = await historyOf(metric);
    expect(history.slice(0, 2)).toMatchObject([
      { period: '2026-01-07', label: 'Ü, "q"', source: 'csv' },
      { period: '2026-01-06', label: 'Ü, "q"', source: 'hand' },
    ]);
    expect(new Set((await valuesOf(metric)).slice(0, 5))).toEqual(
      new Set(labels.map((label) => `2026-01-05 ${label} 1 api`)),
    );
    expect(expectData(await remove(metric, '?start=2026-01&label=eu'))).toEqual({
      removed: 1,
      months: ['2026-01'],
    });
    expect(expectData(await remove(metric, '?start=2026-01-05&end=2026-01-05'))).toMatchObject({
      removed: 4,
    });
    expect(await valuesOf(metric)).toEqual(['2026-01-06 Ü, "q" 2 hand', '2026-01-07 Ü, "q" 3 csv']);
  });

  it('adds up its labels for a total, and averages the sums of the days for an average', async () => {
    const [total, average] = [
      await newMetric({ label_key: 'region' }),
      await newMetric({ label_key: 'region', aggregation: 'average' }),
    ];
    const csv =
      'period,region,value\n2026-01-05,eu,10\n2026-01-05,us,20\n2026-01-06,us,30\n2026-01-07,ap,0\n';
    for (const metric of [total, average]) expectData(await upload(metric, csv));
    // 10 + 20 + 30 + 0 = 60; 1200 ÷ 60 = 20
    expect(await january(total, '?by=label')).toMatchObject({
      value: 60,
      unit_cost: 20,
      labels: [
        { label: 'us', value: 50, share_percent: 83.333333 },
        { label: 'eu', value: 10, share_percent: 16.666667 },
        { label: 'ap', value: 0, share_percent: 0 },
      ],
    });
    // The days have 30, 30 and 0, on average 20. us has 50 ÷ 3 and eu 10 ÷ 3, together 20.
    expect(await january(average, '?by=label')).toMatchObject({
      value: 20,
      unit_cost: 60,
      labels: [
        { label: 'us', value: 16.6666666667, share_percent: 83.333333 },
        { label: 'eu', value: 3.3333333333, share_percent: 16.666667 },
        { label: 'ap', value: 0, share_percent: 0 },
      ],
    });
    const [, , december] = await monthsOf(total, '?by=label');
    expect(december).toMatchObject({ month: '2025-12', value: null, labels: [] });
    expect(await january(total)).not.toHaveProperty('labels');
  });

  it('lists any number of labels, and freezes all of them at a lock', async () => {
    const metric = await newMetric({ label_key: 'shop' });
    // Shop n has n orders, for n from 1 to 5,000: 12,502,500 in all.
    const shops = Array.from({ length: 5_000 }, (_, index) => index + 1);
    const total = 12_502_500;
    expectData(await upload(metric, shops.map((shop) => `2026-01-05,shop ${shop},${shop}\n`).join('')));
    const labels = shops.toReversed().map((shop) => ({
      label: `shop ${shop}`,
      value: shop,
      share_percent: Math.round((shop / total) * 1e8) / 1e6,
    }));
    expect(await january(metric, '?by=label')).toMatchObject({ value: total, labels });
    expectData(await admin.post(`/metrics/${metric}/months/2026-01/lock`));
    expectData(await put(metric, '2026-01-06?label=late', { value: 1 }));
    const changed = await january(metric, '?by=label');
    expect(changed).toMatchObject({ value: total, labels, current: { value: total + 1 } });
    expect((changed?.current as { labels?: unknown[] }).labels).toHaveLength(5_001);
  });

  it('freezes its labels at the lock, and shows today’s beside them once they change', async () => {
    const metric = await newMetric({ label_key: 'region' });
    expectData(await upload(metric, '2026-01-05,eu,10\n2026-01-06,us,30\n'));
    const frozen = [
      { label: 'us', value: 30, share_percent: 75 },
      { label: 'eu', value: 10, share_percent: 25 },
    ];
    expect(expectData(await admin.post<Month>(`/metrics/${metric}/months/2026-01/lock`))).toMatchObject({
      status: 'locked',
      value: 40,
    });
    const locked = await january(metric, '?by=label');
    expect(locked).toMatchObject({ status: 'locked', labels: frozen });
    expect(locked).not.toHaveProperty('current');
    expectData(await remove(metric, '?period=2026-01-06&label=us'));
    expectData(await put(metric, '2026-01-06?label=ap', { value: 10 }));
    expect(await january(metric, '?by=label')).toMatchObject({
      status: 'changed_since_lock',
      value: 40,
      labels: frozen,
      // Equal parts are in order of their names.
      current: {
        value: 20,
        labels: [
          { label: 'ap', value: 10, share_percent: 50 },
          { label: 'eu', value: 10, share_percent: 50 },
        ],
      },
    });
    expectData(await admin.post(`/metrics/${metric}/months/2026-01/lock`));
    expect(await january(metric, '?by=label')).toMatchObject({
      status: 'locked',
      value: 20,
      labels: [{ label: 'ap' }, { label: 'eu' }],
    });
  });
});
