import { takeScratch } from '../../warehouse/engine/readers/scratch.ts';
import { spillDirectory, type WarehouseSettings } from '../../warehouse/engine/warehouse.ts';
import type { Settings } from '../settings/settings.ts';

/** How to open the warehouse that the settings describe; `scratch` is a folder of this process alone. */
export const warehouseSettings = (settings: Settings, scratch: string): WarehouseSettings => ({
  location: settings.warehouse,
  dataPath: settings.WAREHOUSE_DATA,
  extensions: settings.DUCKDB_EXTENSIONS,
  memoryLimit: settings.DUCKDB_MEMORY_LIMIT,
  threads: settings.DUCKDB_THREADS,
  spillDirectory: scratch,
  objectStorage: {
    keyId: settings.AWS_ACCESS_KEY_ID,
    secret: settings.AWS_SECRET_ACCESS_KEY,
    sessionToken: settings.AWS_SESSION_TOKEN,
    region: settings.AWS_REGION,
    endpoint: settings.AWS_ENDPOINT_URL_S3,
  },
});

/** Lends `work` what it needs to open the warehouse, for as long as a command takes. */
export const withWarehouseSettings = async <Result>(
  settings: Settings,
  work: (warehouse: WarehouseSettings) => Promise<Result>,
): Promise<Result> => {
  const scratch = await takeScratch(spillDirectory(settings.dataDir));
  try {
    return await work(warehouseSettings(settings, scratch.folder));
  } finally {
    await scratch.release();
  }
};
