import { createHash } from 'node:crypto';
import { dirname } from 'node:path';
import { BLOB, DuckDBBlobValue, INTEGER } from '@duckdb/node-api';
import { conflict } from '../../../domain/shared/errors.ts';
import { makeFolder } from '../../../files/make-folder.ts';
import type { Queries, Session } from '../../engine/session.ts';
import { idAfter } from '../../engine/sql/ids.ts';
import { sqlText } from '../../engine/sql/sql-text.ts';
import type { Warehouse } from '../../engine/warehouse.ts';

/** The content of a file, stored in parts. */
export interface StoredContent {
  id: string;
  bytes: number;
  /** In hexadecimal digits. */
  sha256: string;
}

export interface UploadLimits {
  /** The most bytes of a file (UPLOAD_LIMIT). */
  mostBytes: number;
}

/** How many of the largest files an organisation may store. */
const LARGEST_FILES = 16;

const PART_BYTES = 256 * 1024;

/** Parts that one transaction stores. A DuckLake writes more than ten rows to a file, and not to its catalog. */
const PARTS_TOGETHER = 64;

/**
 * Stores the bytes of a file, a few megabytes at a time. Nobody sees them before the file is published (uploaded-files.ts). If the
 * bytes end with an error, the maintenance removes what is stored of them.
 */
export async function storeContent(
  warehouse: Warehouse,
  orgId: string,
  bytes: AsyncIterable<Buffer>,
): Promise<StoredContent> {
  const id = idAfter(null);
  const hash = createHash('sha256');
  let count = 0;
  let part = 0;
  let waiting: Buffer[] = [];
  const store = async (): Promise<void> => {
    if (waiting.length === 0) return;
    await warehouse.session((session) => appendParts(session, { orgId, id, part }, waiting));
    part += waiting.length;
    waiting = [];
  };
  for await (const bytesOfPart of inParts(bytes)) {
    hash.update(bytesOfPart);
    count += bytesOfPart.length;
    waiting.push(bytesOfPart);
    if (waiting.length === PARTS_TOGETHER) await store();
  }
  await store();
  return { id, bytes: count, sha256: hash.digest('hex') };
}

async function appendParts(
  session: Session,
  { orgId, id, part }: { orgId: string; id: string; part: number },
  parts: readonly Buffer[],
): Promise<void> {
  await session.run('CREATE OR REPLACE TEMP TABLE sent_parts (part INTEGER, bytes BLOB)');
  await session.append(
    'sent_parts',
    [INTEGER, BLOB],
    [parts.map((_, index) => part + index), parts.map((bytes) => new DuckDBBlobValue(bytes))],
  );
  await session.run(
    `INSERT INTO uploaded_parts BY NAME SELECT $org AS org_id, $content::UUID AS content_id, part, bytes FROM temp.main.sent_parts`,
    { org: orgId, content: id },
  );
  await session.run('DROP TABLE temp.main.sent_parts');
}

/** Cuts bytes into parts of one size. Only the last part is shorter. */
async function* inParts(bytes: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let pieces: Buffer[] = [];
  let length = 0;
  for await (const piece of bytes) {
    let rest = piece;
    while (length + rest.length >= PART_BYTES) {
      const end = PART_BYTES - length;
      yield Buffer.concat([...pieces, rest.subarray(0, end)]);
      rest = rest.subarray(end);
      pieces = [];
      length = 0;
    }
    if (rest.length > 0) pieces.push(rest);
    length += rest.length;
  }
  if (length > 0) yield Buffer.concat(pieces);
}

/** Writes a stored content to a file, and makes the file's folder. */
export async function writeContent(
  session: Session,
  orgId: string,
  { id }: StoredContent,
  file: string,
): Promise<void> {
  await makeFolder(dirname(file));
  // DuckDB would compress a file again whose name ends in .gz.
  await session.run(
    `COPY (SELECT bytes FROM uploaded_parts WHERE org_id = $org AND content_id = $content::UUID ORDER BY part)
     TO ${sqlText(file)} (FORMAT blob, COMPRESSION none)`,
    { org: orgId, content: id },
  );
}

/**
 * Throws a conflict if the organisation's files have too many bytes together. Replaced files count until the maintenance has
 * removed them.
 *
 * @param more bytes of a file that is not stored yet.
 */
export async function refuseTooManyBytes(
  querier: Queries,
  orgId: string,
  more: number,
  { mostBytes }: UploadLimits,
): Promise<void> {
  const most = LARGEST_FILES * mostBytes;
  const [stored] = await querier.query<{ bytes: string }>(
    'SELECT COALESCE(sum(byte_count), 0)::BIGINT AS bytes FROM uploaded_contents WHERE org_id = $org',
    { org: orgId },
  );
  const bytes = Number(stored?.bytes ?? 0) + more;
  if (bytes > most)
    throw conflict(
      `expected at most ${most} bytes in all files of the organisation, got ${bytes}: delete files, which frees their space at night`,
    );
}
