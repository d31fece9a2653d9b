import { bytesOf } from '../../domain/shared/byte-size.ts';
import {
  GCS_ENDPOINT,
  DEFAULT_REGION,
  type OperatorBuckets,
} from '../../domain/sources/exports/object-storage.ts';
import { takeScratch } from '../../warehouse/engine/readers/scratch.ts';
import { spillDirectory, type WarehouseSettings } from '../../warehouse/engine/warehouse.ts';
import type { Settings } from '../settings/settings.ts';

/** Returns the warehouse's part of the settings. `scratch` is a folder that only this process uses. */
export const warehouseSettings = (settings: Settings, scratch: string): WarehouseSettings => ({
  location: settings.warehouse,
  dataPath: settings.WAREHOUSE_DATA,
  extensions: settings.DUCKDB_EXTENSIONS,
  memoryLimit: settings.DUCKDB_MEMORY_LIMIT,
  threads: settings.DUCKDB_THREADS,
  spillDirectory: scratch,
  cacheBytes: bytesOf(settings.CACHE_MEMORY),
  objectStorage: operatorBuckets(settings).s3,
});

/** Returns the operator's own credentials for buckets. */
export const operatorBuckets = (settings: Settings): OperatorBuckets => ({
  s3: {
    keyId: settings.AWS_ACCESS_KEY_ID,
    secret: settings.AWS_SECRET_ACCESS_KEY,
    sessionToken: settings.AWS_SESSION_TOKEN,
    region: settings.AWS_REGION,
    endpoint: settings.AWS_ENDPOINT_URL_S3,
  },
  sts: settings.AWS_ENDPOINT_URL_STS,
  gs: {
    keyId: settings.GCS_ACCESS_ID,
    secret: settings.GCS_SECRET,
    sessionToken: null,
    region: DEFAULT_REGION,
    endpoint: settings.GCS_ENDPOINT_URL ?? GCS_ENDPOINT,
  },
  az: {
    sasToken: settings.AZURE_STORAGE_SAS_TOKEN,
    accountKey: settings.AZURE_STORAGE_KEY,
    endpoint: settings.AZURE_STORAGE_ENDPOINT,
  },
});

/** Runs a command's `work` with the settings to open the warehouse, and with a scratch folder that it removes afterwards. */
export async function withWarehouseSettings<Result>(
  settings: Settings,
  work: (warehouse: WarehouseSettings) => Promise<Result>,
): Promise<Result> {
  const scratch = await takeScratch(spillDirectory(settings.dataDir));
  try {
    return await work(warehouseSettings(settings, scratch.folder));
  } finally {
    await scratch.release();
  }
}
