import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parametersOf } from '../../../../domain/imports/bigquery/query-parameters.ts';
import { SEED } from '../../../support/effort.ts';

describe('the parameters of a query', () => {
  it.each<[string, string, string[]]>([
    ['plain', 'SELECT * FROM t WHERE day BETWEEN @start AND @end', ['start', 'end']],
    ['in capitals', 'SELECT @START, @End', ['start', 'end']],
    ['several times', 'SELECT @start, @start + 1, @end', ['start', 'end']],
    ['next to operators', 'SELECT a>@start,(@end)', ['start', 'end']],
    ['quoted, or after a blank', 'SELECT @`start`, @ end', ['start', 'end']],
    ['with other names', 'SELECT @start, @region_2, @_x', ['start', 'region_2', '_x']],
    ['none', 'SELECT 1', []],
  ])('are found: %s', (_how, query, names) => {
    expect(parametersOf(query)).toEqual(names);
  });

  it.each([
    ['a line comment', '-- @end\n'],
    ['a # comment', '# @end'],
    ['a block comment', '/* @end\n * @end */'],
    ['an unclosed comment', '/* @end'],
    ['single quotes', `'a@end'`],
    ['double quotes', '"@end"'],
    ['escaped quotes', String.raw`'it\'s @end' "\"@end"`],
    ['a raw text', String.raw`r'\@end' R"\"@end"`],
    ['three quotes over lines', `'''it's\n"@end"''' """a"b\n@end"""`],
    ['an unclosed text', `'''@end`],
    ['a quoted name', '`p.d.@end`'],
    ['a system variable', '@@end'],
    ['a hint', '@{end=1}'],
    ['a quote in a comment, and back', `-- it's\n 1 -- don't @end`],
  ])('are not looked for in %s', (_where, text) => {
    expect(parametersOf(`SELECT @start ${text}`)).toEqual(['start']);
  });

  it('are found after each kind of text and comment', () => {
    const query = `-- it's\n# "\n/* ' */ SELECT 'a''b', "c", '''d''', """e""", \`f'\`, @start`;
    expect(parametersOf(query)).toEqual(['start']);
  });

  /** Pieces that each begin and end outside of texts and comments, with the parameters in them. */
  const piece = fc.constantFrom<[string, string[]]>(
    ['@a', ['a']],
    ['@B', ['b']],
    ['@@a', []],
    [`'@c \\' " -- # /*'`, []],
    [`"@c \\" ' -- # /*"`, []],
    [`'''@c ' " \n --'''`, []],
    [`"""@c ' " \n --"""`, []],
    ['`@c \' "`', []],
    ['-- @c \' " ` /*\n', []],
    ['# @c \' " ` /*\n', []],
    ['/* @c \' " ` -- # \n */', []],
    ['x1', []],
    ['(', []],
    ["''", []],
  );

  it('are found in any order of texts, comments and names', () => {
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 30 }), (pieces) => {
        const query = pieces.map(([text]) => text).join(' ');
        expect(parametersOf(query)).toEqual([...new Set(pieces.flatMap(([, names]) => names))]);
      }),
      { seed: SEED, numRuns: 300 },
    );
  });

  it('are found in time that grows with the length only', () => {
    // A search that restarts at each character would take more than 10¹⁰ steps, which no timeout allows.
    for (const opening of ['/*', `'''a`, '"""a', '`', "'", '\\', '@']) {
      expect(parametersOf(opening.repeat(250_000)).length).toBeLessThan(2);
    }
  });
});
