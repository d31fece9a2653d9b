import { expect, it } from 'vitest';
import { periodToDay } from '../../../domain/metrics/metric.ts';
import { Sealer } from '../../../security/sealing.ts';
import { writeValues } from '../../../warehouse/metrics/write-values.ts';
import type { Metric } from '../../../warehouse/metrics/metrics.ts';
import { RevenueVault } from '../../../warehouse/metrics/revenue-vault.ts';
import { as } from '../../support/service/api-client.ts';
import { expectError, expectPage } from '../../support/service/envelope.ts';
import { startLocalApi } from '../../support/service/local-api.ts';
import { describeOnBothEngines } from '../../support/warehouse/engines.ts';
import { newMetric } from '../../support/warehouse/tenant.ts';
import { withOpened } from '../../support/with-opened.ts';

/** Who changed which value since a lock: the history of some periods, from an instant on. */
describeOnBothEngines('the history of values', (open) => {
  const api = withOpened(() => startLocalApi({ open }));

  /** Values of three days, each with a value of 1 to begin with. Then two of them change on different days of February. */
  const WRITES: [at: string, values: Record<string, number>][] = [
    ['2026-02-01T08:00:00Z', { '2025-12-31': 1, '2026-01-01': 1, '2026-01-31': 1 }],
    ['2026-02-03T08:00:00Z', { '2025-12-31': 2, '2026-01-31': 3 }],
    ['2026-02-05T08:00:00Z', { '2026-01-31': 4 }],
  ];

  const newStory = async (kind: Metric['kind'], frequency: Metric['frequency'] = 'daily') => {
    const { orgId, secret } = await api.newTenant();
    const currency = kind === 'revenue' ? 'USD' : null;
    const { id } = await newMetric(api.warehouse, orgId, { kind, currency, frequency });
    const vault = new RevenueVault(new Sealer(Buffer.alloc(32)), orgId);
    const write = async (at: string, values: [period: string, value: number][]): Promise<void> => {
      const by = { type: 'key', id: 'key_1', name: 'Finance' } as const;
      const change = { source: 'api', by, now: new Date(at) } as const;
      const items = values.map(([period, value]) => ({ period: periodToDay(period), label: '', value }));
      const of = { orgId, metricId: id, vault: kind === 'revenue' ? vault : undefined };
      await writeValues(api.warehouse, of, items, change);
    };
    const caller = as(api, secret);
    return {
      orgId,
      write,
      history: (query: string, on = caller) =>
        on.get<{ period: string; previous: number | null; value: number }[]>(
          `/metrics/${id}/history?${query}`,
        ),
      /** Returns the changes that a query finds, in pages of one: `day: before -> after`. */
      found: async (query: string): Promise<string[]> => {
        const changes: string[] = [];
        let cursor = '';
        do {
          const path = `/metrics/${id}/history?limit=1&${query}${cursor}`;
          const { items, next } = expectPage(
            await caller.get<{ period: string; previous: number | null; value: number }[]>(path),
          );
          changes.push(
            ...items.map(({ period, previous, value }) => `${period}: ${previous ?? 'none'} -> ${value}`),
          );
          cursor = next === null ? '' : `&cursor=${next}`;
        } while (cursor !== '');
        return changes;
      },
    };
  };

  it.each(['count', 'revenue'] as const)(
    'is limited by periods and an instant, in pages (%s)',
    async (kind) => {
      const { write, found } = await newStory(kind);
      for (const [at, values] of WRITES) await write(at, Object.entries(values));
      const january = ['2026-01-31: 3 -> 4', '2026-01-31: 1 -> 3'];
      const begun = ['2026-01-31: none -> 1', '2026-01-01: none -> 1'];
      expect(await found('start=2026-01&end=2026-01')).toEqual([...january, ...begun]);
      expect(await found('start=2026-01-02')).toEqual([...january, '2026-01-31: none -> 1']);
      expect(await found('end=2025-12-31')).toEqual(['2025-12-31: 1 -> 2', '2025-12-31: none -> 1']);
      // The value before a change comes from before the instant.
      expect(await found('since=2026-02-03T08:00:00Z')).toEqual([...january, '2025-12-31: 1 -> 2']);
      expect(await found('since=2026-02-03T08:00:00.001Z')).toEqual(['2026-01-31: 3 -> 4']);
      expect(await found('start=2026-01&end=2026-01&since=2026-02-02T00:00:00Z')).toEqual(january);
      expect(await found('since=9999-12-31T23:59:59Z')).toEqual([]);
    },
  );

  it('is limited by months of a monthly metric', async () => {
    const { write, found } = await newStory('count', 'monthly');
    await write('2026-02-01T08:00:00Z', [
      ['2025-12', 1],
      ['2026-01', 2],
    ]);
    expect(await found('start=2026-01&end=2026-01')).toEqual(['2026-01: none -> 2']);
  });

  it('rejects what is no period or instant, and hides revenue from all but admins', async () => {
    const { orgId, history } = await newStory('revenue');
    expectError(await history('start=January'), 400, /^start: expected YYYY-MM-DD or YYYY-MM/);
    for (const since of ['2026-02-01', '2026-02-01T08:00:00', '2026-02-01T08:00:00%2B01:00'])
      expectError(
        await history(`since=${since}`),
        400,
        /^since: expected an instant such as "2026-01-31T00:00:00Z", got "2026-02-01/,
      );
    const reader = as(api, await api.newKey(orgId, { permission: 'read' }));
    expectError(await history('since=2026-02-01T08:00:00Z', reader), 403, /only admins see revenue/);
  });
});
