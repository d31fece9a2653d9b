import { beforeAll, describe, expect, it } from 'vitest';
import { idAfter } from '../../../warehouse/engine/sql/ids.ts';
import type { NewValue } from '../../../warehouse/metrics/value-changes.ts';
import { removeValues, writeValues, type ValueRange } from '../../../warehouse/metrics/write-values.ts';
import { METRICS, updateMetric } from '../../../warehouse/metrics/metrics.ts';
import { listValueChanges, listValues, type ValueChange } from '../../../warehouse/metrics/value-history.ts';
import { Warehouse } from '../../../warehouse/engine/warehouse.ts';
import { describeOnBothEngines } from '../../support/warehouse/engines.ts';
import { BY_ADMIN, newMetric, newOrganisation, NOW } from '../../support/warehouse/tenant.ts';
import { withOpened } from '../../support/with-opened.ts';

const ALL = { limit: 1000, cursor: null };
const ANY_DAY = { start: null, end: null, ...ALL };
const CHANGE = { source: 'api', by: { type: 'key', id: 'key_1', name: 'Shop' }, now: NOW } as const;

describeOnBothEngines('metrics and their values', (open) => {
  const test = withOpened(open);
  let warehouse: Warehouse;
  beforeAll(async () => {
    ({ warehouse } = test);
  });

  const newTenant = async (changes: Parameters<typeof newMetric>[2] = {}) => {
    const organisation = await newOrganisation(warehouse);
    const metric = await newMetric(warehouse, organisation.id, changes);
    return { orgId: organisation.id, metricId: metric.id };
  };
  type Tenant = Awaited<ReturnType<typeof newTenant>>;
  /** Writes `{ '2026-01-10': 5 }`. */
  const write = ({ orgId, metricId }: Tenant, values: Record<string, number>, on = warehouse) => {
    const items: NewValue[] = Object.entries(values).map(([period, value]) => ({ period, label: '', value }));
    return writeValues(on, { orgId, metricId }, items, CHANGE);
  };
  const stored = async ({ orgId, metricId }: Tenant): Promise<Record<string, string | null>> =>
    Object.fromEntries(
      (await listValues(warehouse, orgId, metricId, ANY_DAY)).map(({ period, value }) => [period, value]),
    );
  const history = ({ orgId, metricId }: Tenant): Promise<ValueChange[]> =>
    listValueChanges(warehouse, orgId, metricId, ALL);

  describe('a metric', () => {
    it('is read as it was stored, changes by versions, and is gone once deleted', async () => {
      const { id: orgId } = await newOrganisation(warehouse);
      const metric = await newMetric(warehouse, orgId, {
        name: `Orders 'shop'`,
        aggregation: 'average',
        frequency: 'monthly',
        target: '0.0000000001',
      });
      expect(metric.created_at).toBe(NOW.toISOString());
      expect(await METRICS.find(warehouse, orgId, metric.id)).toEqual(metric);
      await updateMetric(warehouse, orgId, metric.id, { unit: 'order' }, BY_ADMIN);
      await updateMetric(warehouse, orgId, metric.id, { target: null, name: 'Orders' }, BY_ADMIN);
      const changed = { ...metric, unit: 'order', target: null, name: 'Orders' };
      expect(await METRICS.find(warehouse, orgId, metric.id)).toEqual(changed);
      expect(await updateMetric(warehouse, orgId, metric.id, 'delete', BY_ADMIN)).toEqual(changed);
      expect(await METRICS.find(warehouse, orgId, metric.id)).toBeNull();
      expect(await updateMetric(warehouse, orgId, metric.id, { name: 'Back' }, BY_ADMIN)).toBeNull();
      expect(await METRICS.list(warehouse, orgId, ALL)).toEqual([]);
    });

    it('belongs to one organisation', async () => {
      const { metricId } = await newTenant();
      const { id: other } = await newOrganisation(warehouse);
      expect(await METRICS.find(warehouse, other, metricId)).toBeNull();
      expect(await updateMetric(warehouse, other, metricId, 'delete', BY_ADMIN)).toBeNull();
      expect(await METRICS.list(warehouse, other, ALL)).toEqual([]);
    });

    it('is listed page by page, oldest first', async () => {
      const { id: orgId } = await newOrganisation(warehouse);
      const ids: string[] = [];
      for (const name of ['a', 'b', 'c']) ids.push((await newMetric(warehouse, orgId, { name })).id);
      const first = await METRICS.list(warehouse, orgId, { limit: 2, cursor: null });
      const second = await METRICS.list(warehouse, orgId, { limit: 2, cursor: first[1]?.id ?? null });
      expect([...first, ...second].map(({ id }) => id)).toEqual(ids);
    });
  });

  describe('writing values', () => {
    it('creates and replaces values, and records nothing for equal values', async () => {
      const tenant = await newTenant();
      expect(await write(tenant, { '2026-01-30': 10, '2026-01-31': 20, '2026-02-01': 30 })).toEqual({
        created: 3,
        replaced: 0,
        unchanged: 0,
        months: ['2026-01', '2026-02'],
      });
      expect(await write(tenant, { '2026-01-31': 20, '2026-02-01': 31, '2025-12-31': 5 })).toEqual({
        created: 1,
        replaced: 1,
        unchanged: 1,
        months: ['2025-12', '2026-02'], // nothing of January changed
      });
      expect(await stored(tenant)).toEqual({
        '2025-12-31': '5.0000000000',
        '2026-01-30': '10.0000000000',
        '2026-01-31': '20.0000000000',
        '2026-02-01': '31.0000000000',
      });
      expect(await history(tenant)).toHaveLength(5); // three, then two
    });

    it('changes nothing the second time', async () => {
      const tenant = await newTenant();
      const values = { '2026-01-01': 0.1, '2026-01-02': 0, '2026-01-03': 1e15 };
      await write(tenant, values);
      const before = await history(tenant);
      expect(await write(tenant, values)).toEqual({ created: 0, replaced: 0, unchanged: 3, months: [] });
      expect(await history(tenant)).toEqual(before);
    });

    it('keeps ten decimals exactly', async () => {
      const tenant = await newTenant();
      await write(tenant, {
        '2026-01-01': 0.1,
        '2026-01-02': 1e-10,
        '2026-01-03': 1e15,
        '2026-01-04': 123456.7890123456,
        '2026-01-05': 0,
        '2026-01-06': 9007199254740991,
      });
      expect(await stored(tenant)).toEqual({
        '2026-01-01': '0.1000000000',
        '2026-01-02': '0.0000000001',
        '2026-01-03': '1000000000000000.0000000000',
        '2026-01-04': '123456.7890123456',
        '2026-01-05': '0.0000000000',
        '2026-01-06': '9007199254740991.0000000000',
      });
    });

    it('writes ten thousand values in one batch', async () => {
      const tenant = await newTenant();
      // From 2000-01-01 on; the last of 10,000 days is 2027-05-18.
      const values = Object.fromEntries(
        Array.from({ length: 10_000 }, (_, index) => [
          new Date(Date.UTC(2000, 0, 1 + index)).toISOString().slice(0, 10),
          index + 0.5,
        ]),
      );
      expect(await write(tenant, values)).toMatchObject({ created: 10_000 });
      const [row] = await warehouse.query<{ values: string; sum: string; last: string }>(
        `SELECT count(*) AS values, sum(value) AS sum, max(period) AS last
         FROM metric_values WHERE org_id = $org AND metric_id = $metric`,
        { org: tenant.orgId, metric: tenant.metricId },
      );
      // Σ (0…9999) + 10,000 × 0.5 = 49,995,000 + 5,000
      expect(row).toEqual({ values: '10000', sum: '50000000.0000000000', last: '2027-05-18' });
    });

    it.each([100, 101])('changes %d labelled values by the same rules', async (count) => {
      const tenant = await newTenant({ label_key: 'customer' });
      // Labels are any texts, also quotes and letters beyond ASCII.
      const labelled = (index: number, value: NewValue['value']): NewValue => ({
        period: `2026-01-${index % 2 === 0 ? '10' : '11'}`,
        value,
        label: index === 7 ? `"O'Neill" \u{1F600}` : `customer ${index}`,
      });
      const send = (values: NewValue[]) =>
        writeValues(warehouse, { orgId: tenant.orgId, metricId: tenant.metricId }, values, CHANGE);
      const first = Array.from({ length: count }, (_, index) => labelled(index, index + 0.5));
      const months = ['2026-01'];
      expect(await send(first)).toEqual({ created: count, replaced: 0, unchanged: 0, months });
      expect(await send(first)).toEqual({ created: 0, replaced: 0, unchanged: count, months: [] });
      // Two of them change: 7.5 becomes 0.0000000001, and 8.5 becomes 10¹⁵. The third is written in another way.
      const second = first
        .with(7, labelled(7, '0.0000000001'))
        .with(8, labelled(8, 1e15))
        .with(9, labelled(9, '9.50'));
      expect(await send(second)).toEqual({ created: 0, replaced: 2, unchanged: count - 2, months });
      const [row] = await warehouse.query<{ values: string; sum: string }>(
        `SELECT count(*) AS values, sum(value) AS sum FROM metric_values WHERE org_id = $org AND metric_id = $metric`,
        { org: tenant.orgId, metric: tenant.metricId },
      );
      // Σ (0…99) + 100 × 0.5 = 4,950 + 50, without 7.5 and 8.5: 4,984. The 101st adds 100.5.
      const sum = count === 100 ? '1000000000004984.0000000001' : '1000000000005084.5000000001';
      expect(row).toEqual({ values: String(count), sum });
      expect(await history(tenant)).toHaveLength(count + 2);
      // Values without labels arrive too late.
      const late = second.map((value, index) => ({ ...value, period: `${1900 + index}-01-01`, label: '' }));
      await expect(send(late)).rejects.toThrow('the label key of the metric was changed meanwhile');
      expect(await history(tenant)).toHaveLength(count + 2);
    });

    it('keeps labels of one period apart', async () => {
      const tenant = await newTenant({ label_key: 'region' });
      const labelled = (label: string, value: number): NewValue => ({ period: '2026-01-10', label, value });
      await writeValues(
        warehouse,
        { orgId: tenant.orgId, metricId: tenant.metricId },
        [labelled('eu', 1), labelled('us', 2)],
        CHANGE,
      );
      const result = await writeValues(
        warehouse,
        { orgId: tenant.orgId, metricId: tenant.metricId },
        [labelled('us', 3), labelled('EU', 4)],
        CHANGE,
      );
      expect(result).toEqual({ created: 1, replaced: 1, unchanged: 0, months: ['2026-01'] });
      const values = await listValues(warehouse, tenant.orgId, tenant.metricId, ANY_DAY);
      expect(values.map(({ label, value }) => [label, value])).toEqual([
        ['EU', '4.0000000000'],
        ['eu', '1.0000000000'],
        ['us', '3.0000000000'],
      ]);
    });

    it('stores nothing of a batch that fails', async () => {
      const tenant = await newTenant();
      // 1e30 does not fit into DECIMAL(38,10), so the batch fails halfway.
      await expect(write(tenant, { '2026-01-01': 1, '2026-01-02': 1e30 })).rejects.toThrow();
      expect(await stored(tenant)).toEqual({});
      expect(await write(tenant, { '2026-01-01': 1 })).toMatchObject({ created: 1 });
    });

    it('leaves other metrics and organisations alone, and reads nothing of them', async () => {
      const [mine, theirs] = [await newTenant(), await newTenant()];
      const second = await newMetric(warehouse, mine.orgId);
      await write(theirs, { '2026-01-10': 99 });
      await write({ orgId: mine.orgId, metricId: second.id }, { '2026-01-10': 98 });
      expect(await write(mine, { '2026-01-10': 1 })).toMatchObject({ created: 1, replaced: 0 });
      expect(await stored(mine)).toEqual({ '2026-01-10': '1.0000000000' });
      expect((await history(mine)).map(({ previous }) => previous)).toEqual([null]);
      // Their metric's id reads nothing in my organisation.
      expect(await stored({ orgId: mine.orgId, metricId: theirs.metricId })).toEqual({});
      expect(await history({ orgId: mine.orgId, metricId: theirs.metricId })).toEqual([]);
    });

    it('records both of two concurrent writes in the history', async () => {
      const tenant = await newTenant();
      await write(tenant, { '2026-01-10': 1 });
      const results = await Promise.all([
        write(tenant, { '2026-01-10': 2 }),
        write(tenant, { '2026-01-10': 3 }),
      ]);
      expect(results.map(({ replaced }) => replaced)).toEqual([1, 1]);
      const changes = await history(tenant);
      expect(changes.map(({ value }) => Number(value)).sort()).toEqual([1, 2, 3]);
      // Each change has the value just before it, so the chain has no gap.
      expect(changes.map(({ previous }) => previous)).toEqual([
        ...changes.slice(1).map(({ value }) => value),
        null,
      ]);
      expect(await stored(tenant)).toEqual({ '2026-01-10': changes[0]?.value });
    });

    it('replaces the newest value even if this clock is far behind', async () => {
      const tenant = await newTenant();
      await warehouse.run(
        `INSERT INTO metric_value_changes BY NAME
          SELECT $org AS org_id, $metric AS metric_id, 'f0000000-0000-7000-8000-000000000000'::UUID AS change_id,
            DATE '2026-01-10' AS period, '' AS label, 1::DECIMAL(38,10) AS value, 'api' AS source,
            'key' AS changed_by_type, 'key_fast' AS changed_by_id, 'Fast clock' AS changed_by_name,
            $now::TIMESTAMP AS changed_at`,
        { org: tenant.orgId, metric: tenant.metricId, now: NOW.toISOString() },
      );
      await write(tenant, { '2026-01-10': 2 });
      await write(tenant, { '2026-01-10': 3 });
      await write(tenant, { '2026-01-09': 7, '2026-01-10': 4 });
      expect(await stored(tenant)).toEqual({ '2026-01-09': '7.0000000000', '2026-01-10': '4.0000000000' });
      const changes = await history(tenant);
      expect(
        changes.filter(({ period }) => period === '2026-01-10').map(({ value }) => Number(value)),
      ).toEqual([4, 3, 2, 1]);
    });
  });

  describe('the label key', () => {
    const withRegion = { label_key: 'region' };
    const labelled: NewValue = { period: '2026-01-10', label: 'eu', value: 1 };

    it('changes only while the metric has no values', async () => {
      const tenant = await newTenant();
      const { orgId, metricId } = tenant;
      const change = (changes: { label_key: string | null }) =>
        updateMetric(warehouse, orgId, metricId, changes, BY_ADMIN);
      expect(await change(withRegion)).toMatchObject(withRegion);
      expect(await change({ label_key: 'country' })).toMatchObject({ label_key: 'country' });
      await writeValues(warehouse, { orgId, metricId }, [labelled], CHANGE);
      await expect(change(withRegion)).rejects.toThrow(/label_key.*has values \(1\).*"region"/);
      await expect(change({ label_key: null })).rejects.toThrow(/label_key.*null/);
      expect(await change({ label_key: 'country' })).toMatchObject({ label_key: 'country' });
      expect(await METRICS.find(warehouse, orgId, metricId)).toMatchObject({ label_key: 'country' });
      await removeValues(warehouse, { orgId, metricId }, { start: null, end: null, label: null }, CHANGE);
      expect(await change({ label_key: null })).toMatchObject({ label_key: null });
    });

    it('rejects values that do not fit it', async () => {
      const { orgId, metricId } = await newTenant();
      await expect(writeValues(warehouse, { orgId, metricId }, [labelled], CHANGE)).rejects.toThrow(
        /label key/,
      );
      await updateMetric(warehouse, orgId, metricId, withRegion, BY_ADMIN);
      await expect(
        writeValues(warehouse, { orgId, metricId }, [{ ...labelled, label: '' }], CHANGE),
      ).rejects.toThrow(/label key/);
      expect(await stored({ orgId, metricId })).toEqual({});
    });
  });

  describe('removing values', () => {
    const remove = ({ orgId, metricId }: Tenant, range: Partial<ValueRange>, on = warehouse) =>
      removeValues(
        on,
        { orgId, metricId },
        { start: null, end: null, label: null, ...range },
        { source: 'hand', by: { type: 'key', id: 'key_2', name: 'Finance' }, now: NOW },
      );

    it('removes a range with both ends, records each value, and does nothing the second time', async () => {
      const tenant = await newTenant();
      await write(tenant, { '2025-12-31': 1, '2026-01-01': 2, '2026-01-31': 3, '2026-02-01': 4 });
      const january = { start: '2026-01-01', end: '2026-01-31' };
      expect(await remove(tenant, january)).toEqual({ removed: 2, months: ['2026-01'] });
      expect(await stored(tenant)).toEqual({ '2025-12-31': '1.0000000000', '2026-02-01': '4.0000000000' });
      const after = await history(tenant);
      expect(after).toHaveLength(6);
      expect(after.slice(0, 2)).toMatchObject([
        { period: '2026-01-31', action: 'remove', value: null, previous: '3.0000000000', source: 'hand' },
        { period: '2026-01-01', action: 'remove', value: null, previous: '2.0000000000', source: 'hand' },
      ]);
      expect(after[0]?.changed_by).toEqual({ type: 'key', id: 'key_2', name: 'Finance' });
      expect(await remove(tenant, january)).toEqual({ removed: 0, months: [] });
      expect(await history(tenant)).toEqual(after);
      // A value that comes back is created, and has no previous value in the history.
      expect(await write(tenant, { '2026-01-31': 3 })).toMatchObject({
        created: 1,
        replaced: 0,
        unchanged: 0,
      });
      expect((await history(tenant))[0]).toMatchObject({ action: 'set', previous: null });
      expect(await remove(tenant, { start: '2026-01-31' })).toEqual({
        removed: 2,
        months: ['2026-01', '2026-02'],
      });
      expect(await remove(tenant, { end: '2026-12-31' })).toEqual({ removed: 1, months: ['2025-12'] });
      expect(await stored(tenant)).toEqual({});
    });

    it('removes one label or all of them', async () => {
      const tenant = await newTenant({ label_key: 'region' });
      const values = ['eu', 'us', "'; DROP"].map((label) => ({ period: '2026-01-10', label, value: 1 }));
      await writeValues(warehouse, { orgId: tenant.orgId, metricId: tenant.metricId }, values, CHANGE);
      const day = { start: '2026-01-10', end: '2026-01-10' };
      expect(await remove(tenant, { ...day, label: 'EU' })).toMatchObject({ removed: 0 });
      expect(await remove(tenant, { ...day, label: "'; DROP" })).toMatchObject({ removed: 1 });
      expect(await remove(tenant, day)).toMatchObject({ removed: 2 });
    });

    it('leaves other metrics and organisations alone', async () => {
      const [mine, theirs] = [await newTenant(), await newTenant()];
      await write(mine, { '2026-01-10': 1 });
      await write(theirs, { '2026-01-10': 1 });
      expect(await remove({ orgId: theirs.orgId, metricId: mine.metricId }, {})).toMatchObject({
        removed: 0,
      });
      expect(await remove(theirs, {})).toMatchObject({ removed: 1 });
      expect(await stored(mine)).toEqual({ '2026-01-10': '1.0000000000' });
    });
  });

  describe('reading values', () => {
    it('returns a range with both ends, page by page', async () => {
      const tenant = await newTenant();
      await write(tenant, { '2026-01-01': 1, '2026-01-02': 2, '2026-01-03': 3, '2026-01-04': 4 });
      const { orgId, metricId } = tenant;
      const range = { start: '2026-01-02', end: '2026-01-04', limit: 2 };
      const first = await listValues(warehouse, orgId, metricId, { ...range, cursor: null });
      const cursor = { period: '2026-01-03', label: '' };
      const second = await listValues(warehouse, orgId, metricId, { ...range, cursor });
      expect([first, second].map((page) => page.map(({ period }) => period))).toEqual([
        ['2026-01-02', '2026-01-03'],
        ['2026-01-04'],
      ]);
      expect(first[0]).toEqual({
        period: '2026-01-02',
        label: '',
        value: '2.0000000000',
        source: 'api',
        changed_by: { type: 'key', id: 'key_1', name: 'Shop' },
        changed_at: NOW.toISOString(),
      });
    });

    it('returns the history newest first, with previous values, across pages', async () => {
      const tenant = await newTenant();
      await write(tenant, { '2026-01-10': 1, '2026-01-11': 10 });
      await write(tenant, { '2026-01-10': 2 });
      await write(tenant, { '2026-01-10': 2 }); // no change, no row
      await write(tenant, { '2026-01-10': 1, '2026-01-11': 11 });
      const seen: [string, string | null, string | null][] = [];
      let cursor: { changeId: string; period: string; label: string } | null = null;
      for (let page = 0; page < 4; page += 1) {
        const changes: ValueChange[] = await listValueChanges(warehouse, tenant.orgId, tenant.metricId, {
          limit: 2,
          cursor,
        });
        seen.push(
          ...changes.map(({ period, value, previous }): [string, string | null, string | null] => [
            period,
            value,
            previous,
          ]),
        );
        cursor = changes.at(-1) ?? cursor;
      }
      expect(seen).toEqual([
        ['2026-01-11', '11.0000000000', '10.0000000000'],
        ['2026-01-10', '1.0000000000', '2.0000000000'],
        ['2026-01-10', '2.0000000000', '1.0000000000'],
        ['2026-01-11', '10.0000000000', null],
        ['2026-01-10', '1.0000000000', null],
      ]);
    });

    it('returns a removal in the history, and no value for its period', async () => {
      const tenant = await newTenant();
      await write(tenant, { '2026-01-10': 1 });
      await warehouse.run(
        `INSERT INTO metric_value_changes BY NAME
          SELECT * REPLACE ($id::UUID AS change_id, NULL AS value) FROM metric_value_changes
          WHERE org_id = $org AND metric_id = $metric`,
        { org: tenant.orgId, metric: tenant.metricId, id: idAfter(null) },
      );
      expect(await stored(tenant)).toEqual({});
      expect((await history(tenant))[0]).toMatchObject({
        action: 'remove',
        value: null,
        previous: '1.0000000000',
      });
      expect(await write(tenant, { '2026-01-10': 1 })).toMatchObject({ created: 1, replaced: 0 });
      expect(await stored(tenant)).toEqual({ '2026-01-10': '1.0000000000' });
    });
  });
});

