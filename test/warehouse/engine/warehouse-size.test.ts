import { stat } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { warehouseSize } from '../../../warehouse/engine/warehouse-size.ts';
import { describeOnBothEngines } from '../../support/warehouse/engines.ts';
import { newOrganisation } from '../../support/warehouse/tenant.ts';
import { withOpened } from '../../support/with-opened.ts';

describeOnBothEngines('the size of a warehouse', (open) => {
  const test = withOpened(open);

  it('is that of its file, or of the files and snapshots of a DuckLake', async () => {
    const { warehouse } = test;
    const before = await warehouseSize(warehouse);
    await newOrganisation(warehouse);
    // Rows enough for a file: a DuckLake keeps a few rows in its catalog.
    await warehouse.run(`INSERT INTO audit_log BY NAME
      SELECT 'org_size' AS org_id, uuidv7() AS id, repeat('x', 100) || range AS target FROM range(20000)`);
    const after = await warehouseSize(warehouse);
    expect(after.bytes).toBeGreaterThan(before.bytes);
    if (!warehouse.isDuckLake) {
      const file = await stat(test.settings.location);
      expect(after.bytes).toBeGreaterThanOrEqual(file.size);
      expect(after).toMatchObject({ files: null, snapshots: null });
      return;
    }
    expect(after.files).toBe((before.files ?? 0) + 1);
    expect(after.snapshots).toBeGreaterThan(before.snapshots ?? 0);
  });
});
