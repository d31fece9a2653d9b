import type { Logger } from 'pino';
import { addDays } from '../../domain/shared/calendar.ts';
import type { Clock } from '../../domain/shared/clock.ts';
import type { Metrics } from '../../telemetry/metrics.ts';
import { warehouseSize } from '../../warehouse/engine/warehouse-size.ts';
import type { Warehouse } from '../../warehouse/engine/warehouse.ts';
import { newestDays } from '../../warehouse/sources/coverage.ts';

/** How long an answer of the warehouse serves further scrapes, so that scrapes stay cheap however many there are. */
const KEPT_MS = 60_000;

/** Adds the metrics that only the warehouse knows: how old the data of each source is, and how large the warehouse is. */
export const reportWarehouse = (
  metrics: Metrics,
  { warehouse, clock, log }: { warehouse: Warehouse; clock: Clock; log: Logger },
): void => {
  const kept = <Found>(what: string, read: () => Promise<Found>): (() => Promise<Found | null>) => {
    let last: { at: number; found: Promise<Found | null> } | null = null;
    return () => {
      if (last === null || performance.now() - last.at > KEPT_MS)
        last = {
          at: performance.now(),
          found: read().catch((error: unknown) => {
            log.warn({ err: error }, `metrics: ${what} cannot be read from the warehouse`);
            last = null;
            return null;
          }),
        };
      return last.found;
    };
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
};
