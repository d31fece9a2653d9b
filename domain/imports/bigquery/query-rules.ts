import { gigabytes, MOST_BYTES } from '../../shared/bigquery-query.ts';
import { forMessage } from '../../shared/text/for-message.ts';
import { parametersOf, RUN_PARAMETERS } from './query-parameters.ts';

/** The most rows that a run may return (docs/concepts.md#daily-imports). */
export const MOST_ROWS = 200_000;

/** A column of a query's result, with the type in BigQuery's words; a repeated one as `ARRAY<…>`. */
export interface QueryColumn {
  name: string;
  type: string;
}

/** What BigQuery's free dry run reports about a query. */
export interface DryRunFacts {
  /** Null if BigQuery names none. */
  statementType: string | null;
  /** Null if BigQuery gives no estimate. */
  bytesProcessed: number | null;
  columns: QueryColumn[];
  /** Parameters that the query uses and that the run does not give. */
  undeclared: string[];
}

interface ColumnRule {
  types: readonly string[];
  expected: string;
  fix: string;
}

/** The dry run names types as legacy SQL does, and the documentation as GoogleSQL does. */
const NUMBERS = ['INTEGER', 'INT64', 'FLOAT', 'FLOAT64', 'NUMERIC', 'BIGNUMERIC'];

const DAY: ColumnRule = { types: ['DATE'], expected: 'DATE', fix: 'convert it with DATE(…)' };
const VALUE: ColumnRule = {
  types: NUMBERS,
  expected: 'INT64, NUMERIC, BIGNUMERIC or FLOAT64',
  fix: 'convert it with CAST(… AS NUMERIC)',
};
const LABEL: ColumnRule = { types: ['STRING'], expected: 'STRING', fix: 'convert it with CAST(… AS STRING)' };

/** Columns to name in a message. */
const MOST_NAMED = 10;

/** Returns why a query's text cannot be imported: it is empty, or its parameters are not `@start` and `@end`. */
export function queryTextProblems(query: string, undeclared: readonly string[] = []): string[] {
  if (!/\S/.test(query)) return ['query: expected one SELECT, got an empty text'];
  const used = parametersOf(query);
  const missing = RUN_PARAMETERS.filter((name) => !used.includes(name)).map((name) => `@${name}`);
  const others = new Set([...used, ...undeclared.map((name) => name.toLowerCase())]);
  for (const name of RUN_PARAMETERS) others.delete(name);
  const problems: string[] = [];
  if (missing.length > 0) {
    problems.push(
      `query: expected the parameters @start and @end, the first and the last day that a run reads; ${missing.join(' and ')} ${missing.length > 1 ? 'are' : 'is'} missing`,
    );
  }
  if (others.size > 0) {
    problems.push(
      `query: expected no parameters except @start and @end, got ${named([...others])}: write the values into the query`,
    );
  }
  return problems;
}

/**
 * Returns why the import cannot run a query, from its text and its dry run: it must be one SELECT with the right parameters and
 * columns, and process at most {@link MOST_BYTES} (docs/concepts.md#daily-imports). An empty list means that it can run.
 */
export function queryProblems(query: string, facts: DryRunFacts, labelled: boolean): string[] {
  const { statementType, bytesProcessed, columns, undeclared } = facts;
  const textProblems = queryTextProblems(query, undeclared);
  if (statementType !== 'SELECT') return [wrongStatement(statementType), ...textProblems];
  return [
    ...textProblems,
    ...columnProblems(columns, labelled),
    ...(bytesProcessed !== null && bytesProcessed > MOST_BYTES ? [tooManyBytes(bytesProcessed)] : []),
  ];
}

function wrongStatement(statementType: string | null): string {
  const got =
    statementType === null
      ? 'another statement'
      : statementType === 'SCRIPT'
        ? 'a script of several statements'
        : `a statement of type ${forMessage(statementType)}`;
  return `query: expected one SELECT, got ${got}`;
}

const tooManyBytes = (bytes: number): string =>
  `query: expected at most 10 GB processed, got ${gigabytes(bytes)}: ${READ_LESS}`;

/** What to do about too many bytes. */
export const READ_LESS =
  'select fewer columns, or filter a partitioned table by its partition column with @start and @end';

export const tooManyRows = (rows: number): string =>
  `query: expected at most ${MOST_ROWS} rows per run, got ${rows}: group by day`;

/**
 * Returns why a result cannot be imported: a missing, wrongly typed or further column. Case does not matter, as in BigQuery. A
 * further column is refused rather than ignored, because it usually belongs to a GROUP BY that splits a day over several rows.
 */
export function columnProblems(columns: readonly QueryColumn[], labelled: boolean): string[] {
  const wanted = new Map([['day', DAY], ['value', VALUE], ...(labelled ? [['label', LABEL] as const] : [])]);
  const names = columns.map(({ name }) => name.toLowerCase());
  const problems: string[] = [];
  for (const [name, { types, expected, fix }] of wanted) {
    const column = columns[names.indexOf(name)];
    if (column === undefined) {
      const got =
        columns.length > 0 ? `the columns ${named(columns.map((other) => other.name))}` : 'no columns';
      problems.push(`query: expected a column "${name}" of type ${expected}, got ${got}`);
    } else if (!types.includes(column.type.toUpperCase())) {
      problems.push(`query: column "${name}": expected ${expected}, got ${forMessage(column.type)}: ${fix}`);
    }
  }
  const further = columns.map(({ name }) => name).filter((_, index) => !wanted.has(names[index] ?? ''));
  if (further.length > 0) problems.push(`query: ${furtherColumns(further, labelled)}`);
  return problems;
}

const furtherColumns = (further: readonly string[], labelled: boolean): string =>
  further.length === 1 && further[0]?.toLowerCase() === 'label'
    ? 'expected no column "label", because the metric has no label key: remove the column, or create a metric with one'
    : `expected only the columns day, ${labelled ? 'label, ' : ''}value, got ${named(further)} as well: remove what is not needed`;

const named = (names: readonly string[]): string =>
  names.length > MOST_NAMED
    ? `${named(names.slice(0, MOST_NAMED))} and ${names.length - MOST_NAMED} more`
    : names.map((name) => forMessage(name)).join(', ');
