import { afterAll, beforeAll, expect, it } from 'vitest';
import { UpToDate } from '../../../warehouse/engine/up-to-date.ts';
import { Warehouse } from '../../../warehouse/engine/warehouse.ts';
import { describeOnBothEngines, type TestWarehouse } from '../../support/warehouse/engines.ts';

describeOnBothEngines('the cache of up-to-date organisations', (open) => {
  let test: TestWarehouse;
  beforeAll(async () => {
    test = await open();
  });
  afterAll(() => test.close());

  const settle = (warehouse: Warehouse, orgId: string) =>
    warehouse.run(
      `INSERT INTO settled_months BY NAME SELECT $org AS org_id, DATE '2026-01-01' AS month, now()::TIMESTAMP AS settled_at`,
      { org: orgId },
    );

  it('is valid until a log grows or the day changes', async () => {
    const upToDate = new UpToDate(['settled_months', 'loads']);
    const asked: string[] = [];
    const ask = (orgId: string, day = '2026-02-07', answer = true, warehouse = test.warehouse) =>
      upToDate.isKnown(warehouse, orgId, day, async () => {
        asked.push(orgId);
        return answer;
      });
    expect(await ask('org_1', '2026-02-07', false)).toBe(false); // not up to date, so the next call asks again
    expect(await ask('org_1')).toBe(true);
    expect(await ask('org_1')).toBe(true);
    expect(asked).toEqual(['org_1', 'org_1']);
    await settle(test.warehouse, 'org_2');
    expect(await ask('org_1')).toBe(true); // the log of another organisation does not matter
    expect(await ask('org_2')).toBe(true);
    await settle(test.warehouse, 'org_1');
    expect(await ask('org_1', '2026-02-07', false)).toBe(false);
    expect(await ask('org_1')).toBe(true);
    expect(await ask('org_1', '2026-02-08')).toBe(true);
    expect(asked).toEqual(['org_1', 'org_1', 'org_2', 'org_1', 'org_1', 'org_1']);
  });

  it('is stale after another process writes', async () => {
    if (!test.warehouse.isDuckLake) return; // only one process can open a file
    const upToDate = new UpToDate(['settled_months']);
    let asked = 0;
    const ask = () =>
      upToDate.isKnown(test.warehouse, 'org_3', '2026-02-07', async () => {
        asked += 1;
        return true;
      });
    await ask();
    await ask();
    const other = await Warehouse.open(test.settings);
    await settle(other, 'org_3');
    other.close();
    await ask();
    expect(asked).toBe(2);
  });
});
