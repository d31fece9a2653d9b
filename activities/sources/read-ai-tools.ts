import {
  missingAiSpendColumns,
  missingAiUsageColumns,
  stageAiTools,
} from '../../warehouse/sources/ai-tools-load.ts';
import type { CostSourceOf } from '../../warehouse/sources/cost-sources.ts';
import type { StagedLoad } from '../../warehouse/sources/publishing/load.ts';
import type { Reading } from './reading.ts';

/** Reads the spend of AI tools, and their usage by repository, from files; see `stageAiTools`. */
export async function readAiTools(
  { location, options: { usage_location: usage } }: CostSourceOf<'ai_tools'>,
  { sessions, load, files }: Reading,
): Promise<StagedLoad> {
  return stageAiTools(sessions, load, {
    spend: await files.at('location', location, missingAiSpendColumns),
    usage:
      usage === undefined ? null : await files.at('options.usage_location', usage, missingAiUsageColumns),
  });
}
