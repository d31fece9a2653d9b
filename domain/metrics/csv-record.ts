import { isNumberText, type ValueRules } from './value-rules.ts';

/** Returns the columns of a metric's CSV files, in order (spec §2, CSV format). */
export const columnsOf = ({ label_key }: Pick<ValueRules, 'label_key'>): string[] =>
  label_key === null ? ['period', 'value'] : ['period', 'label', 'value'];

/** Whether a file's first record is a header row: it neither begins with a digit nor ends with a number (spec §2, CSV format). */
export const isHeader = (fields: readonly string[]): boolean =>
  !/^\d/.test(fields[0] ?? '') && !isNumberText(fields.at(-1) ?? '');

/** Whether a record is a blank line. */
export const isBlank = (fields: readonly string[]): boolean =>
  fields.length === 1 && /^[ \t]*$/.test(fields[0] ?? '');
