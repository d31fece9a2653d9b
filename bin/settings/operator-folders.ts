import { homedir, tmpdir } from 'node:os';
import { createRequire } from 'node:module';
import { dirname, resolve } from 'node:path';
import type { NamedFolder } from '../../domain/shared/text/hide-folders.ts';
import { ORGANISATION_PLACEHOLDER } from '../../egress/locations/source-rules.ts';
import { isDuckLake, localFolder } from '../../warehouse/engine/location.ts';
import type { Settings } from './settings.ts';

/** The folder of the package. */
const PRODUCT = dirname(createRequire(import.meta.url).resolve('#package.json'));

/**
 * Returns the folders that an organisation need not know, with the settings that name them. Those of its sources it knows, because
 * it writes them in their locations.
 */
export function operatorFolders({
  dataDir,
  warehouse,
  WAREHOUSE_DATA: lake,
  DUCKDB_EXTENSIONS: extensions,
  sourceRoots,
}: Pick<
  Settings,
  'dataDir' | 'warehouse' | 'WAREHOUSE_DATA' | 'DUCKDB_EXTENSIONS' | 'sourceRoots'
>): NamedFolder[] {
  const folders: [string | null, string][] = [
    [PRODUCT, 'the product'],
    [homedir(), '~'],
    [tmpdir(), 'TMPDIR'],
    [dataDir, 'DATA_DIR'],
    isDuckLake(warehouse) ? [localFolder(lake), 'WAREHOUSE_DATA'] : [resolve(warehouse), 'WAREHOUSE'],
    [extensions, 'DUCKDB_EXTENSIONS'],
    ...sourceRoots.map((root): [string, string] => {
      const [shown = root] = root.split(`/${ORGANISATION_PLACEHOLDER}`);
      return [shown, shown];
    }),
  ];
  return folders.filter((one): one is [string, string] => one[0] !== null);
}
