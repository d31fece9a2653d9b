import { beforeAll, describe, expect, it } from 'vitest';
import { addDays, type Day } from '../../../domain/shared/calendar.ts';
import { startFakeBigQuery } from '../../support/fakes/bigquery/fake-bigquery.ts';
import { filesWith } from '../../support/fakes/search-bytes.ts';
import { createMetric, SALES } from '../../support/service/create.ts';
import { newOrganisation, type Api } from '../../support/service/api-client.ts';
import { expectData, expectError, expectPage } from '../../support/service/envelope.ts';
import { importEnd, importNow, put, type Import } from '../../support/service/imports.ts';
import { withService } from '../../support/service/with-service.ts';
import { withOpened } from '../../support/with-opened.ts';

/** The import of a query's values from BigQuery. It is 7 February 2026. Each test continues the story. */

const QUERY = 'SELECT day, region AS label, n AS value FROM shop.orders WHERE day BETWEEN @start AND @end';
const COLUMNS = [
  { name: 'day', type: 'DATE' },
  { name: 'label', type: 'STRING' },
  { name: 'value', type: 'NUMERIC' },
];

type Row = [day: Day, label: string, value: string];

const bigQuery = withOpened(startFakeBigQuery);
let admin: Api;
let orders: string;
/** What the query returns, of all days. */
let rows: Row[];

const body = (more: object = {}) => ({
  type: 'bigquery',
  project_id: bigQuery.project.id,
  query: QUERY,
  credentials: bigQuery.account.key,
  ...more,
});

const valuesOf = async (metric = orders): Promise<string[]> =>
  expectPage(
    await admin.get<{ period: string; label?: string; value: number }[]>(
      `/metrics/${metric}/values?limit=1000`,
    ),
  ).items.map(({ period, label = '', value }) => [period, label, value].join(' '));

const newMetric = (changes: object): Promise<string> => createMetric(admin, changes);

const service = withService(() => {
  bigQuery.project.queries.set(QUERY, {
    columns: COLUMNS,
    rows: (start, end) => rows.filter(([day]) => day >= start && day <= end),
  });
  return { CLOCK: '2026-02-07T06:00:00Z', BIGQUERY_API_ENDPOINT: bigQuery.url };
});

beforeAll(async () => {
  ({ admin } = await newOrganisation(service, { tier: 'professional' }));
  orders = await newMetric({ name: 'Orders', label_key: 'region' });
  rows = [
    ['2025-03-01', 'eu', '7'],
    ['2026-01-30', 'eu', '1.123456789'],
    ['2026-01-31', 'eu', '2'],
    ['2026-01-31', 'us', '3'],
    ['2026-02-06', 'us', '4'],
  ];
});

describe('a check', () => {
  it('shows what the query costs and its columns, and stores nothing', async () => {
    expect(expectData(await admin.post(`/metrics/${orders}/import/check`, body()))).toEqual({
      ok: true,
      problems: [],
      bytes_processed: 1_000_000,
      columns: COLUMNS,
    });
    expect(bigQuery.project.started).toEqual([]);
    expectError(await admin.get(`/metrics/${orders}/import`), 404);
  });

  it('names every problem of a query, and the connection is refused for the same', async () => {
    const plain = await newMetric({ name: 'Visits' });
    const select = 'SELECT day, n AS value FROM shop.orders WHERE day >= @start';
    const wrong = { columns: [{ name: 'day', type: 'STRING' }], rows: () => [], parameters: ['start'] };
    bigQuery.project.queries.set(select, { ...wrong, bytes: 11 * 2 ** 30 });
    const asked = body({ query: select });
    const check = expectData(
      await admin.post<{ ok: boolean; problems: string[] }>(`/metrics/${plain}/import/check`, asked),
    );
    expect(check.ok).toBe(false);
    const said = check.problems.join('\n');
    for (const part of [/@end/, /day.*DATE/, /value/, /10 GB/]) expect(said).toMatch(part);
    const refused = expectError(await put(admin, `/metrics/${plain}/import`, asked), 400);
    expect(refused).toMatch(/@end/);
    expectError(await admin.get(`/metrics/${plain}/import`), 404);
    const script = 'DECLARE x INT64; SELECT day, value FROM t WHERE day BETWEEN @start AND @end';
    bigQuery.project.queries.set(script, { columns: COLUMNS, rows: () => [], statementType: 'SCRIPT' });
    const refusal = await put(admin, `/metrics/${plain}/import`, body({ query: script }));
    expectError(refusal, 400, /query: expected one SELECT/);
  });

  it('repeats nothing of a credential', async () => {
    const { private_key = '' } = bigQuery.account.key;
    const wrong = [
      private_key,
      JSON.stringify(bigQuery.account.key),
      { ...bigQuery.account.key, type: 'authorized_user' },
      { ...bigQuery.account.key, private_key: private_key.slice(0, 200) },
      undefined,
    ];
    for (const credentials of wrong) {
      const error = expectError(
        await put(admin, `/metrics/${orders}/import`, body({ credentials })),
        400,
        /credentials: expected the JSON key of a service account/,
      );
      expect(error).not.toContain(private_key.slice(40, 60));
    }
  });
});

