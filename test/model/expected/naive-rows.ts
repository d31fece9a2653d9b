import type { Day } from '../../../domain/shared/calendar.ts';
import type {
  Allocation,
  Asset,
  BillLine,
  HostShare,
  Kind,
  OnBill,
  ToolSpend,
  ToolUsage,
} from '../organisation-story.ts';

/** A bill line with the values that its load collected. */
export interface CollectedLine extends BillLine {
  split: { kind: 'service' | 'resource_group'; value: string } | null;
  tag: { key: string; value: string } | null;
}

/** The current rows of all sources. */
export interface Rows {
  lines: readonly CollectedLine[];
  allocations: readonly Allocation[];
  assets: readonly Asset[];
  shares: readonly HostShare[];
  spend: readonly ToolSpend[];
  usage: readonly ToolUsage[];
  /** The clusters (`kubernetes NAME`) and hosts (`hosts NAME`) of each day, with what their sources say about bills. */
  reporters: readonly { day: Day; of: string; source: number; onBill: OnBill }[];
  /** The days that bills of their own month have delivered. */
  billDays: readonly { day: Day; cloud: string; publishedOn: Day }[];
  /** All assets, which clusters without assets of their own can borrow. Some count in another source only. */
  knownAssets: readonly Asset[];
}

/** What feeds bring, without what follows from their sources. */
export type FeedRows = Omit<Rows, 'reporters' | 'billDays' | 'knownAssets'>;

/** A row of a unit. Rows of one part of a day add up before they are stored; without a part, they do not. */
export interface UnitRow {
  unit: string;
  day: Day;
  cost: string;
  part?: string;
  isAsset?: true;
}

/** Returns the rows that show that a unit has spend. */
export function unitRows(kind: Kind, { lines, allocations, assets, shares, spend }: FeedRows): UnitRow[] {
  switch (kind) {
    case 'focus':
      return lines.map(({ cloud, account, ...row }) => ({ ...row, unit: `${cloud}/${account}` }));
    case 'opencost':
      return [
        ...assets.map(({ cluster, day, cost, kind: ofAsset, id, project }) => ({
          unit: cluster,
          day,
          cost,
          part: `${ofAsset} ${id?.text} ${project}`,
          isAsset: true,
        })),
        ...allocations.map(({ cluster, day, cost, namespace, workload }) => ({
          // Assets are the whole cost of their day.
          unit: cluster,
          day,
          cost: assets.some((asset) => asset.day === day && asset.cluster === cluster) ? '0' : cost,
          part: `${namespace} ${workload}`,
        })),
      ];
    case 'hosts':
      return shares.map(({ host, day, cost, service, machine }) => ({
        unit: host,
        day,
        cost,
        part: `${service} ${machine?.text}`,
      }));
    case 'ai_tools':
      return spend.map(({ tool, ...row }) => ({ ...row, unit: tool }));
  }
}
