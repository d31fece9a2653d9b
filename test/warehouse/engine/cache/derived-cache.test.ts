import { describe, expect, it } from 'vitest';
import { DerivedCache, type Derived } from '../../../../warehouse/engine/cache/derived-cache.ts';
import { RevisionLog } from '../../../../warehouse/engine/cache/revisions.ts';

describe('what was derived from the warehouse', () => {
  const SUM: Derived<string> = { name: 'sum', from: ['loads'], bytesOf: (text) => text.length };
  const AVERAGE: Derived<string> = { ...SUM, name: 'average' };

  const begin = (bytes = 1_000_000) => {
    const revisions = new RevisionLog();
    const cache = new DerivedCache(bytes);
    let made = 0;
    return {
      change: (org: string, table = 'loads') => {
        revisions.mark([{ table, orgs: [org], metric: null }]);
      },
      /** Begins a commit that changes loads and so appends texts to a sum; null makes it unknown. Returns how it ends. */
      commit: (org: string, ...added: (string | null)[]) => {
        const amendments = added.map((text) => ({
          derived: SUM,
          orgId: org,
          key: 'january',
          parts: SUM.from,
          amended: (value: string) => (text === null ? null : value + text),
        }));
        const end = cache.prepare(revisions, amendments);
        return () => {
          end(() => {
            revisions.mark([{ table: 'loads', orgs: [org], metric: null }]);
          });
        };
      },
      /** Returns the value with the number of its derivation. */
      ask: (org: string, key = 'january', derived = SUM, text = '') =>
        cache.cached(revisions, derived, org, key, async () => {
          made += 1;
          const mine = made;
          await Promise.resolve();
          if (text === 'fails') throw new Error(`derivation ${mine} failed`);
          return `${mine}${text}`;
        }),
    };
  };

  it('is kept until what it is derived from changes', async () => {
    const { change, ask } = begin();
    expect(await ask('org_1')).toBe('1');
    change('org_1', 'settled_months');
    change('org_2');
    expect(await ask('org_1')).toBe('1');
    change('org_1');
    expect(await ask('org_1')).toBe('2');
    expect(await ask('org_1')).toBe('2');
  });

  it('belongs to one organisation, one key and one kind', async () => {
    const { ask } = begin();
    expect(await ask('org_1')).toBe('1');
    expect(await ask('org_2')).toBe('2');
    expect(await ask('org_1', 'february')).toBe('3');
    expect(await ask('org_1', 'january', AVERAGE)).toBe('4');
    expect(await ask('org_1')).toBe('1');
  });

  it('is derived once for all who ask at the same time, and again after a change meanwhile', async () => {
    const { change, ask } = begin();
    const first = [ask('org_1'), ask('org_1')];
    await Promise.resolve();
    change('org_1');
    const second = [ask('org_1'), ask('org_1')];
    expect(await Promise.all([...first, ...second])).toEqual(['1', '1', '2', '2']);
    expect(await ask('org_1')).toBe('2');
  });

  it('is amended by a commit, change by change', async () => {
    const { commit, ask } = begin();
    await ask('org_1');
    await ask('org_2');
    commit('org_1', '+2', '+3')();
    expect(await ask('org_1')).toBe('1+2+3');
    commit('org_1', '+4')();
    expect(await ask('org_1')).toBe('1+2+3+4');
    expect(await ask('org_2')).toBe('2');
    commit('org_1', '+5', null)();
    expect(await ask('org_1')).toBe('3');
  });

  it('is not amended if it was derived, or something else changed, while the commit was under way', async () => {
    const { change, commit, ask } = begin();
    // What is derived meanwhile can have seen the commit already.
    const first = commit('org_1', '+2');
    expect(await ask('org_1')).toBe('1');
    first();
    expect(await ask('org_1')).toBe('2');
    const asked = ask('org_1', 'february');
    const second = commit('org_1', '+2');
    await asked;
    second();
    expect(await ask('org_1', 'february')).toBe('4');
    expect(await ask('org_1')).toBe('2+2');
    const third = commit('org_1', '+2');
    change('org_1');
    third();
    expect(await ask('org_1')).toBe('5');
    // A change of which the cache knows nothing leaves nothing to amend.
    change('org_1');
    commit('org_1', '+2')();
    expect(await ask('org_1')).toBe('6');
  });

  it('is not kept if it could not be derived', async () => {
    const { ask } = begin();
    const failed = [ask('org_1', 'january', SUM, 'fails'), ask('org_1', 'january', SUM, 'fails')];
    for (const one of failed) await expect(one).rejects.toThrow('derivation 1 failed');
    expect(await ask('org_1')).toBe('2');
  });

  it('takes no more memory than allowed: what was asked for longest ago goes first', async () => {
    // Each takes 10,000 bytes and a little, so that nine have place.
    const { ask } = begin(100_000);
    const askFor = (month: number) => ask('org_1', `month ${month}`, SUM, 'x'.repeat(10_000));
    const numberOf = async (month: number) => Number.parseInt(await askFor(month), 10);
    for (let month = 1; month <= 9; month += 1) expect(await numberOf(month)).toBe(month);
    expect(await numberOf(1)).toBe(1);
    expect(await numberOf(10)).toBe(10);
    expect(await numberOf(1)).toBe(1);
    expect(await numberOf(2)).toBe(11); // forgotten for month 10
  });

  it('is not kept if it is large beside the rest, or if nothing may be kept', async () => {
    const large = begin(100_000);
    const text = 'x'.repeat(20_000);
    await large.ask('org_1', 'small');
    expect(await large.ask('org_1', 'large', SUM, text)).toBe(`2${text}`);
    expect(await large.ask('org_1', 'large', SUM, text)).toBe(`3${text}`);
    expect(await large.ask('org_1', 'small')).toBe('1');
    const none = begin(0);
    expect([await none.ask('org_1'), await none.ask('org_1')]).toEqual(['1', '2']);
  });
});
