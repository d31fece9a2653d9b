import { asWritten, decimalCell, quoted, writtenOut } from '../feeds/cells.ts';
import { readableAmount } from '../feeds/readable-limits.ts';
import { sqlText } from '../../engine/sql/sql-text.ts';
import type { MappedColumn, NativeValue } from './bill-format.ts';
import type { NativeColumn, NativeRow } from './native-row.ts';
import { textIn } from './values.ts';

/** A part of a line's cost: the amount of the first of several columns that has a value. */
export interface Term {
  names: readonly [string, ...string[]];
  /** Whether it is subtracted. */
  isMinus?: true;
  /** Whether it counts 0 if the columns have no value. */
  isOptional?: true;
  /** Returns the SQL of a column's amount, if it is no plain number. */
  amountOf?: (row: NativeRow, column: NativeColumn) => string;
  /** Returns the column that is read as a number in place of the file's own. */
  read?: (row: NativeRow, column: NativeColumn) => NativeColumn;
}

/** A condition on a line. It never holds in a file that lacks the column, unless every file needs it. */
interface Condition {
  names: readonly [string, ...string[]];
  is: readonly string[] | 'present';
  isNeeded?: true;
}

/** What some lines cost. */
export interface CostRule {
  /** The lines, in words. */
  lines: string;
  /** What holds for all of them: a column has one of some texts, or any value. No condition: all other lines. */
  where: readonly Condition[];
  /** The sum of these; empty: 0. */
  cost: readonly Term[];
}

/** Returns the terms of a difference or a sum. */
export const plus = (...names: readonly [string, ...string[]]): Term => ({ names });
export const minus = (...names: readonly [string, ...string[]]): Term => ({ names, isMinus: true });

const code = (names: readonly string[]): string => names.map((name) => `\`${name}\``).join(', else ');

/** Returns what a line costs, in words. */
const costInWords = ({ cost }: CostRule): string =>
  cost.length === 0
    ? '0'
    : cost
        .map(({ names, isMinus }, place) => `${isMinus ? '− ' : place > 0 ? '+ ' : ''}${code(names)}`)
        .join(' ');

/**
 * Returns the cost of a line by the first rule that holds for it. A line whose amount cannot be read has none, and messages name
 * the column that lacks it.
 *
 * @param name the FOCUS column, which is unique in a format.
 */
export function costBy(name: string, rules: readonly CostRule[]): NativeValue {
  const reads = rules.flatMap(({ where, cost }) => [...where, ...cost]).flatMap(({ names }) => names);
  const last = rules.at(-1);
  return {
    words: rules.map((rule) => `${rule.lines}: ${costInWords(rule)}`).join('; '),
    needs: [
      ...rules.flatMap(({ where }) => where).flatMap(({ names, isNeeded }) => (isNeeded ? [names] : [])),
      ...(last?.cost ?? []).filter(({ isOptional }) => isOptional !== true).map(({ names }) => names),
    ],
    reads: [...new Set(reads)],
    in: (row) => mapped(name, rules, row),
  };
}

function mapped(name: string, rules: readonly CostRule[], row: NativeRow): MappedColumn | null {
  const own = rules.flatMap((rule) => {
    const conditions = rule.where.map(({ names, is }) => conditionIn(row, names, is));
    // A condition on a column that the file lacks never holds.
    return conditions.includes(null)
      ? []
      : [{ conditions, terms: rule.cost.map((term) => termIn(row, term)) }];
  });
  const [only, ...others] = own;
  const [term, ...more] = only?.terms ?? [];
  if (only !== undefined && others.length === 0 && more.length === 0 && term?.single !== undefined)
    return { sql: quoted(term.single.name), type: term.single.type, called: term.single.called };
  // Lines are told apart once. Their costs, and what is wrong with them, follow from the number of the rule.
  const rule = row.derive(
    `${name} rule`,
    `CAST(CASE ${own
      .map(
        ({ conditions }, place) =>
          `WHEN ${conditions.length === 0 ? 'true' : conditions.join(' AND ')} THEN ${place}`,
      )
      .join(' ')} END AS TINYINT)`,
    'TINYINT',
    name,
  );
  const byRule = (of: (terms: readonly TermIn[]) => string): string =>
    own.length === 1
      ? of(own[0]?.terms ?? [])
      : `CASE ${own.map(({ terms }, place) => `WHEN ${quoted(rule.name)} = ${place} THEN ${of(terms)}`).join(' ')} END`;
  return {
    sql: byRule((terms) =>
      terms.length === 0
        ? 'CAST(0 AS DECIMAL(38,15))'
        : terms
            .map(({ amount, sign }, place) => `${place === 0 && sign === '+' ? '' : ` ${sign} `}${amount}`)
            .join(''),
    ),
    type: 'DECIMAL(38,15)',
    called: name,
    raw: byRule((terms) => firstUnreadable(terms, ({ raw }) => raw)),
    calledBy: byRule((terms) => firstUnreadable(terms, ({ called }) => sqlText(called))),
  };
}

