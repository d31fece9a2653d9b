import { expect, it } from 'vitest';
import { problemOf } from '../../../web/http/problem-of-field.ts';
import { fieldOf } from '../../../web/sources/source-values.ts';

it('finds the field that a refusal names', () => {
  expect(problemOf('options.columns.cost: expected a column, got none')).toEqual({
    field: 'options.columns.cost',
    problem: 'expected a column, got none',
  });
  expect(problemOf('location: a local file must lie under /data: move it')).toEqual({
    field: 'location',
    problem: 'a local file must lie under /data: move it',
  });
  expect(problemOf('The service cannot be reached. Check the connection and try again.')).toBeNull();
});

it('knows where the form of a source has it', () => {
  expect(fieldOf('location')).toBe('location');
  expect(fieldOf('starts_on')).toBe('startsOn');
  expect(fieldOf('options.columns.cost')).toBe('options.columns/cost');
  expect(fieldOf('credentials.secret_access_key')).toBe('credentials.secret_access_key');
  expect(fieldOf('credentials')).toBeNull();
  expect(fieldOf('kind')).toBeNull();
});