describe('a connection', () => {
  it('imports the last twelve months, and never shows the key', async () => {
    const connected = expectData(await put<Import>(admin, `/metrics/${orders}/import`, body()));
    expect(connected).toMatchObject({ type: 'bigquery', status: 'connected', query: QUERY });
    const ended = await importEnd(admin, orders);
    expect(ended.last_run).toMatchObject({
      status: 'completed',
      start_day: '2025-03-01',
      rows: 5,
      changed: 5,
    });
    expect(JSON.stringify(ended)).not.toContain('PRIVATE KEY');
    expect(await valuesOf()).toEqual([
      '2025-03-01 eu 7',
      '2026-01-30 eu 1.123456789',
      '2026-01-31 eu 2',
      '2026-01-31 us 3',
      '2026-02-06 us 4',
    ]);
    expect(bigQuery.project.started).toHaveLength(1);
  });

  it('replaces the labels of the months that it reads', async () => {
    rows = [
      ['2026-01-31', 'eu', '2'],
      ['2026-01-31', 'uk', '3'],
    ];
    expect((await importNow(admin, orders)).last_run).toMatchObject({ rows: 2, changed: 1, removed: 3 });
    // March 2025 was not read.
    expect(await valuesOf()).toEqual(['2025-03-01 eu 7', '2026-01-31 eu 2', '2026-01-31 uk 3']);
    const history = expectPage(await admin.get<object[]>(`/metrics/${orders}/history?limit=4`)).items;
    const by = { source: 'warehouse', changed_by: { type: 'import', name: 'BigQuery' } };
    expect(history).toMatchObject([
      { period: '2026-02-06', label: 'us', action: 'remove', previous: 4, ...by },
      { period: '2026-01-31', label: 'us', action: 'remove', previous: 3 },
      { period: '2026-01-31', label: 'uk', action: 'set', value: 3, previous: null },
      { period: '2026-01-30', label: 'eu', action: 'remove', previous: 1.123456789 },
    ]);
  });

  it('removes nothing if the query returns no rows', async () => {
    rows = [];
    expect((await importNow(admin, orders)).last_run).toMatchObject({ rows: 0, changed: 0, removed: 0 });
    expect(await valuesOf()).toHaveLength(3);
  });

  it.each([
    [['2026-01-31', 'eu', '2'], ['2026-01-31', 'eu', '3'], /two for 2026-01-31 and "eu"/],
    [['2026-01-30', 'eu', '2'], ['2026-01-31', 'eu', null], /2026-01-31/],
    [['2026-01-30', 'eu', '2'], ['2026-01-31', 'eu', '-5'], /2026-01-31: value: .* at least 0/],
  ] as const)('changes nothing if a row cannot be stored: %j, %j', async (one, other, message) => {
    rows = [one, other] as unknown as Row[];
    const { last_run } = await importNow(admin, orders);
    expect(last_run).toMatchObject({ status: 'failed', changed: 0, removed: 0 });
    expect(last_run?.error).toMatch(message);
    expect(await valuesOf()).toHaveLength(3);
  });

  it('fails with a message if a permission was lost, and goes on once it is back', async () => {
    rows = [['2026-01-31', 'eu', '9']];
    bigQuery.project.permissions.delete('bigquery.tables.getData');
    const lost = await importNow(admin, orders);
    expect(lost.last_run).toMatchObject({ status: 'failed' });
    expect(lost.last_run?.error).toMatch(/bigquery\.tables\.getData|Access Denied/);
    bigQuery.project.permissions.add('bigquery.tables.getData');
    expect((await importNow(admin, orders)).last_run).toMatchObject({ status: 'completed', changed: 1 });
  });

  it('waits for a slow job, and pays for it once', async () => {
    rows = [['2026-01-31', 'eu', '10']];
    bigQuery.project.polls = 3;
    const before = bigQuery.project.started.length;
    expect((await importNow(admin, orders)).last_run).toMatchObject({ status: 'completed', changed: 1 });
    expect(bigQuery.project.started.length - before).toBe(1);
    expect(new Set(bigQuery.project.started).size).toBe(bigQuery.project.started.length);
    bigQuery.project.polls = 0;
  });

  it('leaves the months before its own to CSV files', async () => {
    const upload = (text: string) =>
      admin.send('POST', `/metrics/${orders}/values/csv`, {
        headers: { 'content-type': 'text/csv' },
        body: text,
      });
    expect(expectData(await upload('2025-02-28,eu,5\n'))).toMatchObject({ created: 1 });
    const owned = expectError(await upload('2025-02-27,eu,5\n2025-03-01,eu,5\n'), 409, /line 2: period/);
    expect(owned).toMatch(/before 2025-03/);
    const value = { values: [{ period: '2025-02-27', label: 'eu', value: 1 }] };
    expectError(await admin.post(`/metrics/${orders}/values`, value), 409, /imported from BigQuery/);
    // A run from an earlier month owns that month, too.
    rows = [['2025-02-28', 'eu', '6']];
    const from = await importNow(admin, orders, { start_month: '2025-02' });
    expect(from.first_month).toBe('2025-02');
    expectError(await upload('2025-02-28,eu,5\n'), 409, /before 2025-02/);
  });

  it('can be replaced: the new query is read from twelve months ago', async () => {
    const query = QUERY.replace('n AS value', 'm AS value');
    const columns = COLUMNS.map((column) => ({ ...column, type: column.type.replace('NUMERIC', 'FLOAT') }));
    // Two thirds, as a floating-point number, are stored with ten decimals.
    bigQuery.project.queries.set(query, {
      columns,
      rows: (start) => [[start, 'eu', '0.6666666666666666']],
    });
    expectData(await put(admin, `/metrics/${orders}/import`, body({ query })));
    const ended = await importEnd(admin, orders);
    expect(ended.last_run).toMatchObject({ status: 'completed', start_day: '2025-03-01', rows: 1 });
    expect(await valuesOf()).toEqual(['2025-02-28 eu 6', '2025-03-01 eu 0.6666666667']);
  });
});

