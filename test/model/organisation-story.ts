import type { Day, Month } from '../../domain/shared/calendar.ts';
import type { SpendPick } from '../../domain/spend/spend-pick.ts';

// A random organisation as plain data: what happened to it, in time's order. The product is told it step by step
// (told-organisation.ts), and so is the naive calculation (naive-organisation.ts). Amounts are decimal texts.

/**
 * What an id means, which its spelling must not change: of a machine, disk or scale set; of a load balancer, whose ARN
 * not everybody knows; of a cluster itself, as a bill names it. Amazon's ids are unique, a mere name is not.
 */
export type Identity =
  | { of: 'azure'; path: string }
  | { of: 'google'; project: string; zone: string; name: string }
  | { of: 'amazon'; name: string }
  | { of: 'balancer'; name: string; arn: string | null }
  | { of: 'cluster'; name: string; id: string }
  | { of: 'name'; name: string };

/** An id as one feed spells it, and what it means. */
export interface Mention {
  text: string;
  means: Identity;
}

/** A line of a bill; whether its service, group or tag is collected depends on the choices of its time. */
export interface BillLine {
  day: Day;
  cloud: string;
  account: string;
  service: string | null;
  resource_group: string | null;
  tags: Readonly<Record<string, string>>;
  resource: Mention | null;
  cost: string;
}

/** A cluster's workload, or its idle capacity where `namespace` is null. */
export interface Allocation {
  day: Day;
  cluster: string;
  namespace: string | null;
  workload: string | null;
  cost: string;
}

/** An asset of a cluster; `project` is the Google project, where the feed knows it. */
export interface Asset {
  day: Day;
  cluster: string;
  kind: 'node' | 'disk' | 'load_balancer' | 'management';
  id: Mention | null;
  project: string | null;
  cost: string;
}

/** A service on a host, or the host's idle share where `service` is null. */
export interface HostShare {
  day: Day;
  host: string;
  service: string | null;
  machine: Mention | null;
  cost: string;
}

export interface ToolSpend {
  day: Day;
  tool: string;
  cost: string;
}

export interface ToolUsage {
  day: Day;
  tool: string;
  repository: string | null;
  usage: string;
}

/** What one load of a source brings. */
export type Feed =
  | { kind: 'focus'; lines: readonly BillLine[] }
  | { kind: 'opencost'; allocations: readonly Allocation[]; assets: readonly Asset[] }
  | { kind: 'hosts'; shares: readonly HostShare[] }
  | { kind: 'ai_tools'; spend: readonly ToolSpend[]; usage: readonly ToolUsage[] };

export type Kind = Feed['kind'];
export const KINDS: readonly Kind[] = ['focus', 'opencost', 'hosts', 'ai_tools'];

/** Which of a kind's sources: there are up to two of each. */
export interface SourceName {
  kind: Kind;
  number: 1 | 2;
}

export interface StoryMetric {
  aggregation: 'total' | 'average';
  frequency: 'daily' | 'monthly';
  /** Null divides the bill of a team, or the organisation's total spend. */
  picks: readonly SpendPick[] | null;
  /** Counts the teams in the order of the story, from 0; null where none's bill is divided. */
  team: number | null;
  labelled: boolean;
  target: string | null;
}

export interface StoryValue {
  period: Day;
  label: string;
  /** At least 0, with at most ten decimals. */
  value: string;
}

/** How a shared cost is split; percents are decimal texts. */
export type StorySplit =
  | { type: 'even'; teams: readonly number[] }
  | { type: 'fixed'; shares: readonly { team: number; percent: string }[] }
  | { type: 'metric'; metric: number; labels: Readonly<Record<string, number>> };

export interface StorySharedCost {
  spend: readonly SpendPick[];
  split: StorySplit;
}

/** What happens to teams and what they share. */
export type TeamStep =
  | { does: 'make team'; ownership: readonly SpendPick[] }
  | { does: 'own'; team: number; ownership: readonly SpendPick[] }
  | { does: 'delete team'; team: number }
  | ({ does: 'make shared cost' } & StorySharedCost)
  | ({ does: 'change shared cost'; sharedCost: number } & StorySharedCost)
  | { does: 'delete shared cost'; sharedCost: number };

/** What happens on a day. `metric`, `team` and `sharedCost` count those in the order of the story, from 0. */
export type Step = { on: Day } & (
  | { does: 'create metric'; metric: StoryMetric }
  | { does: 'repick'; metric: number; picks: readonly SpendPick[] }
  | { does: 'load'; source: SourceName; month: Month; feed: Feed }
  | { does: 'delete source'; source: SourceName }
  | { does: 'begin source'; source: SourceName; startsOn: Day | null }
  /** `isBehind`: written by a machine whose clock is behind. */
  | { does: 'set values'; metric: number; values: readonly StoryValue[]; isBehind?: boolean }
  | { does: 'remove values'; metric: number; start: Day; end: Day }
  | { does: 'settle' }
  | { does: 'lock'; metric: number; month: Month; acceptMissing: boolean }
  | { does: 'read bills' }
  | { does: 'reseal'; month: Month }
  | TeamStep
);

export interface Organisation {
  settleDays: number;
  /** Sources whose schedule is paused: their months do not wait for them. */
  paused: readonly SourceName[];
  /** Whether there is an active source, too, that never delivers. */
  waitsForever: boolean;
  story: readonly Step[];
  /** When everything is read in the end. */
  today: Day;
  /** The days that costs are asked for, both inclusive. */
  range: { start: Day; end: Day };
  /** Which breakdowns are asked for, beside those that always are. */
  breakdown: number;
}

export const sourceKey = ({ kind, number }: SourceName): string => `${kind} ${number}`;
