import { isAbsolute } from 'node:path';
import type { FastifyBaseLogger } from 'fastify';
import { z } from 'zod';
import { invalid } from '../../domain/shared/errors.ts';
import { noteBackup } from '../../warehouse/engine/backup/backup-log.ts';
import { MOST_KEPT } from '../../warehouse/engine/backup/kept-copies.ts';
import { contentsAt } from '../../warehouse/engine/backup/lake-at.ts';
import { checkLakeFiles } from '../../warehouse/engine/backup/lake-files.ts';
import { backupContents, totalRows } from '../../warehouse/engine/backup/manifest.ts';
import { startBackup } from '../../warehouse/engine/backup/run-backup.ts';
import { withoutSecrets } from '../../warehouse/engine/decisions/catalog-url.ts';
import { postgresCatalog } from '../../warehouse/engine/location.ts';
import type { Warehouse } from '../../warehouse/engine/warehouse.ts';
import type { Api } from '../http/api-type.ts';
import type { ApiDependencies } from '../http/dependencies.ts';
import { instant } from '../http/fields.ts';
import { answers, success } from '../routes/route-schema.ts';

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
    .describe(
      'An empty or new folder on the machine of the service, or with `keep` one for copies. On a DuckLake nothing is written to it',
    ),
  keep: z
    .int()
    .min(1)
    .max(MOST_KEPT)
    .optional()
    .describe(
      'Makes a copy in `to` that is named by its time, and removes the oldest of such copies beyond so many',
    ),
  snapshot: z
    .int()
    .nonnegative()
    .optional()
    .describe('The snapshot in the dump of a DuckLake: answers what it has'),
});

/** `/operator/backups`: copies the data of the running service, or helps to copy a DuckLake. One runs at a time. */
export function backupRoutes(app: Api, { warehouse, clock, version, metrics }: ApiDependencies): void {
  let newest: BackupRecord | null = null;
  let running = Promise.resolve();
  const stopping = new AbortController();
  // A large backup would take longer than a service has to stop.
  app.addHook('onClose', () => {
    stopping.abort(new Error('the service was stopped, so that the backup is not complete'));
    return running;
  });

  /** Begins a backup, and remembers how it ends. */
  const begin = (
    begun: Pick<BackupRecord, 'to' | 'taken_at'>,
    work: Promise<Partial<BackupRecord>>,
  ): BackupRecord => {
    const empty = { bytes: null, rows: null, lake: null, contents: null, error: null };
    const record = { status: 'running', ...begun, ...empty } as const;
    newest = record;
    running = work.then(
      (done) => {
        newest = { ...record, ...done, status: 'completed' };
      },
      (error: unknown) => {
        newest = {
          ...record,
          status: 'failed',
          error: error instanceof Error ? error.message : String(error),
        };
      },
    );
    return record;
  };

  const ofLake = async (
    snapshot: number | undefined,
    log: FastifyBaseLogger,
  ): Promise<Partial<BackupRecord>> => {
    if (snapshot === undefined) return examine(warehouse);
    const contents = { version, ...(await contentsAt(warehouse.settings, snapshot)) };
    // The command has checked the copy before, and has only to write this into it.
    const result = { takenAt: new Date(contents.taken_at), endedAt: clock.now(), isComplete: true };
    await noteBackup({ warehouse, metrics, log }, result);
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
    async ({ body: { to, keep = null, snapshot }, log }) => {
      if (snapshot !== undefined && !warehouse.isDuckLake)
        throw invalid('snapshot: expected none, because the warehouse is not a DuckLake');
      if (warehouse.isDuckLake) {
        const record = begin({ to, taken_at: clock.now().toISOString() }, ofLake(snapshot, log));
        // Another node may answer the next request, and does not know of this backup.
        await running;
        return success(newest ?? record);
      }
      const request = { to, keep, version, signal: stopping.signal };
      const started = await startBackup({ warehouse, metrics, clock, log }, request);
      const done = started.ended.then((manifest) => ({ bytes: manifest.bytes, rows: totalRows(manifest) }));
      return success(begin({ to: started.to, taken_at: started.takenAt.toISOString() }, done));
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
}

/** Looks whether a DuckLake has all its files, and returns where they and the catalog are. */
async function examine(warehouse: Warehouse): Promise<Partial<BackupRecord>> {
  const { settings } = warehouse;
  const catalog = postgresCatalog(settings.location);
  if (catalog === null || settings.dataPath === null)
    throw invalid('WAREHOUSE: only a DuckLake with its catalog in Postgres can be backed up');
  const { dataPath } = settings;
  const { files, bytes } = await warehouse.session((session) => checkLakeFiles(session, dataPath));
  const { endpoint } = settings.objectStorage;
  return { bytes, lake: { catalog: withoutSecrets(catalog), data_path: dataPath, endpoint, files } };
}
