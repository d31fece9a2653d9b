import type { CostSource, CostSourceOf } from '../../warehouse/sources/cost-sources.ts';
import { BILL_FORMATS } from '../../warehouse/sources/bills/formats.ts';
import { missingHostColumns, stageHosts } from '../../warehouse/sources/hosts-load.ts';
import type { StagedLoad } from '../../warehouse/sources/publishing/load.ts';
import { ofKind } from './of-kind.ts';
import { readAiTools } from './read-ai-tools.ts';
import { readBill, readCustomBill } from './read-bill.ts';
import { readOpenCost } from './read-opencost.ts';
import type { Reading } from './reading.ts';
import { tableOr } from './tables/read-bill-table.ts';

type Kind = CostSource['kind'];

/** For each kind of source: reads its files, or its API, and stages their rows. */
const READERS: { [K in Kind]: (source: CostSourceOf<K>, reading: Reading) => Promise<StagedLoad> } = {
  focus: tableOr(readBill(null)),
  aws_cur: readBill(BILL_FORMATS.aws_cur),
  azure_cost: readBill(BILL_FORMATS.azure_cost),
  gcp_billing: tableOr(readBill(BILL_FORMATS.gcp_billing)),
  custom: readCustomBill,
  opencost: readOpenCost,
  hosts: async ({ location }, { sessions, load, files }) =>
    stageHosts(sessions, load, await files.at('location', location, ofKind('hosts', missingHostColumns))),
  ai_tools: readAiTools,
};

/** Reads a source of any kind, and stages its rows under the load. */
export const readSource = <K extends Kind>(source: CostSourceOf<K>, reading: Reading): Promise<StagedLoad> =>
  READERS[source.kind](source, reading);
