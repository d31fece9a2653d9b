import { join } from 'node:path';
import type { Day, Month } from '../../domain/shared/calendar.ts';
import { aiSpendCsv, aiUsageCsv } from './ai-tools-export.ts';
import { allocationCsv } from './allocation-row.ts';
import { awsBill } from './aws-bill.ts';
import { azureBill } from './azure-bill.ts';
import { edgeAllocations } from './edge-cluster.ts';
import { focusCsv, type Bill } from './focus-row.ts';
import { googleBill } from './google-bill.ts';
import { hostsCsv } from './hosts-export.ts';
import { prodAllocations, prodAssetsCsv } from './prod-cluster.ts';

/** Files of one sort, one per month, in a folder of their own. */
export interface Feed {
  folder: string;
  /** What a file is called before its month. */
  file: string;
  /** The text of a month's file, in parts. */
  csv: (month: Month, days: readonly Day[]) => Iterable<string>;
}

/** A cost source of the sample organisation as the API takes it, and the exports that it reads. */
export interface SampleSource {
  name: string;
  kind: 'focus' | 'opencost' | 'hosts' | 'ai_tools';
  location: string;
  options: Record<string, string>;
  feeds: readonly Feed[];
}

/** The cost source whose export of a month the demo writes anew. */
export const RESTATED_SOURCE = 'AWS';

/**
 * The cost sources of the sample organisation, their exports below `folder`; AWS's bill of the month `restated`
 * with a correction.
 */
export const sampleSources = (folder: string, restated: Month | null): SampleSource[] => {
  const below = (name: string, file: string, csv: Feed['csv']): Feed => ({
    folder: join(folder, name),
    file,
    csv,
  });
  const bill = (name: string, of: (month: Month, days: readonly Day[]) => Bill): Feed =>
    below(name, 'focus', (month, days) => focusCsv(of(month, days)));

  const prod = below('cluster-prod', 'allocations', (_, days) => allocationCsv(days, prodAllocations));
  const prodAssets = below('cluster-prod-assets', 'assets', (_, days) => prodAssetsCsv(days));
  const edge = below('cluster-edge', 'allocations', (_, days) => allocationCsv(days, edgeAllocations));
  const hosts = below('hosts', 'hosts', (_, days) => hostsCsv(days));
  const aiSpend = below('ai-spend', 'spend', (_, days) => aiSpendCsv(days));
  const aiUsage = below('ai-usage', 'usage', (_, days) => aiUsageCsv(days));
  return [
    source('AWS', 'focus', [bill('aws', (month, days) => awsBill(month, days, month === restated))]),
    source('Azure', 'focus', [bill('azure', azureBill)]),
    source('Google Cloud', 'focus', [bill('google', googleBill)]),
    source('Cluster prod', 'opencost', [prod, prodAssets], {
      cluster: 'prod',
      assets_location: prodAssets.folder,
    }),
    source('Cluster edge', 'opencost', [edge], { cluster: 'edge' }),
    source('Hosts', 'hosts', [hosts]),
    source('AI tools', 'ai_tools', [aiSpend, aiUsage], { usage_location: aiUsage.folder }),
  ];
};

/** The first of the feeds is the source's location. */
const source = (
  name: string,
  kind: SampleSource['kind'],
  feeds: readonly [Feed, ...Feed[]],
  options: SampleSource['options'] = {},
): SampleSource => ({ name, kind, location: feeds[0].folder, options, feeds });
