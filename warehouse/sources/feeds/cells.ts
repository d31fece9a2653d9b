import type { ExportColumn } from './export-files.ts';
import {
  billingPeriodDay,
  decimalFromNumber,
  decimalFromText,
  isExactNumber,
  nullable,
  quoted,
  writtenOut,
} from '../focus/focus-columns.ts';

/** A cell as text without blanks around it; null in its three spellings is null (sources §1). */
export const textCell = ({ name, type }: ExportColumn): string =>
  nullable(`trim(${type === 'VARCHAR' ? quoted(name) : writtenOut(quoted(name))})`);

/** A cell as the UTC day that it names, or in which its instant lies; null when it is neither. */
export const dayCell = (column: ExportColumn): string => {
  if (column.type === 'DATE') return quoted(column.name);
  const text = textCell(column);
  // Words such as "infinity" are times too, for a cast.
  return `CASE WHEN regexp_matches(${text}, '^\\d{4}-\\d\\d-\\d\\d') THEN ${billingPeriodDay(text)} END`;
};

/**
 * A cell as an exact decimal of 15 places; null when it is none. A binary number means the shortest decimal that
 * stands for it.
 */
export const decimalCell = (column: ExportColumn): string =>
  isExactNumber(column) ? decimalFromNumber(quoted(column.name)) : decimalFromText(textCell(column));
