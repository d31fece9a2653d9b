import { describe, expect, it } from 'vitest';
import { isBlank, isHeader } from '../../../domain/metrics/csv-record.ts';

describe('a header', () => {
  it.each([
    [['period', 'value'], true],
    [['', ''], true],
    [['Day', 'Region', 'Orders 2026'], true],
    [['2026-01-05', '1'], false],
    [['2026-01-05', 'abc'], false],
    [['January', '1'], false],
    [['x', '-1.5e3'], false],
  ])('%j: %j', (fields, is) => {
    expect(isHeader(fields)).toBe(is);
  });
});

describe('a blank line', () => {
  it.each([
    [[''], true],
    [[' \t '], true],
    [['\r'], false],
    [['0'], false],
    [['', ''], false],
  ])('%j: %j', (fields, is) => {
    expect(isBlank(fields)).toBe(is);
  });
});
