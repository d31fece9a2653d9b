import { isAbsolute } from 'node:path';
import { z } from 'zod';
import { conflict, invalid } from '../../domain/shared/errors.ts';
import { backUp } from '../../warehouse/engine/backup/back-up.ts';
import { contentsAt } from '../../warehouse/engine/backup/lake-at.ts';
import { checkLakeFiles } from '../../warehouse/engine/backup/lake-files.ts';
import { backupContents, totalRows } from '../../warehouse/engine/backup/manifest.ts';
import { withoutSecrets } from '../../warehouse/engine/decisions/catalog-url.ts';
import { postgresCatalog } from '../../warehouse/engine/location.ts';
import type { Warehouse } from '../../warehouse/engine/warehouse.ts';
import type { Api } from '../http/api-type.ts';
import type { ApiDependencies } from '../http/dependencies.ts';
import { instant } from '../http/fields.ts';
import { answers, success } from '../http/route-schema.ts';

/** Where a DuckLake is, for an operator who copies it. */
export const lakePlace = z
  .object({
    catalog: z.string().describe('The connection string of its catalog in Postgres, without a password'),
    data_path: z.string().describe('Where its files are'),
    endpoint: z.string().nullable().describe('The address of its object storage; null for the default'),
    files: z.number().describe('How many files the catalog names; each is there with its size'),
  })
  .meta({ id: 'LakePlace' });

/** The newest backup of this process. */
export const backupRecord = z
  .object({
    status: z.enum(['running', 'completed', 'failed']),
    to: z.string(),
    taken_at: instant,
    bytes: z.number().nullable(),
    rows: z.number().nullable(),
    lake: lakePlace.nullable().describe('What to copy, if the warehouse is a DuckLake'),
    contents: backupContents.nullable().describe('What a snapshot of a DuckLake has'),
    error: z.string().nullable(),
  })
  .meta({ id: 'Backup' });

type BackupRecord = z.infer<typeof backupRecord>;

const target = z.strictObject({
  to: z
    .string()
    .refine(isAbsolute, { error: 'expected the absolute path of a folder' })
    .describe('An empty or new folder on the machine of the service. On a DuckLake nothing is written to it'),
  snapshot: z
    .int()
    .nonnegative()
    .optional()
    .describe('The snapshot in the dump of a DuckLake: answers what it has'),
});

/** `/operator/backups`: copies the data of the running service, or helps to copy a DuckLake (contract §4). One runs at a time. */
export const backupRoutes = (app: Api, { warehouse, clock, version }: ApiDependencies): void => {
  let newest: BackupRecord | null = null;
  let running = Promise.resolve();
  // A backup under way is completed before the warehouse closes.
  app.addHook('onClose', () => running);

  const work = async (
    to: string,
    snapshot: number | undefined,
    now: Date,
  ): Promise<Partial<BackupRecord>> => {
    if (!warehouse.isDuckLake) {
      const manifest = await backUp(warehouse, to, { version, now });
      return { bytes: manifest.bytes, rows: totalRows(manifest) };
    }
    if (snapshot === undefined) return examine(warehouse);
    const contents = { version, ...(await contentsAt(warehouse.settings, snapshot)) };
    return { taken_at: contents.taken_at, rows: totalRows(contents), contents };
  };

  app.post(
    '/backups',
    {
      schema: answers(backupRecord, {
        operationId: 'startBackup',
        tag: 'Operator',
        caller: 'operator',
        summary: 'Start a backup of the running service',
        body: target,
        errors: [409],
      }),
    },
    async (request) => {
      const { to, snapshot } = request.body;
      if (snapshot !== undefined && !warehouse.isDuckLake)
        throw invalid('snapshot: expected none, because the warehouse is not a DuckLake');
      if (newest?.status === 'running') throw conflict(`a backup to ${newest.to} is running`);
      const now = clock.now();
      const empty = { bytes: null, rows: null, lake: null, contents: null, error: null };
      const begun = { status: 'running', to, taken_at: now.toISOString(), ...empty } as const;
      newest = begun;
      running = work(to, snapshot, now).then(
        (done) => {
          newest = { ...begun, ...done, status: 'completed' };
        },
        (error: unknown) => {
          request.log.error({ err: error }, 'the backup failed');
          newest = {
            ...begun,
            status: 'failed',
            error: error instanceof Error ? error.message : String(error),
          };
        },
      );
      // Another node may answer the next request, and does not know of this backup.
      if (warehouse.isDuckLake) await running;
      return success(newest);
    },
  );

  app.get(
    '/backups',
    {
      schema: answers(backupRecord.nullable(), {
        operationId: 'getLastBackup',
        tag: 'Operator',
        caller: 'operator',
        summary: 'The newest backup since the service started',
      }),
    },
    () => success(newest),
  );
};

/** Looks whether a DuckLake has all its files, and returns where they and the catalog are. */
const examine = async (warehouse: Warehouse): Promise<Partial<BackupRecord>> => {
  const { settings } = warehouse;
  const catalog = postgresCatalog(settings.location);
  if (catalog === null || settings.dataPath === null)
    throw invalid('WAREHOUSE: only a DuckLake with its catalog in Postgres can be backed up');
  const { dataPath } = settings;
  const { files, bytes } = await warehouse.session((session) => checkLakeFiles(session, dataPath));
  const { endpoint } = settings.objectStorage;
  return { bytes, lake: { catalog: withoutSecrets(catalog), data_path: dataPath, endpoint, files } };
};
