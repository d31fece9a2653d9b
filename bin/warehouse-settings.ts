import { spillDirectory, type WarehouseSettings } from '../warehouse/warehouse.ts';
import type { Settings } from './settings.ts';

/** How to open the warehouse that the settings describe. */
export const warehouseSettings = (settings: Settings): WarehouseSettings => ({
  location: settings.warehouse,
  dataPath: settings.WAREHOUSE_DATA,
  extensions: settings.DUCKDB_EXTENSIONS,
  memoryLimit: settings.DUCKDB_MEMORY_LIMIT,
  threads: settings.DUCKDB_THREADS,
  spillDirectory: spillDirectory(settings.dataDir),
  objectStorage: {
    keyId: settings.AWS_ACCESS_KEY_ID,
    secret: settings.AWS_SECRET_ACCESS_KEY,
    sessionToken: settings.AWS_SESSION_TOKEN,
    region: settings.AWS_REGION,
    endpoint: settings.AWS_ENDPOINT_URL_S3,
  },
});
