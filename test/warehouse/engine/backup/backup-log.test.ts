import { expect, it, vi } from 'vitest';
import { Metrics } from '../../../../telemetry/metrics.ts';
import { newestBackups, noteBackup } from '../../../../warehouse/engine/backup/backup-log.ts';
import { Warehouse } from '../../../../warehouse/engine/warehouse.ts';
import { describeOnBothEngines } from '../../../support/warehouse/engines.ts';
import { withOpened } from '../../../support/with-opened.ts';

describeOnBothEngines('the results of backups', (open) => {
  const test = withOpened(open);

  it('are stored for the next start: the newest complete one, and the newest that has failed', async () => {
    const log = { warn: vi.fn() };
    const metrics = new Metrics();
    const at = (day: number, isComplete: boolean) => {
      const instant = new Date(Date.UTC(2026, 1, day, 3));
      return { takenAt: instant, endedAt: instant, isComplete };
    };
    const parts = { warehouse: test.warehouse, metrics, log };
    for (const result of [at(1, true), at(2, true), at(3, false), at(4, false)])
      await noteBackup(parts, result);
    expect(log.warn).not.toHaveBeenCalled();
    const newest = [at(2, true), at(4, false)];
    expect([await newestBackups(test.warehouse), metrics.backups]).toEqual([newest, newest]);
    test.warehouse.close();
    test.warehouse = await Warehouse.open(test.settings);
    expect(await newestBackups(test.warehouse)).toEqual(newest);
  });
});