interface TermIn {
  amount: string;
  sign: '+' | '-';
  raw: string;
  called: string;
  /** The only column, if its amount is the term. */
  single?: NativeColumn;
}

/** Returns `of` the first term of a line without a readable amount. */
function firstUnreadable(terms: readonly TermIn[], of: (term: TermIn) => string): string {
  const [first] = terms;
  if (first === undefined) return 'CAST(NULL AS VARCHAR)';
  const cases = terms.map((term) => `WHEN ${readableAmount(term.amount)} IS NULL THEN ${of(term)}`);
  return `CASE ${cases.join(' ')} ELSE ${of(first)} END`;
}

function termIn(row: NativeRow, term: Term): TermIn {
  const { names, isMinus, isOptional } = term;
  const cells = row.found(names).map((column) => cellIn(row, column, term));
  const [first, ...others] = cells;
  const sign = isMinus === true ? '-' : '+';
  if (first === undefined) {
    const amount = `CAST(${isOptional === true ? '0' : 'NULL'} AS DECIMAL(38,15))`;
    return { amount, sign, raw: 'CAST(NULL AS VARCHAR)', called: names.at(-1) ?? '' };
  }
  const last = cells.at(-1) ?? first;
  const pick = (of: (cell: CellIn) => string): string =>
    others.length === 0
      ? of(first)
      : `CASE ${cells
          .slice(0, -1)
          .map((cell) => `WHEN ${cell.text} IS NOT NULL THEN ${of(cell)}`)
          .join(' ')} ELSE ${of(last)} END`;
  const amount = pick((cell) => cell.amount);
  const isEmpty = cells.map(({ text }) => `${text} IS NULL`).join(' AND ');
  return {
    amount: isOptional === true ? `CASE WHEN ${isEmpty} THEN 0 ELSE ${amount} END` : amount,
    sign,
    raw: pick((cell) => cell.raw),
    called: first.called,
    ...(others.length === 0 && sign === '+' && isOptional !== true && first.plain !== null
      ? { single: first.plain }
      : {}),
  };
}

/** A column of a term. `plain` is the column itself, if it is the file's own and a plain number. */
interface CellIn {
  text: string;
  amount: string;
  raw: string;
  called: string;
  plain: NativeColumn | null;
}

function cellIn(row: NativeRow, column: NativeColumn, { amountOf, read = (_, own) => own }: Term): CellIn {
  const number = read(row, column);
  return {
    text: column.type === 'VARCHAR' ? textIn(row, column) : quoted(column.name),
    // A cast skips blanks by itself, faster than trim.
    amount: amountOf?.(row, column) ?? decimalCell(number, asWritten(number)),
    raw: column.type === 'VARCHAR' ? quoted(column.name) : writtenOut(quoted(column.name)),
    called: column.called,
    plain: amountOf === undefined && number === column ? column : null,
  };
}

/** Returns the SQL of a condition on a line; null if the file lacks its column. */
function conditionIn(
  row: NativeRow,
  names: readonly [string, ...string[]],
  is: CostRule['where'][number]['is'],
): string | null {
  const found = row.found(names);
  if (found.length === 0) return null;
  const texts = found.map((column) => textIn(row, column));
  const [only, ...others] = found;
  if (is === 'present') return `(${texts.map((text) => `${text} IS NOT NULL`).join(' OR ')})`;
  const spelled = is.map((text) => sqlText(text)).join(', ');
  const text =
    only?.type === 'VARCHAR' && others.length === 0 ? quoted(only.name) : `COALESCE(${texts.join(', ')})`;
  return `${text} IN (${spelled})`;
}
