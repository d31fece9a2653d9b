import {
  missingAiSpendColumns,
  missingAiUsageColumns,
  stageAiTools,
} from '../../warehouse/sources/ai-tools-load.ts';
import type { CostSourceOf } from '../../warehouse/sources/cost-sources.ts';
import { ofKind } from './of-kind.ts';
import { readIfChanged } from './read-changed.ts';
import type { Reading, SourceReading } from './reading.ts';
import { readVendor } from './vendors/read-vendor.ts';

/** The mandatory columns that a file of a feed lacks. */
const MISSING = {
  spend: ofKind('ai_tools', missingAiSpendColumns),
  usage: ofKind('ai_tools', missingAiUsageColumns),
};

/** Reads the spend of AI tools from files, if they have changed, or from their vendor; see `stageAiToolFeeds`. */
export async function readAiTools(
  source: CostSourceOf<'ai_tools'>,
  reading: Reading,
): Promise<SourceReading> {
  const { vendor, usage_location: ofUsage } = source.options;
  if (vendor !== undefined) return { staged: await readVendor(source, vendor, reading), record: null };
  const { sessions, load } = reading;
  return readIfChanged(
    reading,
    [
      { field: 'location', location: source.location, missing: MISSING.spend },
      ...(ofUsage === undefined
        ? []
        : [{ field: 'options.usage_location', location: ofUsage, missing: MISSING.usage }]),
    ],
    ([spend = [], usage = null]) => stageAiTools(sessions, load, { spend, usage }),
  );
}
