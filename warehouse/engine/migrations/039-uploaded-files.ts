import { newestVersions } from './baseline/newest-versions.ts';
import type { Migration } from './migration.ts';

/** Files that people send, for sources whose location is `upload`. */
export const UPLOADED_FILES: Migration = {
  version: 39,
  name: 'files that people send',
  statements: [
    // content is a JSON object: the id of the content, its bytes and its SHA-256.
    `CREATE TABLE uploaded_file_versions (
      org_id VARCHAR, file_id VARCHAR, version_id UUID, source_id VARCHAR, file_name VARCHAR, content JSON, sent_at TIMESTAMP,
      deleted BOOLEAN, changed_at TIMESTAMP, changed_by VARCHAR)`,
    newestVersions('uploaded_files', 'uploaded_file_versions', 'file_id'),
    // The parts of a content, in their order. Nothing refers to a content whose upload broke off.
    `CREATE TABLE uploaded_parts (org_id VARCHAR, content_id UUID, part INTEGER, bytes BLOB)`,
    // Which contents there are, also replaced ones. The maintenance removes a content with its parts.
    `CREATE TABLE uploaded_contents (org_id VARCHAR, content_id UUID, byte_count BIGINT, stored_at TIMESTAMP)`,
  ],
};
