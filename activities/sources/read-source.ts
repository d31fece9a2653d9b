import {
  missingAiSpendColumns,
  missingAiUsageColumns,
  stageAiTools,
} from '../../warehouse/sources/ai-tools-load.ts';
import type { CostSource, CostSourceOf } from '../../warehouse/sources/cost-sources.ts';
import { missingColumns } from '../../warehouse/sources/focus/focus-columns.ts';
import { stageFocus } from '../../warehouse/sources/focus/focus-load.ts';
import { missingHostColumns, stageHosts } from '../../warehouse/sources/hosts-load.ts';
import { readChangedBills, readIfChanged } from './read-changed.ts';
import { readOpenCost } from './read-opencost.ts';
import type { Reading, SourceReading } from './reading.ts';

type Kind = CostSource['kind'];

/** For each kind of source: reads its files, or its API, as far as they have changed, and stages their rows. */
const READERS: { [K in Kind]: (source: CostSourceOf<K>, reading: Reading) => Promise<SourceReading> } = {
  focus: ({ location, options: { cost_column: costColumn } }, reading) =>
    readChangedBills(
      reading,
      location,
      (file) => missingColumns(file, costColumn),
      (files, part) =>
        stageFocus(reading.sessions, reading.load, { files, costColumn, currency: reading.currency, part }),
    ),
  opencost: readOpenCost,
  hosts: ({ location }, reading) =>
    readIfChanged(
      reading,
      [{ field: 'location', location, missing: missingHostColumns }] as const,
      ([files]) => stageHosts(reading.sessions, reading.load, files),
    ),
  ai_tools: ({ location, options }, reading) =>
    readIfChanged(
      reading,
      [
        { field: 'location', location, missing: missingAiSpendColumns },
        {
          field: 'options.usage_location',
          location: options.usage_location,
          missing: missingAiUsageColumns,
        },
      ] as const,
      ([spend, usage]) => stageAiTools(reading.sessions, reading.load, { spend, usage }),
    ),
};

/** Reads what has changed of a source of any kind, and stages its rows under the load. */
export const readSource = <K extends Kind>(
  source: CostSourceOf<K>,
  reading: Reading,
): Promise<SourceReading> => READERS[source.kind](source, reading);
