import { join } from 'node:path';
import type { LoadSessions } from '../../warehouse/engine/readers/load-sessions.ts';
import type { LoadScope } from '../../warehouse/sources/publishing/load.ts';
import { writeContent } from '../../warehouse/sources/uploads/uploaded-contents.ts';
import { uploadedFiles, type UploadedFile } from '../../warehouse/sources/uploads/uploaded-files.ts';

/** The files that people have sent for a source. */
export interface SentFiles {
  /** The folder of the load in which they are written. */
  folder: string;
  /** Returns the current files, by name. */
  list: () => Promise<UploadedFile[]>;
  /** Writes a file to the folder, and returns its path. */
  write: (file: UploadedFile) => Promise<string>;
}

/** Returns the sent files of a source, for one load. */
export function sentFiles(
  { session, folder }: Pick<LoadSessions, 'session' | 'folder'>,
  { orgId, sourceId }: Pick<LoadScope, 'orgId' | 'sourceId'>,
): SentFiles {
  const sent = join(folder, 'sent');
  return {
    folder: sent,
    list: () => uploadedFiles(session, orgId, sourceId),
    write: async ({ file_name: name, content }) => {
      const path = join(sent, name);
      await writeContent(session, orgId, content, path);
      return path;
    },
  };
}
