import { describe, expect, it } from 'vitest';
import { MOST_BYTES } from '../../../../domain/shared/bigquery-query.ts';
import {
  columnProblems,
  queryProblems,
  queryTextProblems,
  type DryRunFacts,
  type QueryColumn,
} from '../../../../domain/imports/bigquery/query-rules.ts';

/** What a query import may be. */
const QUERY = 'SELECT day, COUNT(*) AS value FROM shop.orders WHERE day BETWEEN @start AND @end GROUP BY day';
const columns = (...all: [string, string][]): QueryColumn[] => all.map(([name, type]) => ({ name, type }));
const PLAIN = columns(['day', 'DATE'], ['value', 'INTEGER']);
const LABELLED = columns(['day', 'DATE'], ['label', 'STRING'], ['value', 'NUMERIC']);
const facts = (changes: Partial<DryRunFacts> = {}): DryRunFacts => ({
  statementType: 'SELECT',
  bytesProcessed: 1_000_000,
  columns: PLAIN,
  undeclared: [],
  ...changes,
});

describe('a query', () => {
  it('that is one SELECT with day, value and both parameters can be imported', () => {
    expect(queryProblems(QUERY, facts(), false)).toEqual([]);
    expect(queryProblems(QUERY, facts({ columns: LABELLED }), true)).toEqual([]);
  });

  it.each([
    ['SCRIPT', 'a script of several statements'],
    ['DELETE', 'a statement of type "DELETE"'],
    ['CREATE_TABLE_AS_SELECT', 'a statement of type "CREATE_TABLE_AS_SELECT"'],
    ['EXPORT_DATA', 'a statement of type "EXPORT_DATA"'],
    [null, 'another statement'],
  ])('of type %s is refused, whatever its columns', (statementType, got) => {
    expect(queryProblems(QUERY, facts({ statementType, columns: [] }), false)).toEqual([
      `query: expected one SELECT, got ${got}`,
    ]);
  });

  const MISSING = (what: string) =>
    `query: expected the parameters @start and @end, the first and the last day that a run reads; ${what} missing`;

  it.each([
    ['SELECT 1', '@start and @end are'],
    ['SELECT @start', '@end is'],
    ['SELECT @end -- @start', '@start is'],
    [`SELECT '@start' WHERE day = @end`, '@start is'],
  ])('without both parameters is refused: %s', (query, what) => {
    expect(queryTextProblems(query)).toEqual([MISSING(what)]);
  });

  it('with further parameters is refused by their names, in its text or in the dry run', () => {
    const expected = (names: string) =>
      `query: expected no parameters except @start and @end, got ${names}: write the values into the query`;
    expect(queryProblems(`${QUERY} -- @x\n, @Region`, facts({ undeclared: ['region'] }), false)).toEqual([
      expected('"region"'),
    ]);
    expect(queryProblems(QUERY, facts({ undeclared: ['one', 'START', 'Two'] }), false)).toEqual([
      expected('"one", "two"'),
    ]);
    const many = Array.from({ length: 12 }, (_, index) => `@p${index}`);
    expect(queryTextProblems(`${QUERY} ${many.join()}`)).toEqual([
      expected(
        `${many
          .slice(0, 10)
          .map((name) => `"${name.slice(1)}"`)
          .join(', ')} and 2 more`,
      ),
    ]);
  });

  it('without any text is refused', () => {
    expect(queryTextProblems(' \n\t')).toEqual(['query: expected one SELECT, got an empty text']);
  });

  it('may process 10 GB, and not a byte more', () => {
    expect(MOST_BYTES).toBe(10_737_418_240);
    expect(queryProblems(QUERY, facts({ bytesProcessed: MOST_BYTES }), false)).toEqual([]);
    expect(queryProblems(QUERY, facts({ bytesProcessed: null }), false)).toEqual([]);
    const tooMany = (size: string) => [
      `query: expected at most 10 GB processed, got ${size} GB: select fewer columns, or filter a partitioned table by its partition column with @start and @end`,
    ];
    expect(queryProblems(QUERY, facts({ bytesProcessed: MOST_BYTES + 1 }), false)).toEqual(tooMany('10.01'));
    // 1.5 TB
    expect(queryProblems(QUERY, facts({ bytesProcessed: 1_649_267_441_664 }), false)).toEqual(
      tooMany('1536'),
    );
  });

  it('is told all its problems at once', () => {
    const wrong = facts({ columns: columns(['day', 'TIMESTAMP']), bytesProcessed: 2 * MOST_BYTES });
    expect(queryProblems('SELECT @start, @x', wrong, false)).toEqual([
      MISSING('@end is'),
      expect.stringMatching(/^query: expected no parameters except .* got "x"/),
      'query: column "day": expected DATE, got "TIMESTAMP": convert it with DATE(…)',
      'query: expected a column "value" of type INT64, NUMERIC, BIGNUMERIC or FLOAT64, got the columns "day"',
      expect.stringMatching(/^query: expected at most 10 GB processed, got 20 GB/),
    ]);
  });
});

