import { conflict } from '../../../domain/shared/errors.ts';
import { UPLOAD } from '../../../domain/sources/uploads/uploaded-name.ts';
import { Versions, type By } from '../../engine/records/versioned-records.ts';
import type { Queries, Session } from '../../engine/session.ts';
import { newId } from '../../engine/sql/ids.ts';
import type { Warehouse } from '../../engine/warehouse.ts';
import { COST_SOURCES } from '../cost-sources.ts';
import { locationsOf } from '../file-locations.ts';
import { refuseTooManyBytes, type StoredContent, type UploadLimits } from './uploaded-contents.ts';

/** A file that people have sent for a source (docs/http.md#send-a-file). */
export interface UploadedFile {
  id: string;
  source_id: string;
  file_name: string;
  content: StoredContent;
  /** When it was sent. */
  sent_at: string;
}

const STORED = new Versions<UploadedFile>({
  name: 'uploaded_file',
  view: 'uploaded_files',
  idColumn: 'file_id',
  columns: { source_id: 'VARCHAR', file_name: 'VARCHAR', content: 'JSON', sent_at: 'TIMESTAMP' },
  locks: () => [],
  auditDetail: ({ source_id, file_name, content: { bytes, sha256 } }) => ({
    source: source_id,
    name: file_name,
    bytes,
    sha256,
  }),
});

/** The most files of a source. */
const MOST_FILES = 1_000;

/** Returns the current files of a source, by name. */
export async function uploadedFiles(
  querier: Queries,
  orgId: string,
  sourceId: string,
): Promise<UploadedFile[]> {
  const files = await STORED.list(querier, orgId);
  return files
    .filter(({ source_id }) => source_id === sourceId)
    .sort((one, other) => (one.file_name < other.file_name ? -1 : 1));
}

/**
 * Makes a stored content the current file of its name.
 *
 * @throws ServiceError `conflict` if the source does not exist any more, takes no files, or has too many.
 */
export const publishUpload = (
  warehouse: Warehouse,
  orgId: string,
  {
    sourceId,
    name,
    content,
    limits,
  }: { sourceId: string; name: string; content: StoredContent; limits: UploadLimits },
  by: By,
): Promise<UploadedFile> =>
  STORED.locked(warehouse, orgId, sourceId, async (session) => {
    await refuseOtherSources(session, orgId, sourceId);
    const files = await uploadedFiles(session, orgId, sourceId);
    const before = files.find(({ file_name }) => file_name === name);
    const sent = { content, sent_at: by.now.toISOString() };
    if (before === undefined && files.length >= MOST_FILES)
      throw conflict(`expected at most ${MOST_FILES} files of a source: delete files that no longer count`);
    await session.run(
      `INSERT INTO uploaded_contents BY NAME SELECT $org AS org_id, $content::UUID AS content_id, $bytes::BIGINT AS byte_count,
         $now::TIMESTAMP AS stored_at`,
      { org: orgId, content: content.id, bytes: content.bytes, now: sent.sent_at },
    );
    await refuseTooManyBytes(session, orgId, 0, limits);
    if (before !== undefined) return (await STORED.changeIn(session, orgId, before.id, sent, by)) ?? before;
    return STORED.createIn(
      session,
      orgId,
      { id: newId('file'), source_id: sourceId, file_name: name, ...sent },
      by,
    );
  });

/** Deletes a file. What was read of it stays. Returns null if the source has no file of this name. */
export const deleteUpload = (
  warehouse: Warehouse,
  orgId: string,
  { sourceId, name }: { sourceId: string; name: string },
  by: By,
): Promise<UploadedFile | null> =>
  STORED.locked(warehouse, orgId, sourceId, async (session) => {
    const file = (await uploadedFiles(session, orgId, sourceId)).find(({ file_name }) => file_name === name);
    return file === undefined ? null : STORED.changeIn(session, orgId, file.id, 'delete', by);
  });

/** Throws a conflict if a source does not take files. */
export async function refuseOtherSources(
  querier: Queries | Session,
  orgId: string,
  sourceId: string,
): Promise<void> {
  const source = await COST_SOURCES.find(querier, orgId, sourceId);
  const takesFiles = source !== null && locationsOf(source).some(({ location }) => location === UPLOAD);
  if (!takesFiles)
    throw conflict(
      `the source takes no files: expected one whose location is "${UPLOAD}"; change its location first`,
    );
}
