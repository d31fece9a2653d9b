import { describe, expect, it } from 'vitest';
import {
  fieldText,
  numberIn,
  problemIn,
  readNumber,
  type NumberRule,
} from '../../../web/shared/forms/number-entry.ts';

const COUNT: NumberRule = { style: { style: 'decimal' }, min: 0, max: 1e15, decimals: 10 };
const PERCENT: NumberRule = { style: { style: 'percent' }, min: 0, max: 100, decimals: 6 };
const moneyIn = (currency: string): NumberRule => ({
  style: { style: 'currency', currency },
  min: -1e15,
  max: 1e15,
  decimals: 10,
});
const DAYS: NumberRule = { style: { style: 'decimal' }, min: 0, max: 28, decimals: 0 };

/** What people type, and copy from other programs. */
const TYPED = [
  ...['6200', '6,200', '6.200', '6 200', "6'200", '6.300,50', '6,300.50', '6200.50', '12.0', '12,0'],
] as const;

type Read = readonly (number | null)[];

/** A group is a comma, and the decimals begin with a dot. */
const COMMA_DOT: Read = [6200, 6200, 6.2, null, null, null, 6300.5, 6200.5, 12, null];
const DOT_COMMA: Read = [6200, 6.2, 6200, null, null, 6300.5, null, null, null, 12];
const BLANK_COMMA: Read = [6200, 6.2, null, 6200, null, null, null, null, null, 12];
const APOSTROPHE_DOT: Read = [6200, null, 6.2, null, 6200, null, null, 6200.5, 12, null];

/** What each locale makes of these texts; null if it refuses them. */
const LOCALES: Record<string, Read> = {
  'en-US': COMMA_DOT,
  'en-GB': COMMA_DOT,
  'en-IN': COMMA_DOT,
  'hi-IN': COMMA_DOT,
  'ja-JP': COMMA_DOT,
  'zh-CN': COMMA_DOT,
  'ko-KR': COMMA_DOT,
  'he-IL': COMMA_DOT,
  'es-MX': COMMA_DOT,
  'bn-BD': COMMA_DOT,
  // With Latin digits. With their own digits they separate otherwise.
  'ar-EG': COMMA_DOT,
  'fa-IR': COMMA_DOT,
  'de-DE': DOT_COMMA,
  'es-ES': DOT_COMMA,
  'it-IT': DOT_COMMA,
  'nl-NL': DOT_COMMA,
  'pt-BR': DOT_COMMA,
  'tr-TR': DOT_COMMA,
  'hr-HR': DOT_COMMA,
  'de-AT': BLANK_COMMA,
  'fr-FR': BLANK_COMMA,
  'pt-PT': BLANK_COMMA,
  'pl-PL': BLANK_COMMA,
  'sv-SE': BLANK_COMMA,
  'nb-NO': BLANK_COMMA,
  'ru-RU': BLANK_COMMA,
  'cs-CZ': BLANK_COMMA,
  'de-CH': APOSTROPHE_DOT,
};

describe.each(Object.entries(LOCALES))('a number field in %s', (locale, expected) => {
  it('reads or refuses what people type, as the locale separates numbers', () => {
    const read = TYPED.map((text) => [text, numberIn(text, COUNT, locale)]);
    expect(read).toEqual(TYPED.map((text, index) => [text, expected[index] ?? null]));
  });

  it('says what it refuses, and never leaves it without a word', () => {
    for (const text of [...TYPED, 'ten', '1e5', '1_000', '6..2', '6,2,00', '-', '٣x', '--1', '5 apples']) {
      const entry = readNumber(text, COUNT, locale);
      if (entry.is === 'refused') expect(entry.problem).toContain(`got “${text}”`);
      else expect(entry).toMatchObject({ is: 'number', number: expect.any(Number) as number });
    }
  });

  it.each([0, 7, 0.5, 12, 999, 1000, 6200.5, 12_345.67, 1_234_567.891, 123_456_789, 0.0000000001])(
    'reads %d as the page shows it',
    (number) => {
      const asCount = new Intl.NumberFormat(locale, { maximumFractionDigits: 20 }).format(number);
      expect(numberIn(asCount, COUNT, locale)).toBe(number);
      expect(numberIn(fieldText(number, locale), COUNT, locale)).toBe(number);
      for (const currency of ['USD', 'CHF']) {
        const format = { style: 'currency', currency, maximumFractionDigits: 20 } as const;
        for (const signed of [number, 0 - number]) {
          const asMoney = new Intl.NumberFormat(locale, format).format(signed);
          expect([asMoney, numberIn(asMoney, moneyIn(currency), locale)]).toEqual([asMoney, signed]);
        }
      }
    },
  );

  it.each([0, 7, 12.5, 33.333333, 100])('reads %d percent as the page shows it', (percent) => {
    const shown = new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits: 6 });
    expect(numberIn(shown.format(Number(`${percent}e-2`)), PERCENT, locale)).toBe(percent);
    expect(numberIn(fieldText(percent, locale), PERCENT, locale)).toBe(percent);
  });

  it('reads its echo as the same number', () => {
    for (const [text, rule] of TYPED.flatMap((each) => [
      [each, COUNT] as const,
      [each, moneyIn('USD')] as const,
    ])) {
      const entry = readNumber(text, rule, locale);
      if (entry.is === 'number') expect(numberIn(entry.echo, rule, locale)).toBe(entry.number);
    }
  });
});

