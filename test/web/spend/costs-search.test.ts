import { expect, it } from 'vitest';
import { costsSearch } from '../../../web/spend/costs/costs-search.ts';

it('the address of the costs page falls back where it makes no sense', () => {
  expect(
    costsSearch.parse({ start: '2026-1-1', by: 'colour', step: 'week', order: 7, then: 'team' }),
  ).toEqual({
    start: undefined,
    end: undefined,
    by: 'source',
    then: 'team',
    step: 'day',
    view: 'chart',
    order: 'total-down',
    q: '',
    toggled: undefined,
  });
});
