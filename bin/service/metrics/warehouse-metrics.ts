import type { Logger } from 'pino';
import { addDays } from '../../../domain/shared/calendar.ts';
import { keptFor } from '../../../domain/shared/kept-for.ts';
import type { Clock } from '../../../domain/shared/clock.ts';
import type { BackupResult, Metrics } from '../../../telemetry/metrics.ts';
import { newestBackups } from '../../../warehouse/engine/backup/backup-log.ts';
import { countTexts } from '../../../security/sealed-counts.ts';
import type { Sealer } from '../../../security/sealing.ts';
import { sealedByKeys } from '../../../warehouse/engine/records/sealed-texts.ts';
import { warehouseSize } from '../../../warehouse/engine/warehouse-size.ts';
import type { Warehouse } from '../../../warehouse/engine/warehouse.ts';
import { newestDays } from '../../../warehouse/sources/coverage.ts';

/** How long an answer of the warehouse serves further scrapes, so that scrapes stay cheap however many there are. */
const KEPT_MS = 60_000;

/** Adds the metrics that only the warehouse knows: how old the data of each source and the newest backup are, and how large it is. */
export function reportWarehouse(
  metrics: Metrics,
  {
    warehouse,
    sealer,
    clock,
    log,
  }: { warehouse: Warehouse; sealer: Sealer; clock: Clock; log: Pick<Logger, 'warn'> },
): void {
  const kept = <Found>(what: string, read: () => Promise<Found>): (() => Promise<Found | null>) => {
    const found = keptFor(KEPT_MS, read);
    return () =>
      found().catch((error: unknown) => {
        log.warn({ err: error }, `metrics: ${what} cannot be read from the warehouse`);
        return null;
      });
  };

  const days = kept('the newest days of sources', () => newestDays(warehouse));
  metrics.gauge(
    {
      name: 'cost_analytics_source_newest_day_age_seconds',
      help: 'Time since the end (UTC) of the newest day that a cost source has delivered; absent before the first',
      labelNames: ['organisation', 'source', 'schedule'],
    },
    async () =>
      ((await days()) ?? []).map(({ org_id, source_id, schedule_paused, newest_day }) => [
        { organisation: org_id, source: source_id, schedule: schedule_paused ? 'paused' : 'daily' },
        (clock.now().getTime() - Date.parse(addDays(newest_day, 1))) / 1000,
      ]),
    metrics.ofTenants,
  );

  const sealed = kept('how many texts are sealed', () => sealedByKeys(warehouse));
  metrics.gauge(
    {
      name: 'cost_analytics_sealed_texts',
      help: 'Sealed values and secrets, by what opens them: opened by MASTER_KEY, previous (by MASTER_KEY_PREVIOUS), or unreadable',
      labelNames: ['state'],
    },
    async () => {
      const found = await sealed();
      return found === null
        ? []
        : Object.entries(countTexts(found, sealer)).map(([state, texts]) => [{ state }, texts] as const);
    },
  );

  const stored = kept('the newest backups', () => newestBackups(warehouse));
  /** Those of this process come last, because the warehouse may not have them yet. */
  const backups = async (): Promise<BackupResult[]> => [...((await stored()) ?? []), ...metrics.backups];
  metrics.gauge(
    {
      name: 'cost_analytics_backup_age_seconds',
      help: 'Time since the instant of which the newest complete backup is; absent before the first',
      labelNames: [],
    },
    async () => {
      const complete = (await backups()).filter(({ isComplete }) => isComplete);
      const newest = Math.max(...complete.map(({ takenAt }) => takenAt.getTime()));
      return complete.length === 0 ? [] : [[{}, (clock.now().getTime() - newest) / 1000]];
    },
  );
  metrics.gauge(
    {
      name: 'cost_analytics_backup_result',
      help: 'How the newest backup has ended: 1 is complete, 0 has failed; absent before the first',
      labelNames: [],
    },
    async () => {
      const [first, ...others] = await backups();
      if (first === undefined) return [];
      const newest = others.reduce((last, next) => (next.endedAt >= last.endedAt ? next : last), first);
      return [[{}, newest.isComplete ? 1 : 0]];
    },
  );

  const size = kept('its size', () => warehouseSize(warehouse));
  const engine = warehouse.isDuckLake ? 'ducklake' : 'duckdb';
  const sizes = {
    bytes: 'Size of the DuckDB file, or of the files of a DuckLake',
    files: 'Files of a DuckLake',
    snapshots: 'Snapshots of a DuckLake',
  } as const;
  for (const part of ['bytes', 'files', 'snapshots'] as const)
    metrics.gauge(
      { name: `cost_analytics_warehouse_${part}`, help: sizes[part], labelNames: ['engine'] },
      async () => {
        const value = (await size())?.[part] ?? null;
        return value === null ? [] : [[{ engine }, value]];
      },
    );
}
