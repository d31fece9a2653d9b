import { rangeInWords } from '../../../domain/shared/day-ranges.ts';
import { invalid } from '../../../domain/shared/errors.ts';
import type { Credentials } from '../../../domain/sources/credentials.ts';
import { daysOf, vendorDays } from '../../../domain/sources/vendors/vendor-days.ts';
import {
  vendorPlace,
  VENDORS,
  type Vendor,
  type VendorPlace,
} from '../../../domain/sources/vendors/vendors.ts';
import { VendorSums } from '../../../domain/sources/vendors/vendor-sums.ts';
import type { PrivateTargets } from '../../../egress/requests/private-targets.ts';
import { isOperatorsHost } from '../../../egress/requests/trusted-host.ts';
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
import { readAnthropic } from './anthropic.ts';
import { askVendor } from './ask-vendor.ts';
import { readCursor } from './cursor.ts';
import { readGitHub } from './github.ts';
import type { ReadVendor } from './vendor-reading.ts';

const READERS: Record<Vendor, ReadVendor> = {
  github: readGitHub,
  anthropic: readAnthropic,
  cursor: readCursor,
};

/**
 * Reads what a vendor of AI tools bills by day, and stages it. The last three days are read again, and earlier ones stay as they are.
 * A day that was read and has no spend is known to have none. Usage by repository comes from files, or from what programs have sent.
 */
export async function readVendor(
  { location, options }: CostSourceOf<'ai_tools'>,
  vendor: Vendor,
  reading: Reading,
): Promise<StagedLoad> {
  const { sessions, load, files, currency, rules, attempt, credentials } = reading;
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
  const days = vendorDays(load, delivered, months);
  const sums = { spend: new VendorSums(), usage: usageFiles === null ? new VendorSums() : null };
  const notes = [];
  await openVendorRows(sessions.reader);
  if (days === null) notes.push(`no day of these months has ended yet, so ${name} was not asked`);
  else {
    const token = await tokenFor(place, credentials, rules.privateTargets);
    const ask = askVendor({ place, privateTargets: rules.privateTargets, signal: attempt.signal });
    const report = (rows: number): void => {
      attempt.report(rows);
    };
    await READERS[vendor]({ ask, place, token, days, currency, report, ...sums });
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

/**
 * Returns the token for a place. A stored token goes only to the vendor, and to hosts that the operator has listed.
 *
 * @throws ServiceError `invalid` without a token, and for another host.
 */
async function tokenFor(
  { vendor, host, isOwnHost }: VendorPlace,
  credentials: Credentials | null,
  privateTargets: PrivateTargets,
): Promise<string> {
  const { name, location, right } = VENDORS[vendor];
  if (credentials?.type !== 'token')
    throw invalid(
      `credentials: expected {"type":"token","token":...} to read ${name}, got none; set them for the source. It needs ${right}`,
    );
  if (!isOwnHost && !(await isOperatorsHost(privateTargets, host, 'location')))
    throw invalid(
      `location: ${JSON.stringify(host)} is no host of ${name}, and gets no token; ${location}, or let the operator list it in PRIVATE_TARGETS`,
    );
  return credentials.token;
}