describeOnBothEngines('values written by two nodes', (open) => {
  /** Only one process can open a DuckDB file, so two of its sessions stand in for the nodes. */
  const onTwoNodes = async (work: (one: Warehouse, other: Warehouse) => Promise<void>): Promise<void> => {
    const test = await open();
    const isLake = test.settings.location.startsWith('ducklake:');
    const second = isLake ? await Warehouse.open(test.settings) : test.warehouse;
    try {
      await work(test.warehouse, second);
    } finally {
      if (isLake) second.close();
      await test.close();
    }
  };

  it('are all stored, and both nodes agree on the current value', () =>
    onTwoNodes(async (one, other) => {
      const { id: orgId } = await newOrganisation(one);
      const { id: metricId } = await newMetric(one, orgId);
      const write = (on: Warehouse, value: number) =>
        writeValues(on, { orgId, metricId }, [{ period: '2026-01-10', label: '', value }], CHANGE);
      await Promise.all([write(one, 1), write(other, 2), write(one, 3), write(other, 4)]);
      const [mine, theirs] = await Promise.all(
        [one, other].map((on) => listValues(on, orgId, metricId, ANY_DAY)),
      );
      expect(mine).toHaveLength(1);
      expect(theirs).toEqual(mine);
      const changes = await listValueChanges(one, orgId, metricId, ALL);
      expect(changes.map(({ value }) => Number(value)).sort()).toEqual([1, 2, 3, 4]);
      expect(changes[0]?.value).toBe(mine?.[0]?.value);
    }));

  it('have labels if the other node has given the metric a label key', () =>
    onTwoNodes(async (one, other) => {
      const { id: orgId } = await newOrganisation(one);
      const { id: metricId } = await newMetric(one, orgId);
      const of = { orgId, metricId };
      const plain = { period: '2026-01-10', label: '', value: 5 };
      await writeValues(one, of, [plain], CHANGE);
      await removeValues(one, of, { start: null, end: null, label: null }, CHANGE);
      await updateMetric(other, orgId, metricId, { label_key: 'region' }, BY_ADMIN);
      await expect(writeValues(one, of, [plain], CHANGE)).rejects.toThrow(/label key/);
      await writeValues(one, of, [{ ...plain, label: 'EU' }], CHANGE);
      const stored = await listValues(other, orgId, metricId, ANY_DAY);
      expect(stored.map(({ label, value }) => [label, Number(value)])).toEqual([['EU', 5]]);
    }));
});
