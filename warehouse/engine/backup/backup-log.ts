import type { Logger } from 'pino';
import type { BackupResult, Metrics } from '../../../telemetry/metrics.ts';
import type { Warehouse } from '../warehouse.ts';

/** Every table begins with the organisation. Backups are of all, so that they are the operator's. */
const OPERATOR = 'operator';

/**
 * Shows how a backup has ended in the metrics, and stores it, so that other nodes and the next start know it. A full disk may keep
 * it from being stored.
 */
export async function noteBackup(
  { warehouse, metrics, log }: { warehouse: Warehouse; metrics: Metrics; log: Pick<Logger, 'warn'> },
  result: BackupResult,
): Promise<void> {
  metrics.noteBackup(result);
  await recordBackup(warehouse, result).catch((error: unknown) => {
    log.warn({ err: error }, 'the result of the backup could not be stored');
  });
}

async function recordBackup(
  warehouse: Warehouse,
  { takenAt, endedAt, isComplete }: BackupResult,
): Promise<void> {
  await warehouse.run(
    `INSERT INTO backup_results BY NAME
      SELECT $org AS org_id, uuidv7() AS result_id, $taken::TIMESTAMP AS taken_at, $ended::TIMESTAMP AS ended_at,
        $complete AS is_complete`,
    { org: OPERATOR, taken: takenAt.toISOString(), ended: endedAt.toISOString(), complete: isComplete },
  );
}

/** Returns the newest complete backup and the newest backup, which can be the same; nothing before the first. */
export async function newestBackups(warehouse: Warehouse): Promise<BackupResult[]> {
  const rows = await warehouse.query<{ taken: string; ended: string; is_complete: boolean }>(
    `SELECT epoch_ms(taken_at) AS taken, epoch_ms(ended_at) AS ended, is_complete FROM backup_results WHERE org_id = $org
      QUALIFY row_number() OVER (PARTITION BY is_complete ORDER BY result_id DESC) = 1 ORDER BY result_id`,
    { org: OPERATOR },
  );
  return rows.map(({ taken, ended, is_complete: isComplete }) => ({
    takenAt: new Date(Number(taken)),
    endedAt: new Date(Number(ended)),
    isComplete,
  }));
}
