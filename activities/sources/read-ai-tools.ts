import {
  missingAiSpendColumns,
  missingAiUsageColumns,
  stageAiTools,
} from '../../warehouse/sources/ai-tools-load.ts';
import type { CostSourceOf } from '../../warehouse/sources/cost-sources.ts';
import type { StagedLoad } from '../../warehouse/sources/publishing/load.ts';
import { ofKind } from './of-kind.ts';
import type { Reading } from './reading.ts';
import { readVendor } from './vendors/read-vendor.ts';

/** The mandatory columns that a file of a feed lacks. */
const MISSING = {
  spend: ofKind('ai_tools', missingAiSpendColumns),
  usage: ofKind('ai_tools', missingAiUsageColumns),
};

/** Reads the spend of AI tools from files or from their vendor; see `stageAiToolFeeds`. */
export async function readAiTools(source: CostSourceOf<'ai_tools'>, reading: Reading): Promise<StagedLoad> {
  const { vendor, usage_location: usage } = source.options;
  if (vendor !== undefined) return readVendor(source, vendor, reading);
  const { sessions, load, files } = reading;
  return stageAiTools(sessions, load, {
    spend: await files.at('location', source.location, MISSING.spend, {
      other: { location: usage, missing: MISSING.usage },
    }),
    usage:
      usage === undefined
        ? null
        : await files.at('options.usage_location', usage, MISSING.usage, {
            other: { location: source.location, missing: MISSING.spend },
          }),
  });
}
