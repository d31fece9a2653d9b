import { describe, expect, it } from 'vitest';
import { differenceTo } from './shown-output.ts';

const json = (text: string, printed: string): string | null =>
  differenceTo({ language: 'json', text }, printed);
const text = (shown: string, printed: string): string | null =>
  differenceTo({ language: 'text', text: shown }, printed);

describe('what a page shows', () => {
  it('matches JSON with the same fields in any order', () => {
    expect(json('{ "month": "2026-01", "cost": 900.5 }', '{"cost":900.5,"month":"2026-01"}')).toBeNull();
    expect(json('{ "month": "2026-01" }', '{"month":"2026-01","cost":1}')).toMatch('answer: unexpected cost');
    expect(json('{ "data": { "cost": 900.5 } }', '{"data":{"cost":900.25}}')).toMatch(
      'answer.data.cost: expected 900.5, got 900.25',
    );
    expect(json('{ "data": [1, 2] }', '{"data":[1,3]}')).toMatch('answer.data[1]: expected 2, got 3');
  });

  it('matches anything where it shows …', () => {
    expect(json('{ "id": "met_…", … }', '{"id":"met_01","name":"Orders"}')).toBeNull();
    expect(json('{ "id": "met_…", … }', '{"id":"src_01"}')).toMatch('answer.id');
    expect(json('{ "data": [{ "a": 1, … }, …] }', '{"data":[{"a":1,"b":2},{"a":2}]}')).toBeNull();
    expect(json('[…, 2, …]', '[1,2,3]')).toBeNull();
    expect(json('[…, 2]', '[1,2,3]')).toMatch('expected');
    expect(json('{ "at": …, "data": […] }', '{"at":5,"data":[1]}')).toBeNull();
    expect(json('{ "notes": ["a … b"] }', '{"notes":["a and b"]}')).toBeNull();
    expect(json('{ "note": "a\n  b" }', '{"note":"a b"}')).toBeNull();
  });

  it('has one JSON value for each printed line', () => {
    expect(json('{ "a": 1 }\n\n{ "a": 2 }', '{"a":1}\n{"a":2}\n')).toBeNull();
    expect(json('{ "a": 1 }', '{"a":1}\n{"a":2}')).toMatch('expected 1 lines of JSON, got 2');
  });

  it('matches text with the same lines', () => {
    expect(text('run_… started\nrun_… completed', 'run_1 started\nrun_1 completed\n')).toBeNull();
    expect(text('first\n…\nlast', 'first\nsecond\nthird\nlast\n')).toBeNull();
    expect(text('first\nlast', 'first\nsecond\nlast\n')).toMatch('got\nfirst\nsecond');
    expect(text('cost (USD)', 'cost USD')).not.toBeNull();
  });
});
