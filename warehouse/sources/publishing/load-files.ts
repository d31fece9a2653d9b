import { idsOf, type Load, type LoadIds } from './load.ts';
import type { Session } from '../../engine/session.ts';

/** Stores the files of a load before it is published, without the parts of URLs that may hold credentials. */
export async function recordLoadFiles(
  session: Session,
  load: LoadIds,
  readFrom: readonly string[],
): Promise<void> {
  if (readFrom.length === 0) return;
  const files = [...new Set(readFrom.map(withoutCredentials))];
  await session.run(insertFiles('SELECT unnest($files) AS file'), { ...idsOf(load), files });
}

/**
 * Stores the files of replaced loads too, if days were carried over from them (carry-over.ts). Covers the months of the table
 * `staged`.
 */
export async function keepLoadFiles(session: Session, load: Load, staged: string): Promise<void> {
  const kept = `SELECT file FROM load_files
  WHERE org_id = $org AND source_id = $source AND load_id IN (
    SELECT load_id FROM current_loads
    WHERE org_id = $org AND source_id = $source
      AND billing_period IN (SELECT CAST(date_trunc('month', day) AS DATE) FROM ${staged} WHERE row_count = 0))`;
  await session.run(insertFiles(kept), idsOf(load));
}

/** Returns the statement that stores the selected files, each once. */
const insertFiles = (files: string): string => `
INSERT INTO load_files BY NAME
SELECT $org AS org_id, $source AS source_id, $load::UUID AS load_id, file
FROM (${files}
  EXCEPT SELECT file FROM load_files WHERE org_id = $org AND load_id = $load::UUID)`;

/**
 * Removes the user and the query of a URL, which can hold keys and signatures. A path on this machine or in a bucket may contain the
 * same characters.
 */
export const withoutCredentials = (file: string): string =>
  /^https?:\/\//i.test(file) ? file.replace(/[?#].*$/s, '').replace(/^(https?:\/\/)[^/]*@/i, '$1') : file;
