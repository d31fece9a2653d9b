import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { open, readFile, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { z } from 'zod';

/** What a backup has of the warehouse. */
export const backupContents = z.object({
  /** The version of the product, and of the warehouse's tables. */
  version: z.string(),
  schema_version: z.number(),
  /** The instant of which the data is. */
  taken_at: z.string(),
  /** Rows of each table. */
  rows: z.record(z.string(), z.number()),
  /** The ids of the master keys that have sealed texts in it. The keys themselves are not in a backup. */
  master_keys: z.array(z.string()),
});

export type BackupContents = z.infer<typeof backupContents>;

/** What a backup says about itself, in `backup.json`. It is written last, so that a folder without it is no backup. */
const backupManifest = backupContents.extend({
  format: z.literal(1),
  /** The size of all its files. */
  bytes: z.number(),
  /** The SHA-256 of the DuckDB file, or of the dump of a DuckLake's catalog, in hexadecimal digits. */
  sha256: z.string(),
  /** Only of a DuckLake: the snapshot that the dump shows, and how many files the dump names. */
  lake: z.object({ snapshot: z.number(), files: z.number() }).optional(),
});

export type BackupManifest = z.infer<typeof backupManifest>;

/** The name of its file. */
export const MANIFEST = 'backup.json';

/** Makes a folder a backup: stores its manifest as a whole or not at all, also after a loss of power. */
export const writeManifest = async (folder: string, manifest: BackupManifest): Promise<void> => {
  const temporary = join(folder, `.${MANIFEST}`);
  const handle = await open(temporary, 'w', 0o600);
  await handle.writeFile(`${JSON.stringify(manifest, null, 2)}\n`);
  await handle.sync();
  await handle.close();
  await rename(temporary, join(folder, MANIFEST));
};

/** Returns the manifest of a backup. Throws if the folder is not a complete backup. */
export const readManifest = async (folder: string): Promise<BackupManifest> => {
  const file = join(folder, MANIFEST);
  const text = await readFile(file, 'utf8').catch((cause: unknown) => {
    throw new Error(`${folder} is not a complete backup: it has no ${MANIFEST}`, { cause });
  });
  const parsed = backupManifest.safeParse(JSON.parse(text));
  if (!parsed.success) throw new Error(`${file}: expected the manifest of a backup`, { cause: parsed.error });
  return parsed.data;
};

/** Counts the rows of all tables. */
export const totalRows = ({ rows }: BackupContents): number =>
  Object.values(rows).reduce((sum, count) => sum + count, 0);

/** Returns the SHA-256 of a file, in hexadecimal digits. */
export const sha256Of = async (file: string): Promise<string> => {
  const hash = createHash('sha256');
  await pipeline(createReadStream(file), hash);
  return hash.digest('hex');
};
