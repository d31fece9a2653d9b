import type { CostSource, CostSourceOf } from '../../warehouse/sources/cost-sources.ts';
import { missingHostColumns, stageHosts } from '../../warehouse/sources/hosts-load.ts';
import { ofKind } from './of-kind.ts';
import { readAiTools } from './read-ai-tools.ts';
import { readBill, readCustomBill } from './read-bill.ts';
import { readIfChanged } from './read-changed.ts';
import { readOpenCost } from './read-opencost.ts';
import type { Reading, SourceReading } from './reading.ts';
import { tableOr } from './tables/read-bill-table.ts';

type Kind = CostSource['kind'];

/** For each kind of source: reads its files, or its API, as far as they have changed, and stages their rows. */
const READERS: { [K in Kind]: (source: CostSourceOf<K>, reading: Reading) => Promise<SourceReading> } = {
  focus: tableOr(readBill),
  aws_cur: readBill,
  azure_cost: readBill,
  gcp_billing: tableOr(readBill),
  custom: readCustomBill,
  opencost: readOpenCost,
  hosts: ({ location }, reading) =>
    readIfChanged(
      reading,
      [{ field: 'location', location, missing: ofKind('hosts', missingHostColumns) }] as const,
      ([files]) => stageHosts(reading.sessions, reading.load, files),
    ),
  ai_tools: readAiTools,
};

/** Reads what has changed of a source of any kind, and stages its rows under the load. */
export const readSource = <K extends Kind>(
  source: CostSourceOf<K>,
  reading: Reading,
): Promise<SourceReading> => READERS[source.kind](source, reading);
