import { afterEach, describe, expect, it } from 'vitest';
import { runQuery } from '../../../../activities/imports/bigquery/query-import.ts';
import { addDays } from '../../../../domain/shared/calendar.ts';
import {
  closeShops,
  always,
  DAY,
  errorOf,
  LABEL,
  ORDERS,
  orders,
  runOf,
  startShop,
  valueOf,
  valuesOf,
} from './shop-query.ts';

afterEach(closeShops);

/** A run of a query import. */
const kindsOf = (paths: { method: string; path: string }[]): string[] =>
  paths.map(({ method, path }) => {
    const { pathname } = new URL(path, 'http://fake');
    return `${method} ${pathname.split('/').slice(5, 6).join('/')}`;
  });

describe('a run', () => {
  it('returns each day of its range once, after a dry run and one job', async () => {
    const fake = await startShop();
    const values = await valuesOf(fake);
    expect(values).toEqual(
      Array.from({ length: 31 }, (_, index) => ({
        day: addDays('2026-01-01', index),
        value: `${100 + index}`,
      })),
    );
    expect(fake.project.dryRuns).toBe(1);
    expect(fake.project.started).toEqual([expect.stringMatching(/^cost-analytics-run-1-[0-9a-f]{16}$/)]);
    expect(kindsOf(fake.requests)).toEqual(['POST jobs', 'POST jobs', 'GET jobs', 'GET queries']);
  });

  it('limits the bytes billed and the time, and gives both days as dates', async () => {
    const fake = await startShop();
    await valuesOf(fake);
    const [job] = fake.project.jobs.values();
    expect(job?.configuration).toEqual({
      jobTimeoutMs: '1800000',
      query: {
        query: ORDERS,
        useLegacySql: false,
        maximumBytesBilled: '10737418240',
        parameterMode: 'NAMED',
        queryParameters: [
          { name: 'start', parameterType: { type: 'DATE' }, parameterValue: { value: '2026-01-01' } },
          { name: 'end', parameterType: { type: 'DATE' }, parameterValue: { value: '2026-01-31' } },
        ],
      },
    });
  });

  it('keeps labels, and the digits of every type', async () => {
    const rows = (type: string, written: string[]) =>
      always(
        [valueOf(type), DAY, LABEL],
        written.map((value, index) => [value, addDays('2026-01-01', index), `l${index}`]),
      );
    const fake = await startShop();
    const digits: [string, string[], string[]][] = [
      ['INTEGER', ['9007199254740993'], ['9007199254740993']],
      ['NUMERIC', ['0.1', '12345678901234567890.123456789'], ['0.1', '12345678901234567890.123456789']],
      [
        'BIGNUMERIC',
        ['0.10000000000000000000000000000000000001', '578960446186580977117854925043439539266.3'],
        ['0.10000000000000000000000000000000000001', '578960446186580977117854925043439539266.3'],
      ],
      ['FLOAT', ['1.5E10', '0.1', '1.0E-7', '-2.5'], ['15000000000', '0.1', '0.0000001', '-2.5']],
    ];
    for (const [type, written, kept] of digits) {
      fake.project.queries.set(ORDERS, rows(type, written));
      const values = await valuesOf(fake, { labelled: true, jobId: `run-${type}` });
      expect(values).toEqual(
        kept.map((value, index) => ({ day: addDays('2026-01-01', index), label: `l${index}`, value })),
      );
    }
  });

  it('without rows has no values', async () => {
    const fake = await startShop(always([DAY, valueOf('INTEGER')], []));
    expect(await valuesOf(fake)).toEqual([]);
  });

  it('waits for a slow job, and reports progress', async () => {
    const fake = await startShop();
    fake.project.polls = 4;
    fake.project.mostRowsPerPage = 20;
    const progress: number[] = [];
    expect(await valuesOf(fake, { onProgress: (rows) => progress.push(rows) })).toHaveLength(31);
    // Three times RUNNING, then DONE, and two pages.
    expect(progress).toEqual([0, 0, 0, 0, 20, 31]);
    expect(fake.project.started).toHaveLength(1);
  });

  it('finds its job in a location that nobody named', async () => {
    const fake = await startShop();
    fake.project.location = 'europe-west3';
    expect(await valuesOf(fake)).toHaveLength(31);
    expect(
      fake.requests.slice(-2).map(({ path }) => new URL(path, fake.url).searchParams.get('location')),
    ).toEqual(['europe-west3', 'europe-west3']);
  });
});

