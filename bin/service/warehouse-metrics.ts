import type { Logger } from 'pino';
import { addDays } from '../../domain/shared/calendar.ts';
import { keptFor } from '../../domain/shared/kept-for.ts';
import type { Clock } from '../../domain/shared/clock.ts';
import type { Metrics } from '../../telemetry/metrics.ts';
import { countTexts } from '../../security/sealed-counts.ts';
import type { Sealer } from '../../security/sealing.ts';
import { sealedByKeys } from '../../warehouse/engine/records/sealed-texts.ts';
import { warehouseSize } from '../../warehouse/engine/warehouse-size.ts';
import type { Warehouse } from '../../warehouse/engine/warehouse.ts';
import { newestDays } from '../../warehouse/sources/coverage.ts';

/** How long an answer of the warehouse serves further scrapes, so that scrapes stay cheap however many there are. */
const KEPT_MS = 60_000;

/** Adds the metrics that only the warehouse knows: how old the data of each source is, and how large the warehouse is. */
export const reportWarehouse = (
  metrics: Metrics,
  {
    warehouse,
    sealer,
    clock,
    log,
  }: { warehouse: Warehouse; sealer: Sealer; clock: Clock; log: Pick<Logger, 'warn'> },
): void => {
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
