import type { Session } from './session.ts';

/** Stores which files a load read, before it is published; what could be a credential in a URL is not kept. */
export const recordLoadFiles = async (
  session: Session,
  { orgId, sourceId, readFrom = [] }: { orgId: string; sourceId: string; readFrom?: readonly string[] },
  loadId: string,
): Promise<void> => {
  if (readFrom.length === 0) return;
  await session.run(INSERT_LOAD_FILES, {
    org: orgId,
    source: sourceId,
    load: loadId,
    files: [...new Set(readFrom.map(withoutCredentials))],
  });
};

const INSERT_LOAD_FILES = `
INSERT INTO load_files BY NAME
SELECT $org AS org_id, $source AS source_id, $load::UUID AS load_id, unnest($files) AS file`;

/** The user and the query of a URL can hold keys and signatures; local paths may have any of their signs. */
const withoutCredentials = (file: string): string =>
  /^[a-z][a-z0-9+.-]*:\/\//i.test(file)
    ? file.replace(/[?#].*$/s, '').replace(/^([a-z][a-z0-9+.-]*:\/\/)[^/]*@/i, '$1')
    : file;
