import { expect, it } from 'vitest';
import { CsvHeader } from '../../../../domain/sources/exports/csv-header.ts';

function headerOf(text: string | Uint8Array): CsvHeader {
  const header = new CsvHeader({ mostBytes: 40, mostColumns: 5 });
  header.add(typeof text === 'string' ? new TextEncoder().encode(text) : text);
  return header;
}

it.each([
  ['day,cost\n1,2\n', ['day', 'cost']],
  ['day,cost', ['day', 'cost']],
  ['\ufeffday,cost\r\n', ['day', 'cost']],
  ['\ufeff\ufeff"day",cost\n', ['day', 'cost']],
  ['"day","a ""b"", c",\n', ['day', 'a "b", c']],
  [' Day ,,cost\n', [' Day ', '', 'cost']],
  ['day\n', ['day']],
])('the header of %j has the names %j', (text, names) => {
  const header = headerOf(text);
  expect({ names: header.names, problem: header.problem, isAbsent: header.isAbsent }).toEqual({
    names,
    problem: null,
    isAbsent: false,
  });
});

it.each([
  ['\nday\n', /blank line/],
  [`${'x'.repeat(41)}\n`, /more than 40 bytes/],
  ['a,b,c,d,e,f\n', /more than 5 columns/],
  [Uint8Array.from([0xff, 0x61, 10]), /not UTF-8/],
  ['da\0y\n', /control characters/],
])('%j is no header', (text, problem) => {
  expect(headerOf(text).problem).toMatch(problem);
});

it.each(['', '\n\n', '\ufeff\n'])('%j has no header', (text) => {
  expect(headerOf(text).isAbsent).toBe(true);
});

it('with a name of a million quotes takes no longer than its length', () => {
  const header = new CsvHeader({ mostBytes: 2_000_000, mostColumns: 5 });
  header.add(new TextEncoder().encode(`x${'"'.repeat(1_000_000)}y,cost\n`));
  expect(header.problem).toBeNull();
  expect(header.names.map(({ length }) => length)).toEqual([500_002, 4]);
});