describe('a number field', () => {
  it.each([
    ['en-US', '6,200', '6,200'],
    ['de-DE', '6,200', '6,2'],
    ['de-DE', '6.200', '6.200'],
    ['en-US', '6.200', '6.2'],
    ['fr-FR', '6 200,5', '6\u202f200,5'],
    ['en-IN', '12,34,567', '12,34,567'],
    ['en-IN', '1,234,567', '12,34,567'],
    ['hi-IN', '1234567.8', '12,34,567.8'],
    ['ar-EG', '٦٬٢٠٠٫٥', '٦٬٢٠٠٫٥'],
    ['ar-EG', '6200.5', '٦٬٢٠٠٫٥'],
    ['fa-IR', '۶٬۲۰۰', '۶٬۲۰۰'],
    ['bn-BD', '৬,২০০.৫', '৬,২০০.৫'],
    ['ja-JP', '６，２００．５', '6,200.5'],
    ['es-ES', '6.200', '6200'],
    ['en-US', '.5', '0.5'],
    ['en-US', '12.', '12'],
    ['en-US', '  007 ', '7'],
  ])('in %s echoes %s as %s', (locale, text, echo) => {
    expect(readNumber(text, COUNT, locale)).toMatchObject({ is: 'number', echo });
  });

  it.each([
    ['en-US', 'USD', '$6,200.50', 6200.5],
    ['en-US', 'USD', '-$5.25', -5.25],
    ['en-US', 'USD', '$ -5.25', -5.25],
    ['en-US', 'USD', 'USD 7', 7],
    ['en-US', 'USD', '€7', null],
    ['en-US', 'USD', '(5.00)', null],
    ['en-US', 'USD', '$0.250', 0.25],
    ['de-DE', 'EUR', '6.300,50 €', 6300.5],
    ['de-AT', 'EUR', '€ 6.300,50', 6300.5],
    ['nl-NL', 'EUR', '€ -5,25', -5.25],
    ['fr-CH', 'CHF', '6 300.50 CHF', 6300.5],
    ['fr-CH', 'CHF', '6 300,50', 6300.5],
    ['pt-BR', 'BRL', 'R$ 1.234,5', 1234.5],
    ['ja-JP', 'JPY', '￥１，２００', 1200],
    ['sv-SE', 'SEK', '−1 200,5 kr', -1200.5],
  ])('in %s reads money in %s: %s', (locale, currency, text, number) => {
    expect(numberIn(text, moneyIn(currency), locale)).toBe(number);
  });

  it('of money echoes every digit with the currency', () => {
    expect(readNumber('1234.56789', moneyIn('USD'), 'en-US')).toMatchObject({ echo: '$1,234.56789' });
    expect(readNumber('6200,5', moneyIn('EUR'), 'de-DE')).toMatchObject({ echo: '6.200,50\u00a0€' });
  });

  it('of percents reads the sign of the locale', () => {
    expect(readNumber('12.345', PERCENT, 'en-US')).toMatchObject({ number: 12.345, echo: '12.345%' });
    expect(numberIn('12,5 %', PERCENT, 'de-DE')).toBe(12.5);
    expect(numberIn('%12,5', PERCENT, 'tr-TR')).toBe(12.5);
    expect(numberIn('٪', PERCENT, 'ar-EG')).toBeNull();
  });

  it('explains what it cannot read with a number as the locale writes it', () => {
    expect(problemIn('6,20', COUNT, { locale: 'en-US' })).toBe(
      'Expected a number such as 1,234.5, got “6,20”',
    );
    expect(problemIn('6200.50', COUNT, { locale: 'de-DE' })).toBe(
      'Expected a number such as 1.234,5, got “6200.50”',
    );
    expect(problemIn('ten', PERCENT, { locale: 'en-US' })).toBe('Expected a number such as 12.5%, got “ten”');
    expect(problemIn('5 days', DAYS, { locale: 'en-US' })).toBe(
      'Expected a number such as 1,234, got “5 days”',
    );
  });

  it('refuses numbers that its rule does not take', () => {
    expect(problemIn('-1', COUNT, { locale: 'en-US' })).toBe(
      'Expected a number from 0 to 1,000,000,000,000,000',
    );
    expect(problemIn('101', PERCENT, { locale: 'en-US' })).toBe('Expected a number from 0% to 100%');
    expect(problemIn('29', DAYS, { locale: 'en-US' })).toBe('Expected a number from 0 to 28');
    expect(problemIn('2.5', DAYS, { locale: 'en-US' })).toBe('Expected a whole number');
    expect(problemIn('2.0', DAYS, { locale: 'en-US' })).toBeNull();
    expect(problemIn('0.12345678901', COUNT, { locale: 'en-US' })).toBe('Expected at most 10 decimals');
    expect(problemIn('0.12345678900', COUNT, { locale: 'en-US' })).toBeNull();
  });

  it('refuses digits that would not be stored', () => {
    expect(problemIn('99999999999999.987', COUNT, { locale: 'en-US' })).toBe(
      'Expected fewer digits, because 99,999,999,999,999.98 would be stored',
    );
  });

  it('is empty without a text, which only some fields accept', () => {
    expect(readNumber(' \u00a0', COUNT, 'en-US')).toEqual({ is: 'empty' });
    expect(problemIn('', COUNT)).toBeNull();
    expect(problemIn('', COUNT, { isRequired: true })).toBe('Expected a number');
    expect(fieldText(null)).toBe('');
  });

  it('has no negative zero', () => {
    expect(numberIn('-0', COUNT, 'en-US')).toBe(0);
    expect(Object.is(numberIn('-0.00', COUNT, 'en-US'), 0)).toBe(true);
  });
});