describe('a result of many rows', () => {
  const customers = (count: number) =>
    always(
      [DAY, LABEL, valueOf('NUMERIC')],
      Array.from({ length: count }, (_, index) => [
        addDays('2026-01-01', index % 31),
        `customer-${index}`,
        (index / 8).toString(),
      ]),
    );

  it('is read in pages', async () => {
    const fake = await startShop(customers(200_000));
    const sizes: number[] = [];
    let eighths = 0;
    for await (const page of runQuery(runOf(fake, { labelled: true }))) {
      sizes.push(page.length);
      for (const { value } of page) eighths += Number(value) * 8;
    }
    expect(sizes).toEqual(Array.from({ length: 20 }, () => 10_000));
    // 0 + 1 + … + 199,999
    expect(eighths).toBe((199_999 * 200_000) / 2);
  });

  it('above 200,000 is refused before any value is returned', async () => {
    const fake = await startShop(customers(200_001));
    const pages = runQuery(runOf(fake, { labelled: true }));
    expect(await errorOf(pages.next())).toMatchObject({
      kind: 'invalid',
      message: 'query: expected at most 200000 rows per run, got 200001: group by day',
    });
  });

  it('that breaks off is an outage, never a shorter result', async () => {
    const fake = await startShop(customers(100));
    fake.project.mostRowsPerPage = 30;
    const results = fake.project.results.bind(fake.project);
    const damages: ((resource: Record<string, unknown>) => Record<string, unknown>)[] = [
      ({ pageToken: _, ...resource }) => resource,
      ({ rows: _, ...resource }) => resource,
      (resource) => ({ ...resource, totalRows: '20' }),
      (resource) => ({ ...resource, jobComplete: false }),
    ];
    for (const damage of damages) {
      fake.project.results = (id, query) => {
        const answer = results(id, query);
        return 'resource' in answer ? { resource: damage(answer.resource) } : answer;
      };
      expect(await errorOf(valuesOf(fake, { labelled: true }))).toMatchObject({ name: 'Outage' });
    }
    fake.project.results = results;
    expect(await valuesOf(fake, { labelled: true })).toHaveLength(100);
    expect(fake.project.started).toHaveLength(1);
  });
});

