import { attachLake, type WarehousePlace } from '../opening/attach.ts';
import { CATALOG } from '../location.ts';
import { originOf, schemaVersionOf } from '../migrations/schema-version.ts';
import { openInstance, type InstanceOptions } from '../open-instance.ts';
import { sealedByKeys } from '../records/sealed-texts.ts';
import { Session } from '../session.ts';
import { enter } from '../session-pool.ts';
import { tableNames } from '../sql/table-names.ts';
import type { BackupContents } from './manifest.ts';

type LakeSettings = WarehousePlace & InstanceOptions;

/** Runs `work` on a read-only DuckLake in a separate DuckDB instance. `options` are added to ATTACH. */
export async function readLake<Result>(
  settings: LakeSettings,
  options: readonly string[],
  work: (session: Session) => Promise<Result>,
): Promise<Result> {
  const instance = await openInstance(settings);
  try {
    const session = new Session(await instance.connect());
    try {
      await attachLake(session, settings, ['READ_ONLY', ...options]);
      await enter(session);
      return await work(session);
    } finally {
      await session.abandon();
    }
  } finally {
    instance.closeSync();
  }
}

/** Returns what a DuckLake had at a snapshot. Throws if the maintenance has dropped the snapshot. */
export const contentsAt = (
  settings: LakeSettings,
  snapshot: number,
): Promise<Omit<BackupContents, 'version'>> =>
  readLake(settings, [`SNAPSHOT_VERSION ${snapshot}`], async (session) => {
    const [taken] = await session.query<{ ms: string }>(
      `SELECT epoch_ms(snapshot_time) AS ms FROM ${CATALOG}.ducklake_snapshot WHERE snapshot_id = $snapshot`,
      { snapshot },
    );
    return {
      taken_at: new Date(Number(taken?.ms)).toISOString(),
      schema_version: await schemaVersionOf(session),
      origin: await originOf(session),
      rows: await countRows(session),
      master_keys: (await sealedByKeys(session)).map(({ key_id }) => key_id),
    };
  }).catch((cause: unknown) => {
    if (cause instanceof Error && cause.message.includes('No snapshot found'))
      throw new Error(`the service has no snapshot ${snapshot} any more: dump the catalog again`, { cause });
    throw cause;
  });

export async function newestSnapshot(session: Session): Promise<number> {
  const [newest] = await session.query<{ snapshot: string }>(
    `SELECT max(snapshot_id) AS snapshot FROM ${CATALOG}.ducklake_snapshot`,
  );
  return Number(newest?.snapshot);
}

export async function countRows(session: Session): Promise<Record<string, number>> {
  const rows: Record<string, number> = {};
  for (const table of await tableNames(session)) {
    const [found] = await session.query<{ rows: string }>(`SELECT count(*) AS rows FROM ${table}`);
    rows[table] = Number(found?.rows ?? 0);
  }
  return rows;
}
