import { describe, expect, it } from 'vitest';
import type { ShownMetric } from '../../../web/metrics/metric-queries.ts';
import { ratioInWords, scopeInWords, valuesInWords } from '../../../web/metrics/metric-words.ts';
import { mayChangeValues } from '../../../web/metrics/values/may-change-values.ts';
import type { SignedIn } from '../../../web/http/session.ts';

describe('a metric in words', () => {
  it('names what it divides by what', () => {
    expect(ratioInWords({ kind: 'count', unit: 'order' })).toBe('Cost per order');
    expect(ratioInWords({ kind: 'revenue', unit: 'USD' })).toBe('Cost in percent of revenue');
  });

  it('names whose cost it counts', () => {
    const pick = { source: 'kubernetes', cluster: 'prod', namespace: 'shop' } as const;
    expect(scopeInWords({ type: 'organisation' })).toBe('all spend');
    expect(scopeInWords({ type: 'team', team_id: 't1' }, 'Shop')).toBe('the bill of Shop');
    expect(scopeInWords({ type: 'spend', spend: [pick] })).toBe('one chosen part of spend');
    expect(scopeInWords({ type: 'spend', spend: [pick, pick] })).toBe('2 chosen parts of spend');
  });

  it('says how values become the value of a month', () => {
    expect(valuesInWords({ frequency: 'monthly', aggregation: 'total' })).toBe('one value a month');
    expect(valuesInWords({ frequency: 'daily', aggregation: 'total' })).toBe('daily values, added up');
    expect(valuesInWords({ frequency: 'daily', aggregation: 'average' })).toBe('daily values, averaged');
  });
});

describe('what a key may do with the values of a metric', () => {
  const rights = (
    kind: 'count' | 'revenue',
    permission: string,
    options: { hasImport?: boolean; plan?: boolean } = {},
  ) => {
    const { hasImport = false, plan = true } = options;
    const session = {
      may: (access: string) => access === 'read' || permission === 'admin' || access === permission,
      has: () => plan,
    };
    const metric = { kind, import: hasImport ? { type: 'bigquery', status: 'connected' } : null };
    const { maySet, mayRemove, reason } = mayChangeValues(
      session as unknown as SignedIn,
      metric as ShownMetric,
    );
    return [maySet, mayRemove, reason];
  };

  it('depends on its permission', () => {
    expect(rights('count', 'admin')).toEqual([true, true, null]);
    expect(rights('count', 'write')).toEqual([true, false, null]);
    expect(rights('count', 'read')).toEqual([false, false, 'This key reads only.']);
  });

  it('is nothing if an import owns the values, or if the plan has no revenue', () => {
    expect(rights('count', 'admin', { hasImport: true })).toEqual([
      false,
      false,
      'A daily import owns these values.',
    ]);
    expect(rights('revenue', 'admin', { plan: false })).toEqual([
      false,
      false,
      'Changing revenue needs the Business plan.',
    ]);
    expect(rights('count', 'admin', { plan: false })).toEqual([true, true, null]);
  });
});
