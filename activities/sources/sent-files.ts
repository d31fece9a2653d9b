import { utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { invalid } from '../../domain/shared/errors.ts';
import type { LoadSessions } from '../../warehouse/engine/readers/load-sessions.ts';
import type { LoadScope } from '../../warehouse/sources/publishing/load.ts';
import { writeContent } from '../../warehouse/sources/uploads/uploaded-contents.ts';
import { uploadedFiles } from '../../warehouse/sources/uploads/uploaded-files.ts';

/**
 * Writes the files that people have sent for a source to a folder of the load, and returns the folder. Their times are those at
 * which they were sent.
 *
 * @throws ServiceError `invalid` if nobody has sent a file.
 */
export async function writeSentFiles(
  { session, folder }: Pick<LoadSessions, 'session' | 'folder'>,
  { orgId, sourceId }: Pick<LoadScope, 'orgId' | 'sourceId'>,
  field: string,
): Promise<string> {
  const files = await uploadedFiles(session, orgId, sourceId);
  if (files.length === 0)
    throw invalid(`${field}: expected at least one sent file, got none: send a file of the source first`);
  const sent = join(folder, 'sent');
  for (const { file_name: name, content, sent_at: sentAt } of files) {
    const file = join(sent, name);
    await writeContent(session, orgId, content, file);
    await utimes(file, new Date(sentAt), new Date(sentAt));
  }
  return sent;
}
