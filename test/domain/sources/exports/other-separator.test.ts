import { expect, it } from 'vitest';
import { otherSeparator } from '../../../../domain/sources/exports/other-separator.ts';

const MANDATORY = ['day', 'host', 'cost'];
const missing = (names: readonly string[]): number =>
  MANDATORY.filter((name) => !names.includes(name)).length;

it.each([
  [['day;host;service;cost'], 'semicolons'],
  [['"day";"host";"cost"'], 'semicolons'],
  [['day\thost\tcost'], 'tabs'],
  [['day | host | cost'], 'vertical bars'],
  // A name with a comma.
  [['day;host;"service', 'or part";cost'], 'semicolons'],
  [['day', 'host', 'cost'], null],
  [['day', 'host'], null],
  [['day', 'host', 'a;b'], null],
  [['Datum;Rechner;Kosten'], null],
  [[], null],
])('a header of %j is separated by %s', (names, separator) => {
  expect(otherSeparator(names, missing)).toBe(separator);
});
