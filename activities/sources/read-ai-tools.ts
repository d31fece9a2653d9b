import {
  missingAiSpendColumns,
  missingAiUsageColumns,
  stageAiTools,
} from '../../warehouse/sources/ai-tools-load.ts';
import type { CostSourceOf } from '../../warehouse/sources/cost-sources.ts';
import type { StagedLoad } from '../../warehouse/sources/publishing/load.ts';
import type { Reading } from './reading.ts';
import { readVendor } from './vendors/read-vendor.ts';

/** Reads the spend of AI tools from files or from their vendor; see `stageAiToolFeeds`. */
export async function readAiTools(source: CostSourceOf<'ai_tools'>, reading: Reading): Promise<StagedLoad> {
  const { vendor, usage_location: usage } = source.options;
  if (vendor !== undefined) return readVendor(source, vendor, reading);
  const { sessions, load, files } = reading;
  const spend = { location: source.location, missing: missingAiSpendColumns };
  const usageFeed = { location: usage, missing: missingAiUsageColumns };
  return stageAiTools(sessions, load, {
    spend: await files.at('location', source.location, missingAiSpendColumns, usageFeed),
    usage:
      usage === undefined
        ? null
        : await files.at('options.usage_location', usage, missingAiUsageColumns, spend),
  });
}
