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
import { withoutSecrets } from '../../warehouse/engine/locks/catalog-url.ts';
import { postgresCatalog } from '../../warehouse/engine/location.ts';
import type { Warehouse } from '../../warehouse/engine/warehouse.ts';
import type { ApiDependencies } from '../http/dependencies.ts';
import { instant } from '../http/fields.ts';
import { success, successOf } from '../routes/bodies.ts';
import { route, tagged, type Asked } from '../routes/route.ts';

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

/** The backups of a running service. One runs at a time. */
export class Backups {
  readonly #dependencies: ApiDependencies;
  readonly #stopping = new AbortController();
  #newest: BackupRecord | null = null;
  #running = Promise.resolve();

  constructor(dependencies: ApiDependencies) {
    this.#dependencies = dependencies;
  }

  /** The newest backup of this process. */
  get newest(): BackupRecord | null {
    return this.#newest;
  }

  /** Ends what runs, because a large backup would take longer than a service has to stop. */
  async close(): Promise<void> {
    this.#stopping.abort(new Error('the service was stopped, so that the backup is not complete'));
    await this.#running;
  }

  /** Starts a copy of a DuckDB warehouse. */
  async start(to: string, keep: number | null, log: FastifyBaseLogger): Promise<BackupRecord> {
    const { warehouse, clock, version, metrics } = this.#dependencies;
    const request = { to, keep, version, signal: this.#stopping.signal };
    const started = await startBackup({ warehouse, metrics, clock, log }, request);
    const done = started.ended.then((manifest) => ({ bytes: manifest.bytes, rows: totalRows(manifest) }));
    return this.#begin({ to: started.to, taken_at: started.takenAt.toISOString() }, done);
  }

  /** Examines a DuckLake, or a snapshot of it, to the end. */
  async examine(to: string, snapshot: number | undefined, log: FastifyBaseLogger): Promise<BackupRecord> {
    const begun = { to, taken_at: this.#dependencies.clock.now().toISOString() };
    const record = this.#begin(begun, this.#ofLake(snapshot, log));
    // Another node may answer the next request, and does not know of this backup.
    await this.#running;
    return this.#newest ?? record;
  }

  /** Begins a backup, and remembers how it ends. */
  #begin(begun: Pick<BackupRecord, 'to' | 'taken_at'>, work: Promise<Partial<BackupRecord>>): BackupRecord {
    const empty = { bytes: null, rows: null, lake: null, contents: null, error: null };
    const record = { status: 'running', ...begun, ...empty } as const;
    this.#newest = record;
    this.#running = work.then(
      (done) => {
        this.#newest = { ...record, ...done, status: 'completed' };
      },
      (error: unknown) => {
        const message = error instanceof Error ? error.message : String(error);
        this.#newest = { ...record, status: 'failed', error: message };
      },
    );
    return record;
  }

  async #ofLake(snapshot: number | undefined, log: FastifyBaseLogger): Promise<Partial<BackupRecord>> {
    const { warehouse, clock, version, metrics } = this.#dependencies;
    if (snapshot === undefined) return examine(warehouse);
    const contents = { version, ...(await contentsAt(warehouse.settings, snapshot)) };
    // The command has checked the copy before, and has only to write this into it.
    const result = { takenAt: new Date(contents.taken_at), endedAt: clock.now(), isComplete: true };
    await noteBackup({ warehouse, metrics, log }, result);
    return { taken_at: contents.taken_at, rows: totalRows(contents), contents };
  }
}

/** What the routes of backups take beside the rest. */
interface BackupDependencies extends ApiDependencies {
  backups: Backups;
}

async function postBackup(
  { body, log }: Asked<{ body: typeof target }>,
  { warehouse, backups }: BackupDependencies,
) {
  const { to, keep = null, snapshot } = body;
  if (snapshot !== undefined && !warehouse.isDuckLake)
    throw invalid('snapshot: expected none, because the warehouse is not a DuckLake');
  return success(
    warehouse.isDuckLake ? await backups.examine(to, snapshot, log) : await backups.start(to, keep, log),
  );
}

/** `/backups`: copies the data of the running service, or helps to copy a DuckLake. */
export const backupRoutes = tagged('Operator', [
  route('POST /backups', {
    access: 'operator',
    operationId: 'startBackup',
    summary: 'Start a backup of the running service',
    errors: [409],
    body: target,
    answer: successOf(backupRecord),
    handle: postBackup,
  }),
  route('GET /backups', {
    access: 'operator',
    operationId: 'getLastBackup',
    summary: 'The newest backup since the service started',
    answer: successOf(backupRecord.nullable()),
    handle: (_request, { backups }: BackupDependencies) => success(backups.newest),
  }),
]);
