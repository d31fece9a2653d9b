import { describe, expect, it } from 'vitest';
import { escapeGlob, Glob, fixedPart } from '../../../../domain/sources/exports/glob.ts';

const matching = (pattern: string, ...paths: string[]): string[] =>
  paths.filter((path) => new Glob(pattern).matches(path));

describe('a glob', () => {
  it.each([
    ['*.csv', ['a.csv', '.csv', '.hidden.csv'], ['a.csv.gz', 'b/a.csv']],
    ['a?.csv', ['ab.csv', 'aé.csv', 'a😀.csv'], ['a.csv', 'abc.csv', 'a/.csv']],
    ['2026-0[1-3]', ['2026-01', '2026-03'], ['2026-04', '2026-0-']],
    ['[!a-c]x', ['dx', '!x'], ['ax', 'x']],
    ['[]]x', [']x'], ['x']],
    ['[a]]', ['a]'], ['a', ']']],
    ['a[*]b', ['a*b'], ['axb']],
    ['a\\*b', ['a*b'], ['axb', 'a\\*b']],
    ['[a', [], ['a', '[a']],
    ['[a-]', [], ['a', '-']],
    ['**', ['a', 'a/b', 'a/b/c'], []],
    ['a/**/b', ['a/b', 'a/x/b', 'a/x/y/b'], ['a', 'b', 'a/b/c']],
    ['a/**', ['a/b', 'a/b/c'], ['a', 'b']],
    ['**/a/**/b', ['a/b', 'x/a/a/y/b'], ['x/b', 'a']],
    ['a**b', ['ab', 'axb'], ['a/b']],
    ['*/b', ['a/b', 'a//b'], ['b', '/b', 'a/c/b']],
    ['/a//*', ['/a/b', 'a/b'], ['/a']],
  ])('matches its paths and no others: %s', (pattern, paths, others) => {
    expect(matching(pattern, ...paths, ...others)).toEqual(paths);
  });

  it('is matched at once, even if every star could stand for many texts', () => {
    const name = 'a'.repeat(250);
    expect(matching(`${'*a'.repeat(100)}*b`, name, `${name}b`)).toEqual([`${name}b`]);
    const path = 'a/'.repeat(500);
    expect(matching(`${'**/a/'.repeat(100)}b`, `${path}c`, `${path}b`)).toEqual([`${path}b`]);
  });

  it('matches only the path that it was escaped from', () => {
    const path = '/a[1]/*?\\[!x]/b.csv';
    expect(matching(escapeGlob(path), path, '/a1/x')).toEqual([path]);
  });

  it.each([
    ['s3://b/a/x.csv', 's3://b/a/x.csv'],
    ['s3://b/a/*a*a*b.csv', 's3://b/a/'],
    ['s3://b/a/x[12]*/*a*b.csv', 's3://b/a/x'],
    ['s3://b/a?/x.csv', 's3://b/a'],
    ['s3://b/a\\*', 's3://b/a'],
  ])('has a part that all matches begin with: %s has %s', (pattern, fixed) => {
    expect(fixedPart(pattern)).toBe(fixed);
  });
});
