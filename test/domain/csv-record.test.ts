import { describe, expect, it } from 'vitest';
import { csvFields, isHeader } from '../../domain/csv-record.ts';

describe('the fields of a CSV record', () => {
  it.each([
    ['a,b', ['a', 'b']],
    ['', ['']],
    [',', ['', '']],
    ['a,', ['a', '']],
    ['"a","b"', ['a', 'b']],
    ['"a,b",c', ['a,b', 'c']],
    ['"say ""hi""",c', ['say "hi"', 'c']],
    ['"",""""', ['', '"']],
    ['"two\nlines",1', ['two\nlines', '1']],
    [' a , b ', [' a ', ' b ']],
  ])('of %j are %j', (record, fields) => {
    expect(csvFields(record)).toEqual(fields);
  });

  it.each(['"a', 'a"b,c', '"a"b,c', ' "a",b', 'a,"', '"""', 'a,b"'])(
    'of %j are none: broken quotes',
    (record) => {
      expect(csvFields(record)).toBeNull();
    },
  );
});

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
