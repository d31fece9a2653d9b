import type { Day } from '../../../domain/shared/calendar.ts';
import type {
  Allocation,
  Asset,
  BillLine,
  HostShare,
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
}

/** What feeds bring, without what follows from their sources. */
export type FeedRows = Omit<Rows, 'reporters' | 'billDays'>;
