/** What a number is, in the words of `Intl`. It decides which signs may stand beside the digits. */
export type NumberStyle =
  { style: 'decimal' } | { style: 'percent' } | { style: 'currency'; currency: string };

/** The digits and separators with which a locale writes numbers. */
export interface Notation {
  /** The digits from 0 to 9. */
  digits: readonly string[];
  decimal: string;
  /** Null if the locale writes no groups. */
  group: string | null;
  /** How many digits the last group has, and each group before it. */
  groupSizes: { last: number; others: number };
}

const WIDE_FORMS = 0xfee0;

/**
 * Returns a text with one character for all that look alike: blanks, apostrophes, minus signs, and the wide forms of Chinese and
 * Japanese keyboards. Marks of the direction of writing go.
 */
export const simplified = (text: string): string =>
  text
    .replaceAll(/[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, '')
    .replaceAll(/[\uff01-\uff5e]/g, (wide) => String.fromCharCode(wide.charCodeAt(0) - WIDE_FORMS))
    .replaceAll(/\s/g, ' ')
    .replaceAll(/[\u02bc\u2018\u2019\u2032]/g, "'")
    .replaceAll(/[\u2010-\u2013\u2212\ufe63]/g, '-')
    .trim();

/** Long enough that every locale writes three groups. */
const LONG = 1_234_567_890.5;

function notationIn(locale: string, style: NumberStyle): Notation {
  const parts = new Intl.NumberFormat(locale, style).formatToParts(LONG);
  const textOf = (type: Intl.NumberFormatPartTypes): string | undefined =>
    parts.find((part) => part.type === type)?.value;
  const groups = parts.flatMap(({ type, value }) => (type === 'integer' ? [Array.from(value).length] : []));
  const digit = new Intl.NumberFormat(locale, { useGrouping: false });
  return {
    digits: Array.from({ length: 10 }, (_, value) => digit.format(value)),
    // Percents have no decimals here. A locale writes them as in other numbers.
    decimal: simplified(textOf('decimal') ?? decimalIn(locale)),
    group: groups.length > 1 ? groupOf(textOf('group')) : null,
    groupSizes: { last: groups.at(-1) ?? 3, others: groups.at(-2) ?? 3 },
  };
}

const decimalIn = (locale: string): string =>
  new Intl.NumberFormat(locale).formatToParts(LONG).find(({ type }) => type === 'decimal')?.value ?? '.';

/** A blank is a separator, too, so that it must not be trimmed. */
const groupOf = (text: string | undefined): string | null =>
  text === undefined ? null : /^\s$/.test(text) ? ' ' : simplified(text);

const resolved = (locale: string | undefined): string =>
  new Intl.NumberFormat(locale).resolvedOptions().locale;

/**
 * Returns how a locale writes numbers, the likeliest first: as the style has it (some locales separate money differently), as
 * other numbers, and both with Latin digits, which keyboards have everywhere.
 */
export function notationsOf(style: NumberStyle, locale: string | undefined): readonly Notation[] {
  const own = resolved(locale);
  const latin = new Intl.Locale(own, { numberingSystem: 'latn' }).toString();
  const styles: NumberStyle[] = style.style === 'decimal' ? [style] : [style, { style: 'decimal' }];
  return styles.flatMap((each) => [notationIn(own, each), notationIn(latin, each)]);
}

/** Returns what may stand beside the digits: the currency in each of its forms, or the percent sign. The longest is first. */
export function affixesOf(style: NumberStyle, locale: string | undefined): readonly string[] {
  if (style.style === 'decimal') return [];
  const signs = (['symbol', 'narrowSymbol', 'code'] as const).flatMap((currencyDisplay) =>
    new Intl.NumberFormat(locale, { ...style, currencyDisplay })
      .formatToParts(0)
      .filter(({ type }) => type === 'currency' || type === 'percentSign')
      .map(({ value }) => simplified(value)),
  );
  const known = new Set(style.style === 'percent' ? [...signs, '%'] : signs);
  known.delete('');
  return [...known].toSorted((one, other) => other.length - one.length);
}
