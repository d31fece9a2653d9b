import { describe, expect, it } from 'vitest';
import { reasonBesideDoubts } from '../../../web/months/doubts/reason-beside-doubts.ts';

const TAX = { sentence: 'cost source "Bill" has a row without an amount; it is line 7' };
const GAP = { sentence: 'cost source "Prod" has not delivered 2026-01-31' };
const TIME = 'its bills settle on 2026-02-06';
const VALUE = 'no value has been recorded for 2026-01';

describe('the reason of a month beside its doubts', () => {
  it('has no sentence that a doubt has, wherever it stands', () => {
    const doubts = [TAX, GAP];
    const reason = (...parts: string[]) => reasonBesideDoubts(parts.join('; '), doubts);
    expect(reason(TIME, TAX.sentence, GAP.sentence, VALUE)).toBe(`${TIME}; ${VALUE}`);
    expect(reason(TAX.sentence, VALUE)).toBe(VALUE);
    expect(reason(TIME, GAP.sentence)).toBe(TIME);
    expect(reason(GAP.sentence, TAX.sentence)).toBeNull();
  });

  it('stays as it is without doubts', () => {
    expect(reasonBesideDoubts(VALUE, [])).toBe(VALUE);
    expect(reasonBesideDoubts(null, [TAX])).toBeNull();
  });
});
