import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { open, readFile, rename, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { z } from 'zod';
import { forMessage } from '../../../domain/shared/text/for-message.ts';
import { requireRegularFile } from '../../../files/require-regular-file.ts';
import { isThere } from '../is-there.ts';

const count = z.int().nonnegative();
const text = z.string();

/** What a backup has of the warehouse. */
export const backupContents = z.object({
  /** The version of the product, and of the warehouse's tables. */
  version: text,
  schema_version: count,
  /** When the warehouse was made. */
  origin: text,
  /** The instant of which the data is. */
  taken_at: z.iso.datetime(),
  /** Rows of each table. */
  rows: z.record(text, count),
  /** The ids of the master keys that have sealed texts in it. The keys themselves are not in a backup. */
  master_keys: z.array(text),
});

export type BackupContents = z.infer<typeof backupContents>;

/** What a backup says about itself, in `backup.json`. It is written last, so that a folder without it is no backup. */
const backupManifest = backupContents.extend({
  format: z.literal(1),
  /** The size of all its files. */
  bytes: count,
  /** The SHA-256 of the DuckDB file, or of the dump of a DuckLake's catalog, in hexadecimal digits. */
  sha256: z.string().regex(/^[\da-f]{64}$/),
  /** The name of its folder, if `--keep` has made it and may remove it (kept-copies.ts). */
  kept_as: text.optional(),
  /** Only of a DuckLake: the snapshot that the dump shows, and how many files the dump names. */
  lake: z.object({ snapshot: count, files: count }).optional(),
});

export type BackupManifest = z.infer<typeof backupManifest>;

export const MANIFEST = 'backup.json';

/** Makes a folder a backup: stores its manifest as a whole or not at all, also after a loss of power. */
export async function writeManifest(folder: string, manifest: BackupManifest): Promise<void> {
  const temporary = join(folder, `.${MANIFEST}`);
  const handle = await open(temporary, 'w', 0o600);
  await handle.writeFile(`${JSON.stringify(manifest, null, 2)}\n`);
  await handle.sync();
  await handle.close();
  await rename(temporary, join(folder, MANIFEST));
}

/** A manifest of a thousand tables has a tenth of it. */
const MOST_BYTES = 2 ** 20;

/** Returns the manifest of a backup. Throws if the folder is not a complete backup, or if the manifest is damaged. */
export async function readManifest(folder: string): Promise<BackupManifest> {
  const file = join(folder, MANIFEST);
  if (!(await isThere(file))) throw new Error(`${folder} is not a complete backup: it has no ${MANIFEST}`);
  await requireRegularFile(file);
  const { size } = await stat(file);
  if (size > MOST_BYTES) throw damaged(file, `expected at most ${MOST_BYTES} bytes, got ${size}`);
  const parsed = backupManifest.safeParse(jsonOf(file, await readFile(file, 'utf8')), { reportInput: true });
  if (!parsed.success) throw damaged(file, wrongField(parsed.error));
  return parsed.data;
}

const damaged = (file: string, how: string): Error =>
  new Error(`${file} is damaged: ${how}. Take another backup, or a copy of this one from elsewhere`);

function jsonOf(file: string, content: string): unknown {
  try {
    return JSON.parse(content) as unknown;
  } catch {
    const end = content.trimEnd().slice(-1);
    throw damaged(
      file,
      `expected JSON that ends with }, got text that is no JSON and ends with ${forMessage(end)}`,
    );
  }
}

/** Names the first wrong field, with what was expected and what came. */
function wrongField({ issues: [issue] }: z.ZodError): string {
  const field = issue?.path.join('.') ?? '';
  const of = field === '' ? '' : `${field}: `;
  return `${of}expected ${expectedBy(issue)}, got ${forMessage(issue?.input)}`;
}

function expectedBy(issue: z.core.$ZodIssue | undefined): string {
  if (issue?.code === 'invalid_type') return `type ${issue.expected}`;
  if (issue?.code === 'invalid_value') return issue.values.map(String).join(' or ');
  if (issue?.code === 'invalid_format')
    return issue.format === 'regex' ? '64 hexadecimal digits' : `a ${issue.format}`;
  return 'a manifest';
}

export const totalRows = ({ rows }: BackupContents): number =>
  Object.values(rows).reduce((sum, count) => sum + count, 0);

/** Returns the SHA-256 of a file, in hexadecimal digits. `signal` stops it. */
export async function sha256Of(file: string, signal?: AbortSignal): Promise<string> {
  await requireRegularFile(file);
  const hash = createHash('sha256');
  await pipeline(createReadStream(file), hash, { ...(signal && { signal }) });
  return hash.digest('hex');
}
