import { invalid } from '../../domain/shared/errors.ts';
import { isTableLocation } from '../../domain/sources/table-location.ts';
import {
  missingAiSpendColumns,
  missingAiUsageColumns,
  stageAiTools,
} from '../../warehouse/sources/ai-tools-load.ts';
import type { CostSource, CostSourceOf } from '../../warehouse/sources/cost-sources.ts';
import { missingColumns } from '../../warehouse/sources/focus/focus-columns.ts';
import { stageFocus } from '../../warehouse/sources/focus/focus-load.ts';
import { missingHostColumns, stageHosts } from '../../warehouse/sources/hosts-load.ts';
import type { StagedLoad } from '../../warehouse/sources/publishing/load.ts';
import { readOpenCost } from './read-opencost.ts';
import type { Reading } from './reading.ts';
import { readBillTable } from './tables/read-bill-table.ts';

type Kind = CostSource['kind'];

/** For each kind of source: reads its files, or its API, and stages their rows. */
const READERS: { [K in Kind]: (source: CostSourceOf<K>, reading: Reading) => Promise<StagedLoad> } = {
  focus: async (source, reading) => {
    const { location, options } = source;
    if (isTableLocation(location)) return readBillTable(source, reading);
    refuseTableOptions(options);
    const { cost_column: costColumn } = options;
    const { sessions, load, files, currency } = reading;
    return stageFocus(sessions, load, {
      files: await files.at('location', location, (file) => missingColumns(file, costColumn)),
      costColumn,
      currency,
    });
  },
  gcp_billing: readBillTable,
  opencost: readOpenCost,
  hosts: async ({ location }, { sessions, load, files }) =>
    stageHosts(sessions, load, await files.at('location', location, missingHostColumns)),
  ai_tools: async ({ location, options }, { sessions, load, files }) =>
    stageAiTools(sessions, load, {
      spend: await files.at('location', location, missingAiSpendColumns),
      usage: await files.at('options.usage_location', options.usage_location, missingAiUsageColumns),
    }),
};

/** Throws `invalid` for an option that would do nothing. */
function refuseTableOptions(options: CostSourceOf<'focus'>['options']): void {
  if (options.kubernetes !== undefined)
    throw invalid('options.kubernetes: expected none, because the location is not a table of BigQuery');
}

/** Reads a source of any kind, and stages its rows under the load. */
export const readSource = <K extends Kind>(source: CostSourceOf<K>, reading: Reading): Promise<StagedLoad> =>
  READERS[source.kind](source, reading);
