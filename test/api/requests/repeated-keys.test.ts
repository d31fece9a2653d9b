import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { refuseRepeatedKeys } from '../../../api/requests/repeated-keys.ts';

describe('a JSON body', () => {
  it.each([
    '{}',
    '[]',
    '"a"',
    '{"a":1,"b":{"a":1},"c":[{"a":1},{"a":1}]}',
    '{"a":"a","b":"a","c":["a","a"]}',
    '{"a\\"":1,"a":":"}',
    '{"a\\\\":{"a":1},"a":2}',
    '{ "a" : 1 ,\n"A" : 1 }',
  ])('%s has each key once', (body) => {
    expect(() => {
      refuseRepeatedKeys(body);
    }).not.toThrow();
  });

  it.each([
    ['{"a":1,"a":1}', 'a'],
    ['{"name":"x","permission":"read","name":"y"}', 'name'],
    ['{"a":{"a":1},"a":2}', 'a'],
    [
      '{"values":[{"period":"2026-01-05","value":1},{"value":2,"period":"2026-01-06","value":3}]}',
      'values[1].value',
    ],
    ['[[],[{"b":{"c":[],"c":0}}]]', '[1][0].b.c'],
    ['{"a" :1,\t"\\u0061"\n:2}', 'a'],
    ['{"":1,"b":2,"":3}', 'body'],
  ])('%s is rejected', (body, path) => {
    expect(() => {
      refuseRepeatedKeys(body);
    }).toThrow(`${path}: expected this field once, got it twice`);
  });

  it('that was written by a program is never rejected', () => {
    fc.assert(
      fc.property(fc.json({ stringUnit: 'binary' }), (body) => {
        refuseRepeatedKeys(body);
      }),
    );
  });
});
