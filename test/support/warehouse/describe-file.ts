import { readCsvHeader } from '../../../activities/sources/whole-files.ts';
import { NO_BUCKETS } from '../../../domain/sources/exports/object-storage.ts';
import type { Statements } from '../../../warehouse/engine/session.ts';
import {
  describeCsv,
  describeParquet,
  formatOf,
  type ExportFile,
} from '../../../warehouse/sources/feeds/export-files.ts';

const RULES = {
  privateTargets: null,
  buckets: NO_BUCKETS,
  field: 'location',
  signal: new AbortController().signal,
};

/** Describes a local file as an ingest does. An empty CSV file has no columns. */
export const describeFile = async (session: Statements, path: string): Promise<ExportFile> =>
  formatOf(path) === 'parquet'
    ? describeParquet(session, path, path)
    : describeCsv({ path, opened: path }, (await readCsvHeader({ path, opened: path }, RULES)) ?? [], null);
