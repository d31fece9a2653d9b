import { describe, expect, it } from 'vitest';
import { headerColumns, isBlank, looksLikeHeader } from '../../../domain/metrics/csv-record.ts';

describe('a header', () => {
  it.each([
    [['period', 'value'], { period: 0, label: null, value: 1 }],
    [['VALUE', ' Period '], { period: 1, label: null, value: 0 }],
    [['Day', 'Value', '', ''], { period: 0, label: null, value: 1 }],
    [['date', 'value'], { period: 0, label: null, value: 1 }],
    [['\ufeffmonth', 'value'], { period: 0, label: null, value: 1 }],
  ])('of a metric without labels can be %j', (fields, columns) => {
    expect(headerColumns(fields, { label_key: null })).toEqual(columns);
  });

  it.each([
    [['period', 'label', 'value'], { period: 0, label: 1, value: 2 }],
    [['period', 'value', 'label'], { period: 0, label: 2, value: 1 }],
    [['Value', 'Région', 'Month', ''], { period: 2, label: 1, value: 0 }],
    [['value', 'Re\u0301gion', 'month'], { period: 2, label: 1, value: 0 }],
  ])('of a metric with the label key région can be %j', (fields, columns) => {
    expect(headerColumns(fields, { label_key: 'région' })).toEqual(columns);
  });

  it('of a metric whose label key is called value or day has the column label', () => {
    for (const label_key of ['Value', 'day']) {
      const columns = { period: 0, label: 1, value: 2 };
      expect(headerColumns(['period', 'label', 'value'], { label_key })).toEqual(columns);
      expect(headerColumns(['period', label_key, 'value'], { label_key })).toBeNull();
    }
  });

  it.each([
    [['period', 'value'], 'region'],
    [['period', 'region', 'value'], null],
    [['period', 'period', 'value'], 'region'],
    [['period', 'label', 'region', 'value'], 'region'],
    [['period', '', 'value'], null],
    [['period', 'value', 'note'], null],
    [['day', 'date', 'value'], null],
    [['period'], null],
    [['date', 'orders'], null],
    [['2026-01-05', '1'], null],
    [[''], null],
  ])('is not %j with the label key %j', (fields, label_key) => {
    expect(headerColumns(fields, { label_key })).toBeNull();
  });

  it.each([
    [['date', 'orders'], true],
    [['', ''], true],
    [['2026-01-05', '1'], false],
    [['2026-01-05', 'abc'], false],
    [['January', '1'], false],
    [['x', '-1.5e3'], false],
  ])('was meant by %j: %j', (fields, is) => {
    expect(looksLikeHeader(fields)).toBe(is);
  });
});

describe('a blank line', () => {
  it.each([
    [[''], true],
    [[' \t '], true],
    [['', ''], true],
    [['', ' ', ''], true],
    [['\r'], false],
    [['0'], false],
    [['', '0'], false],
  ])('%j: %j', (fields, is) => {
    expect(isBlank(fields)).toBe(is);
  });
});
