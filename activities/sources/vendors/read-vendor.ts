import { rangeInWords } from '../../../domain/shared/day-ranges.ts';
import { invalid } from '../../../domain/shared/errors.ts';
import { daysOf, vendorDays } from '../../../domain/sources/vendors/vendor-days.ts';
import { vendorPlace, VENDORS, type Vendor } from '../../../domain/sources/vendors/vendors.ts';
import { VendorSums } from '../../../domain/sources/vendors/vendor-sums.ts';
import { missingAiUsageColumns, stageAiToolFeeds } from '../../../warehouse/sources/ai-tools-load.ts';
import type { CostSourceOf } from '../../../warehouse/sources/cost-sources.ts';
import { relationsOf } from '../../../warehouse/sources/feeds/scan-files.ts';
import { lastDeliveredDay } from '../../../warehouse/sources/opencost/opencost-api-rows.ts';
import type { StagedLoad } from '../../../warehouse/sources/publishing/load.ts';
import {
  appendVendorSpend,
  appendVendorUsage,
  openVendorRows,
  toolsOf,
  VENDOR_SPEND,
  VENDOR_USAGE,
} from '../../../warehouse/sources/usage/vendor-rows.ts';
import type { Reading } from '../reading.ts';
import { readVendorDays } from './read-vendor-days.ts';

/**
 * Reads what a vendor of AI tools bills by day, and stages it. The last three days are read again, and earlier ones stay as they are.
 * A day that was read and has no spend is known to have none. Usage by repository comes from files, or from what programs have sent.
 */
export async function readVendor(
  { location, options }: CostSourceOf<'ai_tools'>,
  vendor: Vendor,
  reading: Reading,
): Promise<StagedLoad> {
  const { sessions, load, files, currency, rules, attempt, credentials, newestDays } = reading;
  const { name, tool, months, currency: billed, location: expected } = VENDORS[vendor];
  const place = vendorPlace(vendor, location);
  if (place === null) throw invalid(`location: ${expected}`);
  if (billed !== currency)
    throw invalid(
      `location: ${name} bills in ${billed}, and the organisation's currency is ${currency}; money is never converted`,
    );
  const { usage_location: usageLocation } = options;
  const usageFiles =
    usageLocation === undefined
      ? null
      : await files.at('options.usage_location', usageLocation, missingAiUsageColumns);
  const delivered = await lastDeliveredDay(sessions.session, load.orgId, load.sourceId);
  const days = vendorDays(load, delivered, { months, newestDays });
  const sums = { spend: new VendorSums(), usage: usageFiles === null ? new VendorSums() : null };
  const notes = [];
  await openVendorRows(sessions.reader);
  if (days === null) notes.push(`no day of these months has ended yet, so ${name} was not asked`);
  else {
    const { privateTargets } = rules;
    const report = (rows: number): void => {
      attempt.report(rows);
    };
    await readVendorDays(
      place,
      { days, currency, report, ...sums },
      { credentials, privateTargets, signal: attempt.signal },
    );
    const from = delivered === null ? sums.spend.days[0] : days.from;
    if (from === undefined) notes.push(`${name} has billed nothing for ${rangeInWords(days.from, days.to)}`);
    else {
      const tools = new Set([tool, ...(await toolsOf(sessions.session, load)), ...sums.spend.tools]);
      for (const day of daysOf({ from, to: days.to })) for (const each of tools) sums.spend.add(day, each, 0);
    }
    await appendVendorSpend(sessions.reader, `the answers of ${name}`, sums.spend.rows());
    await appendVendorUsage(sessions.reader, `the answers of ${name}`, sums.usage?.rows() ?? []);
  }
  const staged = await stageAiToolFeeds(sessions, load, {
    spend: [VENDOR_SPEND],
    usage: usageFiles === null ? [VENDOR_USAGE] : relationsOf(usageFiles),
    usageFrom: usageFiles === null ? 'vendor' : 'files',
  });
  return { ...staged, notes: [...notes, ...staged.notes] };
}
