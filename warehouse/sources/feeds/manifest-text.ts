import { patternOf } from './export-files.ts';
import type { Statements } from '../../engine/session.ts';

/** What a manifest says of its files; null where it says nothing of it that can be read. */
export interface ManifestText {
  file_count: string | null;
  /** Null also where it names more than were asked for. */
  files: (string | null)[] | null;
  /** Whether it is of a single run. */
  is_run: boolean;
  scope: string | null;
  start: string | null;
  end: string | null;
  submitted: string | null;
}

/** The bytes of a file, which is not read for it. */
export const sizeOfFile = async (session: Statements, opened: string): Promise<number> => {
  const [row] = await session.query<{ size: string }>('SELECT size FROM read_text($file)', {
    file: patternOf(opened),
  });
  return Number(row?.size);
};

/**
 * Reads a manifest. AWS Data Exports name `dataFiles`, AWS's older reports `reportKeys`; Azure names the `blobs` of one run
 * of an export. DuckDB parses the JSON, for what else it holds could keep Node.js busy for seconds.
 *
 * @param mostFiles no more names are handed on.
 */
export const readManifestText = async (
  session: Statements,
  opened: string,
  mostFiles: number,
): Promise<ManifestText | null> => {
  const [row] = await session.query<ManifestText>(MANIFEST, {
    file: patternOf(opened),
    most: mostFiles,
  });
  return row ?? null;
};

const MANIFEST = `
WITH manifest AS (
  SELECT json_transform(TRY_CAST(content AS JSON), '{
      "dataFiles": ["VARCHAR"], "reportKeys": ["VARCHAR"], "blobs": [{"blobName": "VARCHAR"}],
      "exportConfig": {"resourceId": "VARCHAR"},
      "runInfo": {"startDate": "VARCHAR", "endDate": "VARCHAR", "submittedTime": "VARCHAR"}}') AS said
  FROM read_text($file)),
named AS (
  SELECT said, COALESCE(said.dataFiles, said.reportKeys) AS of_partition,
    list_transform(said.blobs, lambda blob: trim(blob.blobName)) AS of_run,
    COALESCE(of_partition, of_run) AS files
  FROM manifest)
SELECT len(files) AS file_count, CASE WHEN len(files) <= $most THEN files END AS files,
  of_partition IS NULL AND of_run IS NOT NULL AS is_run, said.exportConfig.resourceId AS scope,
  said.runInfo.startDate AS start, said.runInfo.endDate AS "end", said.runInfo.submittedTime AS submitted
FROM named`;