describe('the columns of a query', () => {
  it.each(['INTEGER', 'INT64', 'FLOAT', 'FLOAT64', 'NUMERIC', 'BIGNUMERIC'])(
    'may have a value of %s',
    (type) => {
      expect(columnProblems(columns(['value', type], ['day', 'DATE']), false)).toEqual([]);
    },
  );

  it('may be written in any case', () => {
    expect(columnProblems(columns(['Day', 'DATE'], ['VALUE', 'FLOAT'], ['Label', 'STRING']), true)).toEqual(
      [],
    );
  });

  it.each(['STRING', 'BOOLEAN', 'DATE', 'INTERVAL', 'JSON', 'RECORD', 'ARRAY<INTEGER>', 'ARRAY<NUMERIC>'])(
    'must not have a value of %s',
    (type) => {
      expect(columnProblems(columns(['day', 'DATE'], ['value', type]), false)).toEqual([
        `query: column "value": expected INT64, NUMERIC, BIGNUMERIC or FLOAT64, got "${type}": convert it with CAST(… AS NUMERIC)`,
      ]);
    },
  );

  it.each(['STRING', 'DATETIME', 'TIMESTAMP', 'INTEGER', 'ARRAY<DATE>'])(
    'must not have a day of %s',
    (type) => {
      expect(columnProblems(columns(['day', type], ['value', 'FLOAT']), false)).toEqual([
        `query: column "day": expected DATE, got "${type}": convert it with DATE(…)`,
      ]);
    },
  );

  it('must have a label of STRING if the metric has labels', () => {
    expect(columnProblems(PLAIN, true)).toEqual([
      'query: expected a column "label" of type STRING, got the columns "day", "value"',
    ]);
    expect(columnProblems(columns(['day', 'DATE'], ['value', 'FLOAT'], ['label', 'INTEGER']), true)).toEqual([
      'query: column "label": expected STRING, got "INTEGER": convert it with CAST(… AS STRING)',
    ]);
  });

  it('must not have a label if the metric has none', () => {
    expect(columnProblems(LABELLED, false)).toEqual([
      'query: expected no column "label", because the metric has no label key: remove the column, or create a metric with one',
    ]);
  });

  it('must not have others, because they usually split a day over several rows', () => {
    expect(columnProblems([...PLAIN, ...columns(['region', 'STRING'], ['n', 'INTEGER'])], false)).toEqual([
      'query: expected only the columns day, value, got "region", "n" as well: remove what is not needed',
    ]);
    expect(columnProblems([...LABELLED, ...columns(['region', 'STRING'])], true)).toEqual([
      'query: expected only the columns day, label, value, got "region" as well: remove what is not needed',
    ]);
  });

  it('must exist', () => {
    expect(columnProblems([], false)).toEqual([
      'query: expected a column "day" of type DATE, got no columns',
      'query: expected a column "value" of type INT64, NUMERIC, BIGNUMERIC or FLOAT64, got no columns',
    ]);
  });
});
