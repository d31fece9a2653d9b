import { afterEach, beforeAll, expect, it, vi } from 'vitest';
import { Session } from '../../../warehouse/engine/session.ts';
import type { Warehouse } from '../../../warehouse/engine/warehouse.ts';
import { valuesLock } from '../../../warehouse/metrics/value-changes.ts';
import { listValueChanges, listValues } from '../../../warehouse/metrics/value-history.ts';
import { writeValues } from '../../../warehouse/metrics/write-values.ts';
import { describeOnBothEngines } from '../../support/warehouse/engines.ts';
import { held } from '../../support/warehouse/held-lock.ts';
import { newMetric, newOrganisation, NOW } from '../../support/warehouse/tenant.ts';
import { withOpened } from '../../support/with-opened.ts';

const ALL = { limit: 1000, cursor: null };
const DAY = '2026-01-10';

interface Counted {
  orgId: string;
  metricId: string;
}

describeOnBothEngines('small changes of values', (open) => {
  const test = withOpened(open);
  let warehouse: Warehouse;
  beforeAll(() => {
    ({ warehouse } = test);
  });
  afterEach(() => {
    vi.restoreAllMocks();
  });

  const newMetrics = async (
    count: number,
    changes: Parameters<typeof newMetric>[2] = {},
  ): Promise<Counted[]> => {
    const { id: orgId } = await newOrganisation(warehouse);
    const metrics: Counted[] = [];
    for (let each = 1; each <= count; each += 1)
      metrics.push({ orgId, metricId: (await newMetric(warehouse, orgId, changes)).id });
    return metrics;
  };
  const write = (of: Counted, value: number, by = 'Shop') =>
    writeValues(warehouse, of, [{ period: DAY, label: '', value }], {
      source: 'api',
      by: { type: 'key', id: `key_${by}`, name: by },
      now: NOW,
    });
  const stored = async ({ orgId, metricId }: Counted): Promise<(string | null)[]> =>
    (await listValues(warehouse, orgId, metricId, { start: null, end: null, ...ALL })).map(({ value }) =>
      value === null ? null : Number(value).toString(),
    );

  it('of 64 writers commit together, each metric in the order of its requests', async () => {
    const metrics = [...(await newMetrics(4)), ...(await newMetrics(4))];
    const transactions = vi.spyOn(Session.prototype, 'transaction');
    const rounds = [1, 2, 3, 4, 5, 6, 7, 8];
    const results = await Promise.all(
      rounds.flatMap((round) => metrics.map((of, at) => write(of, 100 * round + at, `${round}`))),
    );
    // The first alone, and then the other 63.
    expect(transactions).toHaveBeenCalledTimes(2);
    const first = { created: 1, replaced: 0, unchanged: 0, months: ['2026-01'] };
    const later = { created: 0, replaced: 1, unchanged: 0, months: ['2026-01'] };
    expect(results).toEqual([...metrics.map(() => first), ...Array.from({ length: 56 }, () => later)]);
    for (const [at, of] of metrics.entries()) {
      expect(await stored(of)).toEqual([`${800 + at}`]);
      const history = await listValueChanges(warehouse, of.orgId, of.metricId, ALL);
      expect(history.map(({ value, changed_by }) => [Number(value), changed_by.name])).toEqual(
        rounds.toReversed().map((round) => [100 * round + at, `${round}`]),
      );
    }
  });

  it('that change nothing leave no trace beside others', async () => {
    const [one, other] = await newMetrics(2);
    if (one === undefined || other === undefined) throw new Error('expected two metrics');
    await write(one, 5);
    const [, same, changed, back] = await Promise.all([
      write(other, 1),
      write(one, 5),
      write(one, 6),
      write(one, 5),
    ]);
    expect(same).toMatchObject({ unchanged: 1, months: [] });
    expect([changed, back]).toMatchObject([{ replaced: 1 }, { replaced: 1 }]);
    const history = await listValueChanges(warehouse, one.orgId, one.metricId, ALL);
    expect(history.map(({ value }) => Number(value))).toEqual([5, 6, 5]);
  });

  it('fail alone', async () => {
    const [one, other] = await newMetrics(2);
    const [labelled] = await newMetrics(1, { label_key: 'region' });
    if (one === undefined || other === undefined || labelled === undefined)
      throw new Error('expected three metrics');
    const [, wrong, right] = await Promise.allSettled([write(one, 1), write(labelled, 2), write(other, 3)]);
    expect(wrong).toMatchObject({
      status: 'rejected',
      reason: {
        kind: 'conflict',
        message: 'the label key of the metric was changed meanwhile: send it again',
      },
    });
    expect(right).toMatchObject({ status: 'fulfilled' });
    expect([await stored(one), await stored(labelled), await stored(other)]).toEqual([['1'], [], ['3']]);
  });

  it('of a metric that another write holds do not hold up those of others', async () => {
    const [one, busy, other] = await newMetrics(3);
    if (one === undefined || busy === undefined || other === undefined)
      throw new Error('expected three metrics');
    const importing = held();
    const done = warehouse.withLock([valuesLock(busy.metricId)], importing.work);
    await importing.hasBegun;
    const [first, waiting, last] = [write(one, 1), write(busy, 2), write(busy, 3)];
    await Promise.all([first, write(other, 4)]);
    expect([await stored(busy), await stored(other)]).toEqual([[], ['4']]);
    importing.end();
    await Promise.all([done, waiting, last]);
    expect(await stored(busy)).toEqual(['3']);
  });
});
