import type { Metrics } from '../../../telemetry/metrics.ts';
import type { Settings } from '../../settings/settings.ts';
import { VERSION } from '../../settings/version.ts';
import { freeBytes, writtenFolders } from '../disk-check.ts';

/** Adds the metrics of what a process runs and where it writes: its version, and the free space of its folders. */
export function reportProcess(metrics: Metrics, settings: Settings): void {
  const [data, warehouse] = writtenFolders(settings);
  const folders = { data, warehouse, backups: settings.BACKUP_TO ?? undefined };
  metrics.gauge(
    {
      name: 'cost_analytics_build_info',
      help: 'Always 1; its label has the version of the product',
      labelNames: ['version'],
    },
    () => Promise.resolve([[{ version: VERSION }, 1]]),
  );
  metrics.gauge(
    {
      name: 'cost_analytics_disk_free_bytes',
      help: 'Free space of the disk of a folder, by what the service keeps there; absent if its file system has no size',
      labelNames: ['folder'],
    },
    async () => {
      const found = await Promise.all(
        Object.entries(folders).map(async ([folder, path]) => {
          // A folder that is away has no sample. `/readyz` reports it.
          const free = path === undefined ? null : await freeBytes(path).catch(() => null);
          return free === null ? [] : [[{ folder }, free] as const];
        }),
      );
      return found.flat();
    },
  );
}
