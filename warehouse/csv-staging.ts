import { LARGEST_VALUE } from '../domain/decimals.ts';
import { LONGEST_LABEL, type ValueRules } from '../domain/sent-value.ts';

/** The columns of a metric's CSV files, in their order (spec §2, CSV format). */
export const columnsOf = ({ label_key }: Pick<ValueRules, 'label_key'>): string[] =>
  label_key === null ? ['period', 'value'] : ['period', 'label', 'value'];

/** The file's lines as they are, blank ones as null; fails for a file that mixes LF and CRLF. */
export const SIMPLE_LINES = `
lines AS (
  SELECT line FROM read_csv($file, auto_detect = false, header = false, delim = '\x01', quote = '', escape = '',
    columns = {'line': 'VARCHAR'}))`;

/**
 * The records of any file, at the place of their first line, with null for the other lines: a line goes on with the one
 * before when the quotes up to it are an odd number.
 */
export const ANY_LINES = `
broken AS (
  SELECT unnest(string_split(content, chr(10))) AS line, generate_subscripts(string_split(content, chr(10)), 1) AS number
  FROM read_text($file)),
begun AS (
  SELECT number, line, COALESCE(sum(length(line) - length(replace(line, '"', ''))) OVER (
      ORDER BY number ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 0) % 2 = 0 AS begins
  FROM broken),
placed AS (
  SELECT number, line, max(number) FILTER (begins) OVER (ORDER BY number ROWS UNBOUNDED PRECEDING) AS first
  FROM begun),
records AS (SELECT first AS number, string_agg(line, chr(10) ORDER BY number) AS record FROM placed GROUP BY first),
lines AS (
  SELECT regexp_replace(CASE WHEN number = 1 THEN ltrim(record, chr(65279)) ELSE record END, '\\r$', '') AS line
  FROM broken LEFT JOIN records USING (number) ORDER BY number)`;

/** A field as it stands in the file; without any quotes the same is much quicker to find. */
const FIELD = '("(?:[^"]|"")*"|[^",]*)';
const PLAIN_FIELD = '([^",]*)';
const fieldsOf = (field: string, columns: readonly string[]): string =>
  `regexp_extract(line, '^${columns.map(() => field).join(',')}$', [${columns.map((name) => `'${name}'`).join(', ')}])`;
const unquoted = (field: string): string =>
  `CASE WHEN starts_with(${field}, '"') THEN replace(substr(${field}, 2, length(${field}) - 2), '""', '"') ELSE ${field} END`;

/** A label with anything but white space in it, as JavaScript has white space. */
const LABEL_FITS = String.raw`length(label) <= ${LONGEST_LABEL} AND regexp_matches(label, '[^\s\x{0b}\p{Z}\x{feff}]')`;

/** The digits of a number text, without its point and exponent. */
const DIGITS = `replace(regexp_extract(value, '^[0-9.]*'), '.', '')`;

/** Decimals that a number text really has: the digits after the point, less the exponent and trailing zeros. */
const DECIMALS = `
CASE WHEN ltrim(${DIGITS}, '0') = '' THEN 0
  ELSE length(regexp_extract(value, '\\.([0-9]*)', 1))
    - COALESCE(TRY_CAST(regexp_extract(value, '[eE](.*)$', 1) AS INTEGER), 0)
    - length(${DIGITS}) + length(rtrim(${DIGITS}, '0')) END`;

/**
 * The exact value of a number text, or null. Casts take more texts than are numbers here and round excess decimals
 * silently, so the form is judged before; the narrow types only are for speed, being two hundred times faster.
 */
const NUMBER = `
CASE WHEN regexp_full_match(value, '[0-9]{1,8}(\\.[0-9]{1,10})?') THEN CAST(CAST(value AS DECIMAL(18,10)) AS DECIMAL(38,10))
  WHEN regexp_full_match(value, '[0-9]{1,15}') THEN CAST(CAST(value AS BIGINT) AS DECIMAL(38,10))
  WHEN regexp_full_match(value, '([0-9]+\\.?[0-9]*|\\.[0-9]+)([eE][+-]?[0-9]{1,4})?') AND ${DECIMALS} <= 10
    THEN TRY_CAST(value AS DECIMAL(38,10)) END`;

/** One row for each line of the file: its value, or its text where it is refused, or neither where it is blank. */
export const stageStatement = (lines: string, rules: ValueRules): string => {
  const labelled = rules.label_key !== null;
  const columns = columnsOf(rules);
  return `
CREATE OR REPLACE TEMP TABLE staged_values AS
WITH ${lines},
split_lines AS (
  SELECT line, CASE WHEN contains(line, '"') THEN ${fieldsOf(FIELD, columns)} ELSE ${fieldsOf(PLAIN_FIELD, columns)} END AS field
  FROM lines),
texts AS (
  SELECT line, ${unquoted('field.period')} || '${rules.frequency === 'monthly' ? '-01' : ''}' AS day_text,
    ${labelled ? unquoted('field.label') : "''"} AS label, ${unquoted('field.value')} AS value
  FROM split_lines),
parsed AS (SELECT line, day_text, TRY_CAST(day_text AS DATE) AS period, label, ${NUMBER} AS value FROM texts),
judged AS (
  SELECT *, COALESCE(CAST(period AS VARCHAR) = day_text AND length(day_text) = 10 AND period <= $newest::DATE
    AND value <= ${LARGEST_VALUE}${labelled ? ` AND ${LABEL_FITS}` : ''}, false) AS fits
  FROM parsed)
SELECT CASE WHEN fits THEN period END AS period, CASE WHEN fits THEN label END AS label,
  CASE WHEN fits THEN value END AS value,
  CASE WHEN NOT fits AND regexp_matches(line, '\\S') THEN line END AS refused
FROM judged`;
};