describe('a run fails, with what to do,', () => {
  it.each<[string, (string | null)[], string]>([
    [
      'for a null as value',
      ['2026-01-05', 'eu', null],
      'query: 2026-01-05, label "eu": value: expected a number, got null: return a number, or leave the row out',
    ],
    [
      'for NaN',
      ['2026-01-05', 'eu', 'NaN'],
      'query: 2026-01-05, label "eu": value: expected a number, got "NaN": return a number, or leave the row out',
    ],
    ['for a null as label', ['2026-01-05', null, '1'], 'query: 2026-01-05: label: expected a text, got null'],
    [
      'for a null as day',
      [null, 'eu', '1'],
      'query: row 35: day: expected a DATE of the years 1 to 9999, got null',
    ],
    [
      'for a day outside its range',
      ['2026-02-01', 'eu', '1'],
      'query: row 35: day: expected a day from 2026-01-01 to 2026-01-31, got 2026-02-01: filter by @start and @end, which are both inclusive',
    ],
  ])('%s', async (_what, row, message) => {
    const good = Array.from({ length: 34 }, (_, index) => ['2026-01-04', `l${index}`, '1']);
    const fake = await startShop(always([DAY, LABEL, valueOf('FLOAT')], [...good, row]));
    // The row is on the second page.
    fake.project.mostRowsPerPage = 20;
    expect(await errorOf(valuesOf(fake, { labelled: true }))).toMatchObject({ kind: 'invalid', message });
  });

  it('before it costs anything, if a table has grown, or a permission was lost', async () => {
    const fake = await startShop({ ...orders, bytes: 2 ** 34 });
    expect(await errorOf(valuesOf(fake))).toMatchObject({
      kind: 'invalid',
      message: expect.stringMatching(/^query: expected at most 10 GB processed, got 16 GB: /) as unknown,
    });
    fake.project.queries.set(ORDERS, orders);
    fake.project.permissions.delete('bigquery.tables.getData');
    expect(await errorOf(valuesOf(fake))).toMatchObject({
      kind: 'invalid',
      message: expect.stringMatching(/role BigQuery Data Viewer/) as unknown,
    });
    expect(fake.project.started).toEqual([]);
    // The same run works once the permission is back.
    fake.project.permissions.add('bigquery.tables.getData');
    expect(await valuesOf(fake)).toHaveLength(31);
  });

  it('if the dry run estimated too little, because BigQuery then stops the job', async () => {
    const fake = await startShop(orders);
    const insert = fake.project.insert.bind(fake.project);
    fake.project.insert = (body) => {
      const isDryRun = body.configuration.dryRun === true;
      fake.project.queries.set(ORDERS, { ...orders, bytes: isDryRun ? 1 : 2 ** 34 });
      return insert(body);
    };
    expect(await errorOf(valuesOf(fake))).toMatchObject({
      kind: 'invalid',
      message:
        'query: select fewer columns, or filter a partitioned table by its partition column with @start and @end; a run may process at most 10 GB (BigQuery: Query exceeded limit for bytes billed: 10737418240. 17179869184 or higher required.)',
    });
  });

  it('if the result has other columns than the dry run reported', async () => {
    const fake = await startShop();
    const insert = fake.project.insert.bind(fake.project);
    fake.project.insert = (body) => {
      const answer = insert(body);
      fake.project.queries.set(ORDERS, always([DAY, valueOf('STRING')], [['2026-01-01', 'x']]));
      return answer;
    };
    expect(await errorOf(valuesOf(fake))).toMatchObject({
      kind: 'invalid',
      message: expect.stringMatching(/^query: column "value": expected INT64/) as unknown,
    });
  });

  it('if the query failed, took too long or was cancelled', async () => {
    const fake = await startShop();
    const failures: [string, string, RegExp][] = [
      ['invalidQuery', 'Division by zero', /^query: correct it, .* \(BigQuery: Division by zero\)$/],
      [
        'resourcesExceeded',
        'Out of memory',
        /^query: make it simpler, or read less \(BigQuery: Out of memory\)$/,
      ],
      [
        'stopped',
        'Job timed out after 30m',
        /^query: make it faster if it ran into .* cancelled it \(BigQuery: /,
      ],
      ['unheardOf', '', /^correct the query or the connection \(BigQuery: unheardOf\)$/],
    ];
    for (const [reason, message, expected] of failures) {
      fake.project.failures.push({ status: 400, reason, message });
      const error = await errorOf(valuesOf(fake, { jobId: `run-${reason}` }));
      expect(error).toMatchObject({ kind: 'invalid' });
      expect(error.message).toMatch(expected);
      // Another attempt reads the same job.
      expect((await errorOf(valuesOf(fake, { jobId: `run-${reason}` }))).message).toBe(error.message);
    }
    expect(fake.project.started).toHaveLength(failures.length);
  });

  it('if its name does not fit into a job’s id', async () => {
    const fake = await startShop();
    for (const jobId of ['', 'a/b', 'a b', 'ä', 'x'.repeat(901)])
      expect(await errorOf(valuesOf(fake, { jobId }))).toBeInstanceOf(TypeError);
    expect(await valuesOf(fake, { jobId: 'x'.repeat(900) })).toHaveLength(31);
    expect(fake.project.started).toHaveLength(1);
  });
});
