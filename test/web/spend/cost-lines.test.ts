import { describe, expect, it } from 'vitest';
import { finerOf, keyOf } from '../../../web/spend/costs/lines/cost-keys.ts';
import { linesOf, partsOf, type CostPart } from '../../../web/spend/costs/lines/cost-lines.ts';

describe('what a row of costs stands for', () => {
  it('is named as people named it, with its own id beside', () => {
    const row = { total: 1, account: '1111', account_name: 'Shop' };
    expect(keyOf(row, 'account')).toMatchObject({ name: 'Shop', detail: '1111', reason: null });
    expect(keyOf({ total: 1, source: 'ai_tools' }, 'source')).toMatchObject({ name: 'AI tools' });
    expect(keyOf({ total: 1, service: 'Amazon RDS' }, 'service')).toMatchObject({
      name: 'Amazon RDS',
      detail: null,
    });
  });

  it('says why it belongs to none', () => {
    const key = keyOf({ total: 1, tag_key: 'env', tag: null }, 'tag');
    expect(key).toMatchObject({ name: 'not assigned', detail: 'no tag env' });
    expect(key.reason).toMatch(/^Bill lines without the tag/);
  });

  it('has one id in all rows of the same part, and another for no part', () => {
    const id = (tag: string | null, tag_key: string) => keyOf({ total: 1, tag, tag_key }, 'tag').id;
    expect(id('prod', 'env')).toBe(id('prod', 'env'));
    expect(new Set([id('prod', 'env'), id('prod', 'stage'), id(null, 'env'), id('none', 'env')]).size).toBe(
      4,
    );
  });

  it('opens to the next finer parts', () => {
    expect(finerOf({ total: 1, source: 'kubernetes' }, 'source')).toBe('cluster');
    expect(finerOf({ total: 1, source: 'unheard of' }, 'source')).toBe('account');
    expect(finerOf({ total: 1, namespace: 'shop' }, 'namespace')).toBe('workload');
    expect(finerOf({ total: 1, namespace: null }, 'namespace')).toBe('source');
  });
});

describe('the lines of the table of costs', () => {
  const parts = partsOf(
    [
      { total: 10, service: 'Compute 2' },
      { total: 30, service: 'Storage' },
      { total: 20, service: 'Compute 10' },
    ],
    'service',
  );
  const ofStorage = partsOf(
    [
      { total: 12.1, account: 'Shop' },
      { total: 17.9, account: 'Search' },
    ],
    'account',
  );
  const closed = () => null;
  const storageOpen = ({ key }: CostPart) =>
    key.name === 'Storage' ? { group: 'account' as const, parts: ofStorage, error: null } : null;
  const namesOf = ({ lines }: ReturnType<typeof linesOf>) =>
    lines.map((line) => (line.kind === 'waiting' ? 'waiting' : `${line.kind} ${line.part.key.name}`));

  it('stand in the order that people chose, numbers in names by their value', () => {
    const inOrder = (order: 'total-down' | 'total-up' | 'name-up' | 'name-down') =>
      linesOf(parts, closed, { q: '', order }).lines.map((line) => line.kind === 'part' && line.part.total);
    expect(inOrder('total-down')).toEqual([30, 20, 10]);
    expect(inOrder('total-up')).toEqual([10, 20, 30]);
    expect(inOrder('name-up')).toEqual([10, 20, 30]);
    expect(inOrder('name-down')).toEqual([30, 20, 10]);
  });

  it('have the finer parts under an open part', () => {
    const all = linesOf(parts, storageOpen, { q: '', order: 'total-down' });
    expect(namesOf(all)).toEqual([
      ...['part Storage', 'finer Search', 'finer Shop', 'part Compute 10', 'part Compute 2'],
    ]);
    expect(all.found).toBe(60);
  });

  it('say that finer parts are on their way', () => {
    const asked = () => ({ group: 'account' as const, parts: null, error: null });
    const [first, second] = linesOf(parts, asked, { q: 'storage', order: 'total-down' }).lines;
    expect(first).toMatchObject({ kind: 'part', isOpen: true });
    expect(second).toMatchObject({ kind: 'waiting', error: null });
  });

  it('that a search finds are summed', () => {
    const found = linesOf(parts, closed, { q: ' compute ', order: 'name-up' });
    expect(namesOf(found)).toEqual(['part Compute 2', 'part Compute 10']);
    expect(found.found).toBe(30);
  });

  it('keep an open part for a finer one that a search finds, and count only that', () => {
    const found = linesOf(parts, storageOpen, { q: 'shop', order: 'total-down' });
    expect(namesOf(found)).toEqual(['part Storage', 'finer Shop']);
    expect(found.found).toBe(12.1);
  });
});
