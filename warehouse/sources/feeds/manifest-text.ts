import { patternOf } from './export-files.ts';
import type { Statements } from '../../engine/session.ts';

/** The fields of a manifest; null if they are missing or unreadable. */
export interface ManifestText {
  file_count: string | null;
  /** Also null if the manifest names too many. */
  files: (string | null)[] | null;
  /** Whether it lists the files of a single run. */
  is_run: boolean;
  scope: string | null;
  /** What kind of costs the run has. */
  type: string | null;
  start: string | null;
  end: string | null;
  submitted: string | null;
}

/** Returns the size of a file in bytes, without reading the file. */
export async function sizeOfFile(session: Statements, opened: string): Promise<number> {
  const [row] = await session.query<{ size: string }>('SELECT size FROM read_text($file)', {
    file: patternOf(opened),
  });
  return Number(row?.size);
}

/**
 * Reads a manifest. AWS Data Exports name `dataFiles`, AWS's older reports `reportKeys`; Azure names the `blobs` of one run of an
 * export. DuckDB parses the JSON, because its other contents could block Node.js for seconds.
 *
 * @param mostFiles if the manifest names more files, `files` is null.
 */
export async function readManifestText(
  session: Statements,
  opened: string,
  mostFiles: number,
): Promise<ManifestText | null> {
  const [row] = await session.query<ManifestText>(MANIFEST, {
    file: patternOf(opened),
    most: mostFiles,
  });
  return row ?? null;
}

const MANIFEST = `
WITH manifest AS (
  SELECT json_transform(TRY_CAST(content AS JSON), '{
      "dataFiles": ["VARCHAR"], "reportKeys": ["VARCHAR"], "blobs": [{"blobName": "VARCHAR"}],
      "exportConfig": {"resourceId": "VARCHAR", "type": "VARCHAR"},
      "runInfo": {"startDate": "VARCHAR", "endDate": "VARCHAR", "submittedTime": "VARCHAR"}}') AS parsed
  FROM read_text($file)),
named AS (
  SELECT parsed, COALESCE(parsed.dataFiles, parsed.reportKeys) AS of_partition,
    list_transform(parsed.blobs, lambda blob: trim(blob.blobName)) AS of_run,
    COALESCE(of_partition, of_run) AS files
  FROM manifest)
SELECT len(files) AS file_count, CASE WHEN len(files) <= $most THEN files END AS files,
  of_partition IS NULL AND of_run IS NOT NULL AS is_run, parsed.exportConfig.resourceId AS scope, parsed.exportConfig.type AS type,
  parsed.runInfo.startDate AS start, parsed.runInfo.endDate AS "end", parsed.runInfo.submittedTime AS submitted
FROM named`;