describe('revenue from a query', () => {
  it('is imported with its negative days, for organisations on Business', async () => {
    const { admin: owner } = await newOrganisation(service, { tier: 'business' });
    const select = 'SELECT day, value FROM shop.sales WHERE day BETWEEN @start AND @end';
    bigQuery.project.queries.set(select, {
      columns: COLUMNS.filter(({ name }) => name !== 'label'),
      rows: () => [
        ['2026-01-30', '1000.123456789'],
        ['2026-01-31', '-0.5'],
      ],
    });
    const id = await createMetric(owner, SALES);
    expectData(await put(owner, `/metrics/${id}/import`, body({ query: select })));
    expect((await importEnd(owner, id)).last_run).toMatchObject({ status: 'completed', changed: 2 });
    const { items } = expectPage(await owner.get<object[]>(`/metrics/${id}/values`));
    expect(items).toMatchObject([{ value: 1000.123457, source: 'warehouse' }, { value: -0.5 }]);
    const csv = { headers: { 'content-type': 'text/csv' }, body: '2026-01-01,1\n' };
    expectError(await owner.send('POST', `/metrics/${id}/values/csv`, csv), 409, /before 2025-03/);
  });
});

describe('a disconnected metric', () => {
  it('keeps its values, and nothing of the key is left', async () => {
    expectData(await admin.delete(`/metrics/${orders}/import`));
    const value = { values: [{ period: addDays('2026-01-31', 1), label: 'eu', value: 1 }] };
    expectData(await admin.post(`/metrics/${orders}/values`, value));
    const lines = (bigQuery.account.key['private_key'] ?? '').split('\n').slice(1, 4);
    const parts = [...lines, ...[...bigQuery.tokens].map((token) => token.slice(-60))];
    expect(
      await filesWith(
        service.dataDir,
        parts.map((part) => Buffer.from(part)),
      ),
    ).toEqual([]);
    expect(parts.filter((part) => service.logs().includes(part))).toEqual([]);
  });
});
