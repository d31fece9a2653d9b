import { normalTextSql } from '../../engine/sql/normal-text.ts';
import type { ExportColumn } from './export-files.ts';

// Cells of a file as typed expressions in SQL, whatever the file's format and types.

/** Returns a column's name in SQL. */
export const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;

/** Returns a text, null for the three spellings of null. The CSV reader has already replaced those. */
export const nullable = (text: string): string =>
  `CASE WHEN ${text} NOT IN ('NULL', 'null', '') THEN ${text} END`;

/** Returns a value of any type as text; null if DuckDB has no text for it, like a time beyond its years. */
export const writtenOut = (value: string): string => `TRY(CAST(${value} AS VARCHAR))`;

/** Returns a cell as the file's own text. */
export const asWritten = ({ name, type }: ExportColumn): string =>
  type === 'VARCHAR' ? quoted(name) : writtenOut(quoted(name));

/** Returns a cell as text in its normal form, null for the three spellings of null. */
export const textCell = (column: ExportColumn): string => nullable(normalTextSql(asWritten(column)));

const BYTE_ORDER_MARK = 'chr(65279)';

/** Returns a cell without byte order marks at its begin. Joined files have them before the first cell of each file. */
export const withoutMark = (text: string): string => `ltrim(${text}, ${BYTE_ORDER_MARK})`;

/** Returns `read` of a cell that begins with a byte order mark, null for any other cell. */
const readMarked = (text: string, read: (text: string) => string): string =>
  `CASE WHEN starts_with(${text}, ${BYTE_ORDER_MARK}) THEN ${read(withoutMark(text))} END`;

/** Returns a text as a UTC instant, also after a byte order mark; null if it is not a time. */
export const timeFromText = (text: string): string =>
  `COALESCE(${timeFromPlainText(text)}, ${readMarked(text, timeFromPlainText)})`;

/**
 * Returns a text as a UTC instant. The plain cast is fast but drops an offset, so it reads only forms without one. Other forms,
 * and times without seconds, take a slower cast. Casts also accept words such as "epoch", so a time must begin with a digit.
 */
const timeFromPlainText = (text: string): string => `COALESCE(
    CASE WHEN ${text} < ':' AND (suffix(${text}, 'Z') OR length(${text}) IN (10, 19)) THEN TRY_CAST(${text} AS TIMESTAMP) END,
    CASE WHEN ${text} < ':' THEN timezone('UTC', TRY_CAST(
      regexp_replace(${text}, '^(.{10}[T ]\\d\\d:\\d\\d)(Z|[+-].*)?$', '\\1:00\\2') AS TIMESTAMPTZ)) END)`;

export const dayOfText = (value: string): string =>
  `CAST(${timeFromText(`CAST(${value} AS VARCHAR)`)} AS DATE)`;

/** No local midnight is later in UTC: Hawaii's is at 10:00 of its day, New Zealand's at 11:00 of the day before. */
const LATEST_MIDNIGHT_HOURS = 10;

/** Returns the local day of which a value's text is the midnight, whatever its offset is. */
export const localDayOfText = (value: string): string =>
  `CAST(TRY(${timeFromText(`CAST(${value} AS VARCHAR)`)} + INTERVAL ${23 - LATEST_MIDNIGHT_HOURS} HOUR) AS DATE)`;

/** Returns whether a column holds times or days. */
export const isTime = ({ type }: ExportColumn): boolean => /^(TIMESTAMP|DATE)/.test(type);

/** Returns a cell as a UTC instant, null if it is not a time. */
export function timeCell(column: ExportColumn): string {
  if (!isTime(column)) return timeFromText(asWritten(column));
  const time = quoted(column.name);
  if (column.type === 'TIMESTAMP') return time;
  // Many times faster than timezone('UTC', …), which fails for some times that a file can hold.
  const converted =
    column.type === 'TIMESTAMP WITH TIME ZONE'
      ? `make_timestamp(epoch_us(${time}))`
      : `TRY_CAST(${time} AS TIMESTAMP)`;
  // A time that DuckDB cannot convert is unreadable like an infinite one, and not missing.
  return `CASE WHEN ${time} IS NOT NULL THEN COALESCE(${converted}, TIMESTAMP 'infinity') END`;
}

/** Returns the UTC day that a cell names, or the day of its instant; null for anything else. */
export function dayCell(column: ExportColumn): string {
  if (column.type === 'DATE') return quoted(column.name);
  const text = textCell(column);
  // A cast also accepts words such as "infinity".
  return `CASE WHEN regexp_matches(${text}, '^\\d{4}-\\d\\d-\\d\\d') THEN ${dayOfText(text)} END`;
}

/** Returns whether a column holds integers or decimals. Other types are cast from text, because a cast reads `true` as 1. */
const isExactNumber = ({ type }: ExportColumn): boolean =>
  /^(DECIMAL\(\d+,\d+\)|U?(TINY|SMALL|BIG|HUGE)INT|U?INTEGER)$/.test(type);

/** Returns a number as a decimal. The narrow cast is twenty times faster and fits all but the largest amounts. */
const decimalFromNumber = (amount: string): string =>
  `COALESCE(CAST(TRY_CAST(${amount} AS DECIMAL(18,15)) AS DECIMAL(38,15)), TRY_CAST(${amount} AS DECIMAL(38,15)))`;

/**
 * Returns a cell as an exact decimal of 15 places, null if it is not a number. A binary number becomes the shortest decimal that
 * reads as the same number. A cast finds it for doubles of at most ten decimals and fifteen digits. Other doubles are cast from
 * their text, which is slow.
 *
 * @param text the cell as text.
 */
export function decimalCell(column: ExportColumn, text = textCell(column)): string {
  const amount = quoted(column.name);
  if (column.type === 'DECIMAL(38,15)') return amount;
  if (isExactNumber(column)) return decimalFromNumber(amount);
  // A cast also accepts `1_000`, which no export writes.
  if (column.type !== 'DOUBLE')
    return `CASE WHEN NOT contains(${text}, '_') THEN COALESCE(${decimalFromNumber(text)}, ${readMarked(text, decimalFromNumber)}) END`;
  const short = `TRY_CAST(${amount} AS DECIMAL(18,10))`;
  return `CASE WHEN abs(${amount}) < 100000 AND CAST(${short} AS DOUBLE) = ${amount} THEN CAST(${short} AS DECIMAL(38,15))
    ELSE ${decimalFromNumber(`CAST(${amount} AS VARCHAR)`)} END`;
}
