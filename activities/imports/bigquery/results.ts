import type { ImportedValue } from '../../../domain/imports/imported-value.ts';
import { importedValueOf, type RunDays } from '../../../domain/imports/bigquery/query-rows.ts';
import {
  columnProblems,
  MOST_ROWS,
  tooManyRows,
  type QueryColumn,
} from '../../../domain/imports/bigquery/query-rules.ts';
import { invalid } from '../../../domain/shared/errors.ts';
import type { BigQueryColumn } from '../../../domain/shared/bigquery-query.ts';
import type { ResultRow } from '../../shared/bigquery/answers.ts';
import type { BigQueryAccess, BigQueryClient } from '../../shared/bigquery/client.ts';
import type { JobReference } from '../../shared/bigquery/job.ts';
import { resultPages } from '../../shared/bigquery/result-pages.ts';

/** How to read a query's result. */
export interface ResultRules extends RunDays {
  labelled: boolean;
}

/**
 * Returns the values of a finished job's result in pages, never all at once.
 *
 * @throws `invalid` for too many rows, before the first page, and for rows that are no values; Outage if the result ends early.
 */
export async function* resultOf(
  client: BigQueryClient,
  job: JobReference,
  rules: ResultRules,
  access: BigQueryAccess,
): AsyncGenerator<ImportedValue[], void, undefined> {
  let valueOf: ReturnType<typeof readerOf> | null = null;
  for await (const { rows, columns, totalRows, rowsBefore } of resultPages(client, job, access)) {
    if (totalRows > MOST_ROWS) throw invalid(tooManyRows(totalRows));
    const read = (valueOf ??= readerOf(importColumns(columns), rules));
    if (rows.length > 0) yield rows.map((row, index) => read(row, rowsBefore + index + 1));
  }
}

/** Returns columns in the form that the rules of imports name. */
export const importColumns = (columns: readonly BigQueryColumn[]): QueryColumn[] =>
  columns.map(({ name, type, isRepeated }) => ({ name, type: isRepeated ? `ARRAY<${type}>` : type }));

function readerOf(
  columns: readonly QueryColumn[],
  rules: ResultRules,
): (row: ResultRow, number: number) => ImportedValue {
  const { labelled } = rules;
  // The tables may have changed since the dry run.
  const problems = columnProblems(columns, labelled);
  if (problems.length > 0) throw invalid(problems.join('; '));
  const names = columns.map(({ name }) => name.toLowerCase());
  const [day = -1, value = -1, label = -1] = ['day', 'value', 'label'].map((name) => names.indexOf(name));
  return ({ f }, number) => {
    const cells = { day: f[day]?.v, value: f[value]?.v };
    return importedValueOf(labelled ? { ...cells, label: f[label]?.v ?? null } : cells, number, rules);
  };
}
