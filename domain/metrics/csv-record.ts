import { normalText } from '../shared/text/normal-text.ts';
import { isNumberText, type ValueRules } from './value-rules.ts';

type Rules = Pick<ValueRules, 'label_key'>;

/** Returns the columns of a metric's CSV files, in the order of a file without a header (docs/http.md#send-values). */
export const columnsOf = ({ label_key }: Rules): string[] =>
  label_key === null ? ['period', 'value'] : ['period', 'label', 'value'];

/** Where a file has its columns. `label` is null on a metric without labels. */
export interface CsvColumns {
  period: number;
  label: number | null;
  value: number;
}

/** Returns the columns of a file without a header. */
export const defaultColumns = ({ label_key }: Rules): CsvColumns =>
  label_key === null ? { period: 0, label: null, value: 1 } : { period: 0, label: 1, value: 2 };

/** Other names of a period. Queries of imports and people name it so. */
const PERIODS = ['period', 'day', 'date', 'month'];

/**
 * Returns where a header row has the columns of the metric: each once, in any order and case, and no others except empty ones at
 * the end. The label's column may also bear the label key. Returns null for any other row.
 */
export function headerColumns(fields: readonly string[], { label_key }: Rules): CsvColumns | null {
  const names = fields.map(nameOf);
  while (names.at(-1) === '') names.pop();
  const only = (known: readonly string[]): number | null => {
    const found = names.flatMap((name, index) => (known.includes(name) ? [index] : []));
    return found.length === 1 ? (found[0] ?? null) : null;
  };
  const period = only(PERIODS);
  const value = only(['value']);
  if (period === null || value === null) return null;
  if (label_key === null) return names.length === 2 ? { period, label: null, value } : null;
  const labels = ['label', nameOf(label_key)].filter((name) => name !== 'value' && !PERIODS.includes(name));
  const label = only(labels);
  return names.length === 3 && label !== null ? { period, label, value } : null;
}

const nameOf = (field: string): string => normalText(field).toLowerCase();

/** Whether a first record is meant as a header row: it neither begins with a digit nor ends with a number. */
export const looksLikeHeader = (fields: readonly string[]): boolean =>
  !/^\d/.test(fields[0] ?? '') && !isNumberText(fields.at(-1) ?? '');

/** Whether a record is blank. A spreadsheet writes the separators of empty cells. */
export const isBlank = (fields: readonly string[]): boolean =>
  fields.every((field) => /^[ \t]*$/.test(field));
