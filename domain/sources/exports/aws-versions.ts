import { pushTo } from '../../shared/push-to.ts';

/** AWS's folder of a billing period, with a folder for each version of its files, if the export keeps old ones. */
const VERSION = /^(.*\/(?:BILLING_PERIOD=[^/]+|\d{8}-\d{8})\/)[^/]+\/$/;

/** Returns the folder of the billing period of a version's folder; null for any other folder. */
export const periodFolderOf = (folder: string): string | null => VERSION.exec(folder)?.[1] ?? null;

export const isOfBillingPeriod = (folder: string): boolean => folder.includes('/BILLING_PERIOD=');

/**
 * Returns the folders of several versions of one billing period, of which nothing says which is the current one. The manifest of the
 * period would.
 *
 * @param folders the folders of files that no manifest of an outer folder has chosen.
 */
export function undecidedVersions(folders: Iterable<string>): string[] {
  const versions = new Map<string, string[]>();
  for (const folder of folders) {
    const period = periodFolderOf(folder);
    if (period !== null) pushTo(versions, period, folder);
  }
  return [...versions.values()].filter(({ length }) => length > 1).flat();
}

/** Whether a file only says how far AWS has written a report, beside its Parquet files. */
export const isReportStatus = (path: string): boolean => path.includes('/cost_and_usage_data_status/');
