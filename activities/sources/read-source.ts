import type { CostSource, CostSourceOf } from '../../warehouse/sources/cost-sources.ts';
import { missingColumns } from '../../warehouse/sources/focus/focus-columns.ts';
import { stageFocus } from '../../warehouse/sources/focus/focus-load.ts';
import { missingHostColumns, stageHosts } from '../../warehouse/sources/hosts-load.ts';
import type { StagedLoad } from '../../warehouse/sources/publishing/load.ts';
import { readAiTools } from './read-ai-tools.ts';
import { readOpenCost } from './read-opencost.ts';
import type { Reading } from './reading.ts';

type Kind = CostSource['kind'];

/** For each kind of source: reads its files, or its API, and stages their rows. */
const READERS: { [K in Kind]: (source: CostSourceOf<K>, reading: Reading) => Promise<StagedLoad> } = {
  focus: async ({ location, options: { cost_column: costColumn } }, { sessions, load, files, currency }) =>
    stageFocus(sessions, load, {
      files: await files.at('location', location, (file) => missingColumns(file, costColumn)),
      costColumn,
      currency,
    }),
  opencost: readOpenCost,
  hosts: async ({ location }, { sessions, load, files }) =>
    stageHosts(sessions, load, await files.at('location', location, missingHostColumns)),
  ai_tools: readAiTools,
};

/** Reads a source of any kind, and stages its rows under the load. */
export const readSource = <K extends Kind>(source: CostSourceOf<K>, reading: Reading): Promise<StagedLoad> =>
  READERS[source.kind](source, reading);
