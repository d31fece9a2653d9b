import { describe, expect, it } from 'vitest';
import { DecimalSigns } from '../../../domain/metrics/decimal-sign.ts';
import type { Separator } from '../../../domain/shared/text/csv-separator.ts';

/** Reads the numbers of a file, a line each. Returns what they become, and what is wrong. */
function readAll(separator: Separator, texts: readonly string[]): string[] {
  const signs = new DecimalSigns(separator);
  const read = texts.map((text, index) => {
    const number = signs.read(text, index + 1);
    return 'text' in number ? number.text : `wrong: ${number.problem}`;
  });
  const { doubt } = signs;
  return doubt === null ? read : [...read, `line ${doubt.line}: ${doubt.problem}`];
}

const DOUBT = (sign: string): string =>
  `expected a number with one meaning: "6${sign}200" can be 6.2 or 6200; write 6${sign}20 or 6200`;

describe('a decimal sign', () => {
  it.each<[Separator, string[], string[]]>([
    [',', ['1.5', '6.200', '1,5', '1'], ['1.5', '6.200', '1,5', '1']],
    [';', ['1,5', '-2,25', '3', '1,5E+03', '0,125'], ['1.5', '-2.25', '3', '1.5E+03', '0.125']],
    [';', ['1.5', '-2.25', '3', '.5'], ['1.5', '-2.25', '3', '.5']],
    // Another number proves what the sign means, before or after.
    [';', ['6,200', '1,5'], ['6.200', '1.5']],
    [';', ['1,5', '6,200'], ['1.5', '6.200']],
    [';', ['6.200', '0.125'], ['6.200', '0.125']],
    ['\t', ['6.200', '12.75'], ['6.200', '12.75']],
    // Only a file with semicolons has decimal commas.
    ['\t', ['1,5', '6,200'], ['1,5', '6,200']],
    [';', ['1.234,5', '1,234.5', 'x,y', '1,', ''], ['1.234,5', '1,234.5', 'x,y', '1,', '']],
  ])('between %j reads %j as %j', (separator, texts, read) => {
    expect(readAll(separator, texts)).toEqual(read);
  });

  it.each<[Separator, string[], string[]]>([
    [';', ['6,200'], ['6.200', `line 1: ${DOUBT(',')}`]],
    [';', ['5', '6.200', '7.300'], ['5', '6.200', '7.300', `line 2: ${DOUBT('.')}`]],
    ['\t', ['12.500'], ['12.500', `line 1: ${DOUBT('.')}`]],
    [';', ['6.200', '1,5'], ['6.200', 'wrong: expected one decimal sign in the file, "."', `line 1: ${DOUBT('.')}`]],
    [';', ['1,5', '6.200'], ['1.5', 'wrong: expected one decimal sign in the file, ","']],
    [';', ['1.5', '2,5'], ['1.5', 'wrong: expected one decimal sign in the file, "."']],
  ])('between %j in %j is in doubt', (separator, texts, read) => {
    expect(readAll(separator, texts)).toEqual(read);
  }); // prettier-ignore
});
