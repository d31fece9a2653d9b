import { affixesOf, notationsOf, simplified, type Notation, type NumberStyle } from './locale-numbers.ts';

/** Which numbers a field takes. */
export interface NumberRule {
  style: NumberStyle;
  min: number;
  max: number;
  /** The most decimals. With 0 a number must be whole. */
  decimals: number;
}

/** What a field with a number contains. */
export type NumberEntry =
  | { is: 'empty' }
  | {
      is: 'number';
      number: number;
      /** The number in full, as the page shows numbers. */
      echo: string;
    }
  | { is: 'refused'; problem: string };

/** A decimal without an exponent, a sign for plus or needless zeros. */
type ExactText = `${number}`;

const MOST_DECIMALS = 20;
const LONGEST_ECHO = 40;

/**
 * Reads a number as a person of the locale writes it, with or without separators of groups, and as the page itself shows it.
 * Only the locale decides which separator is which: `6,200` is 6200 in en-US, and 6.2 in de-DE. It refuses what the locale
 * cannot read, such as `6.300,50` in en-US, and what would not be stored exactly.
 *
 * @param locale the locale; without it, that of the browser, in which the page shows its numbers.
 */
export function readNumber(text: string, rule: NumberRule, locale?: string): NumberEntry {
  const written = simplified(text);
  if (written === '') return { is: 'empty' };
  const exact = exactOf(written, rule.style, locale);
  if (exact === null) return { is: 'refused', problem: unreadable(text, rule, locale) };
  const problem = outside(exact, rule, locale);
  return problem === null
    ? { is: 'number', number: Number(exact), echo: inFull(exact, rule.style, locale) }
    : { is: 'refused', problem };
}

/** Returns the number in a field; null if the field is empty, or {@link readNumber} refuses its text. */
export function numberIn(text: string, rule: NumberRule, locale?: string): number | null {
  const entry = readNumber(text, rule, locale);
  return entry.is === 'number' ? entry.number : null;
}

/** Returns why a field cannot be sent, or null. */
export function problemIn(
  text: string,
  rule: NumberRule,
  { isRequired = false, locale }: { isRequired?: boolean; locale?: string } = {},
): string | null {
  const entry = readNumber(text, rule, locale);
  if (entry.is === 'refused') return entry.problem;
  return entry.is === 'empty' && isRequired ? 'Expected a number' : null;
}

/** Returns a known number as a field shows it: with all digits, and without separators of groups. */
export const fieldText = (number: number | null, locale?: string): string =>
  number === null
    ? ''
    : new Intl.NumberFormat(locale, {
        useGrouping: false,
        maximumFractionDigits: MOST_DECIMALS,
      }).format(number);

function exactOf(written: string, style: NumberStyle, locale: string | undefined): ExactText | null {
  const [sign, digits] = withoutSign(withoutAffix(written, affixesOf(style, locale)));
  for (const notation of notationsOf(style, locale)) {
    const found = shapeOf(notation).exec(digits);
    if (found === null) continue;
    const { whole = '', decimals = found.groups?.['only'] ?? '' } = found.groups ?? {};
    return exactText(sign, latinOf(whole, notation), latinOf(decimals, notation));
  }
  return null;
}

/** Returns the text without one currency or percent sign at its start or end. The sign of the number may stand before it. */
function withoutAffix(written: string, affixes: readonly string[]): string {
  const [sign, rest] = withoutSign(written);
  const affix = affixes.find((each) => rest.startsWith(each) || rest.endsWith(each));
  if (affix === undefined) return written;
  const bare = rest.startsWith(affix) ? rest.slice(affix.length) : rest.slice(0, -affix.length);
  return sign + bare.trim();
}

const withoutSign = (written: string): [sign: string, rest: string] =>
  /^[-+]/.test(written) ? [written.charAt(0), written.slice(1).trim()] : ['', written];

const escaped = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\/-]/g, '\\$&');

/** Returns the form of a number without its sign: whole digits, with all of their group separators or with none, and decimals. */
function shapeOf({ digits, decimal, group, groupSizes }: Notation): RegExp {
  const digit = `[${digits.join('')}]`;
  const grouped = ({ last, others }: Notation['groupSizes']): string =>
    group === null
      ? '(?!)'
      : `${digit}{1,${others}}(?:${escaped(group)}${digit}{${others}})*${escaped(group)}${digit}{${last}}`;
  // Locales with groups of two write percents and some money in groups of three.
  const wholes = `${digit}+|${grouped(groupSizes)}|${grouped({ last: 3, others: 3 })}`;
  const point = escaped(decimal);
  return new RegExp(
    `^(?:(?<whole>${wholes})(?:${point}(?<decimals>${digit}*))?|${point}(?<only>${digit}+))$`,
    'u',
  );
}

const latinOf = (text: string, { digits }: Notation): string =>
  Array.from(text, (character) => {
    const value = digits.indexOf(character);
    return value === -1 ? '' : value.toString();
  }).join('');

function exactText(sign: string, whole: string, decimals: string): ExactText {
  const integer = whole.replace(/^0+(?=.)/, '');
  const rest = decimals.replace(/0+$/, '');
  const positive = `${integer === '' ? '0' : integer}${rest === '' ? '' : `.${rest}`}`;
  return (sign === '-' && positive !== '0' ? `-${positive}` : positive) as ExactText;
}

function outside(
  exact: ExactText,
  { style, min, max, decimals }: NumberRule,
  locale: string | undefined,
): string | null {
  const number = Number(exact);
  if (number < min || number > max) {
    const shown = (limit: number): string => inFull(plainText(limit), style, locale);
    return `Expected a number from ${shown(min)} to ${shown(max)}`;
  }
  if ((exact.split('.')[1]?.length ?? 0) > decimals)
    return decimals === 0 ? 'Expected a whole number' : `Expected at most ${decimals} decimals`;
  const stored = plainText(number);
  return stored === exact
    ? null
    : `Expected fewer digits, because ${inFull(stored, style, locale)} would be stored`;
}

/** Returns all digits of a number, without an exponent. */
const plainText = (number: number): ExactText => fieldText(number, 'en-US') as ExactText;

const SAMPLES = { whole: '1234', decimal: '1234.5', percent: '12.5' } as const;

function unreadable(text: string, { style, decimals }: NumberRule, locale: string | undefined): string {
  const sample =
    decimals === 0 ? SAMPLES.whole : style.style === 'percent' ? SAMPLES.percent : SAMPLES.decimal;
  const got = text.trim();
  const shown = got.length > LONGEST_ECHO ? `${got.slice(0, LONGEST_ECHO)}…` : got;
  return `Expected a number such as ${inFull(sample, style, locale)}, got “${shown}”`;
}

const inFull = (exact: ExactText, style: NumberStyle, locale: string | undefined): string =>
  new Intl.NumberFormat(locale, { ...style, maximumFractionDigits: MOST_DECIMALS }).format(
    style.style === 'percent' ? (`${exact}E-2` as ExactText) : exact,
  );
