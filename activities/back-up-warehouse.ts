import type { Logger } from 'pino';
import type { Clock } from '../domain/shared/clock.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import { noteBackup } from '../warehouse/engine/backup/backup-log.ts';
import { startBackup } from '../warehouse/engine/backup/run-backup.ts';
import type { Warehouse } from '../warehouse/engine/warehouse.ts';
import { withHeartbeats } from './shared/with-heartbeats.ts';

/** The nightly backup of a warehouse in a DuckDB file. */
export const createBackupActivities = (parts: {
  warehouse: Warehouse;
  clock: Clock;
  metrics: Metrics;
  log: Logger;
  version: string;
  /** The folder of the copies; null makes none. */
  to: string | null;
  keep: number;
}) => ({
  /** Makes a dated copy, and removes the oldest ones beyond `keep`. An attempt that is given up leaves no copy. */
  async backUp(): Promise<void> {
    const { to, keep, version, clock, log } = parts;
    if (to === null) return;
    await withHeartbeats([], async ({ signal }) => {
      const begun = clock.now();
      const started = await startBackup(parts, { to, keep, version, signal }).catch(
        async (error: unknown) => {
          log.error({ err: error, to }, 'the backup failed');
          await noteBackup(parts, { takenAt: begun, endedAt: clock.now(), isComplete: false });
          throw error;
        },
      );
      await started.ended;
    });
  },
});

/** The names and shapes of the backup activities, for workflows. */
export type BackupActivities = ReturnType<typeof createBackupActivities>;
