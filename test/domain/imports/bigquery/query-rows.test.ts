import { describe, expect, it } from 'vitest';
import { importedValueOf, type QueryCells } from '../../../../domain/imports/bigquery/query-rows.ts';

const JANUARY = { start: '2026-01-01', end: '2026-01-31' };
const of = (cells: QueryCells, number = 7) => importedValueOf(cells, number, JANUARY);
const valueOf = (value: unknown): string => of({ day: '2026-01-05', value }).value;

describe('the value in a row of a query’s result', () => {
  it('has its day, its label and its exact number', () => {
    expect(of({ day: '2026-01-05', value: '12' })).toEqual({ day: '2026-01-05', value: '12' });
    expect(of({ day: '2026-01-31', label: 'eu', value: '0.1' })).toEqual({
      day: '2026-01-31',
      label: 'eu',
      value: '0.1',
    });
  });

  it.each([
    ['INT64', '9223372036854775807', '9223372036854775807'],
    ['INT64', '-3', '-3'],
    ['NUMERIC', '99999999999999999999999999999.999999999', '99999999999999999999999999999.999999999'],
    ['BIGNUMERIC', '0.10000000000000000000000000000000000001', '0.10000000000000000000000000000000000001'],
    ['FLOAT64', '12.5', '12.5'],
    ['FLOAT64', '1.0', '1.0'],
    ['FLOAT64', '0.30000000000000004', '0.30000000000000004'],
    ['FLOAT64', '1.5E10', '15000000000'],
    ['FLOAT64', '1.7976931348623157E+20', '179769313486231570000'],
    ['FLOAT64', '2.5e-7', '0.00000025'],
    ['FLOAT64', '-1E-3', '-0.001'],
    ['FLOAT64', '-0.0', '0'],
    ['an emulator’s number', 12.5, '12.5'],
  ])('keeps all digits of %s %s', (_type, written, value) => {
    expect(valueOf(written)).toBe(value);
  });

  it.each([
    [null, 'null'],
    [undefined, 'null'],
    ['NaN', '"NaN"'],
    ['Infinity', '"Infinity"'],
    ['-Infinity', '"-Infinity"'],
    ['', '""'],
    ['1,5', '"1,5"'],
    ['0x10', '"0x10"'],
    [' 5', '" 5"'],
    ['1e9999', '"1e9999"'],
    [{ f: [] }, 'an object'],
  ])('must be a number: %s', (value, shown) => {
    expect(() => of({ day: '2026-01-05', value })).toThrow(
      `query: 2026-01-05: value: expected a number, got ${shown}: return a number, or leave the row out`,
    );
    expect(() => of({ day: '2026-01-05', label: 'eu', value })).toThrow(
      `query: 2026-01-05, label "eu": value: expected a number, got ${shown}`,
    );
  });

  it('must have a day, and names its row if it has none', () => {
    for (const day of [null, undefined, '2026-02-30', '0000-01-01', '2026-1-5', '2026-01-05T00:00:00', 5]) {
      expect(() => of({ day, value: '1' })).toThrow(
        /^query: row 7: day: expected a DATE of the years 1 to 9999, got /,
      );
    }
    expect(() => of({ day: null, value: '1' }, 1234)).toThrow(/row 1234: .* got null$/);
  });

  it('must be of a day that the run reads', () => {
    for (const day of ['2025-12-31', '2026-02-01']) {
      expect(() => of({ day, value: '1' })).toThrow(
        `query: row 7: day: expected a day from 2026-01-01 to 2026-01-31, got ${day}: filter by @start and @end, which are both inclusive`,
      );
    }
    expect(of({ day: '2026-01-01', value: '1' }).day).toBe('2026-01-01');
  });

  it('has one label for both encodings of a letter, and for blanks around it', () => {
    const labelOf = (label: string) => of({ day: '2026-01-05', label, value: '1' }).label;
    expect(['Re\u0301union', ' R\u00e9union\u00a0', 'Reunion'].map(labelOf)).toEqual([
      'R\u00e9union',
      'R\u00e9union',
      'Reunion',
    ]);
  });

  it('must have a label that is a text, on a metric with labels', () => {
    expect(() => of({ day: '2026-01-05', label: null, value: '1' })).toThrow(
      'query: 2026-01-05: label: expected a text, got null',
    );
    // The rule of all values rejects an empty label, with the metric's label key in its message.
    expect(of({ day: '2026-01-05', label: '', value: '1' }).label).toBe('');
  });
});
