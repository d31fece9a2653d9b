import type { Day, Month } from '../../domain/shared/calendar.ts';
import type { SpendPick } from '../../domain/spend/spend-pick.ts';

// A random organisation as plain data: its steps in order of time. The product (told-organisation.ts) and the naive
// calculation (naive-organisation.ts) both run them step by step. Amounts are decimal texts. Labels and picks are as people write
// them: an accent in either encoding, and blanks around a text.

/**
 * The meaning of an id, in whatever spelling: a machine, disk or scale set; a load balancer, whose ARN not every feed knows; or
 * the cluster itself, with its name on a bill. Amazon's ids are unique, and a bare name is not. A cluster makes up an id that no
 * bill has. `set` is the path of the scale set of a machine in Azure.
 */
export type Identity =
  | { of: 'azure'; path: string; set: string | null }
  | { of: 'google'; project: string; zone: string; name: string }
  | { of: 'amazon'; name: string }
  | { of: 'balancer'; name: string; arn: string | null }
  | { of: 'cluster'; name: string; id: string }
  | { of: 'name'; name: string }
  | { of: 'made up'; name: string };

/** An id in the spelling of one feed, and its meaning. */
export interface Mention {
  text: string;
  means: Identity;
  /** The name and the zone that the bill has beside the id. */
  called?: { name: string; zone: string };
}

/** A line of a bill. The choices at the time of its load decide whether its service, group or tag is collected. */
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

/** Returns a line of which only the day and the cost matter. */
export const plainLine = (day: Day, cost: string): BillLine => ({
  day,
  cloud: 'aws',
  account: '1111',
  service: null,
  resource_group: null,
  tags: {},
  resource: null,
  cost,
});

/** A cluster's workload, or its idle capacity if `namespace` is null. */
export interface Allocation {
  day: Day;
  cluster: string;
  namespace: string | null;
  workload: string | null;
  cost: string;
}

/** An asset of a cluster. `project` is the Google project, null if the feed does not know it. */
export interface Asset {
  day: Day;
  cluster: string;
  kind: 'node' | 'disk' | 'load_balancer' | 'management';
  id: Mention | null;
  project: string | null;
  cost: string;
}

/** A service on a host, or the host's idle share if `service` is null. */
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

/** A row that cannot be read. */
export interface RejectedRow {
  /** Whether it is in the second feed of its source: the assets of clusters, or the usage of AI tools. */
  isOfSecond: boolean;
  /** The first and the last day of its charge; null if they cannot be read. */
  days: readonly [Day, Day] | null;
  /** The billing period of a bill's row; null if it cannot be read. Rows of other feeds have none. */
  period: Month | null;
  /** What else is wrong: an amount such as `12,345.67`, or a name that is missing. */
  lacks: 'amount' | 'name';
}

/** Another file of a load with rows of the first one: a copy, a file from earlier in the month, or the export of one account. */
export type FileCopy = { of: 'all'; isCompressed: boolean } | { through: Day } | { account: string };

/** The files of a load, beside the rows that count. */
export interface Delivery {
  rejected: readonly RejectedRow[];
  /** Whether each rejected row has a hundred others beside it. A feed with more rejected rows is refused. */
  isMostlyReadable: boolean;
  copies: readonly FileCopy[];
}

/** The content of one load of a source. */
export type Feed = Delivery &
  (
    | { kind: 'focus'; lines: readonly BillLine[] }
    | { kind: 'opencost'; allocations: readonly Allocation[]; assets: readonly Asset[] }
    | { kind: 'hosts'; shares: readonly HostShare[] }
    | { kind: 'ai_tools'; spend: readonly ToolSpend[]; usage: readonly ToolUsage[] }
  );

export type Kind = Feed['kind'];
export const KINDS: readonly Kind[] = ['focus', 'opencost', 'hosts', 'ai_tools'];

/** One of the up to two sources of a kind. */
export interface SourceName {
  kind: Kind;
  number: 1 | 2;
}

export interface StoryMetric {
  aggregation: 'total' | 'average';
  frequency: 'daily' | 'monthly';
  /** Null for the bill of a team, or for the organisation's total spend. */
  picks: readonly SpendPick[] | null;
  /** The number of the team in the order of the story, from 0; null without team scope. */
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

/** The split of a shared cost. Percents are decimal texts. */
export type StorySplit =
  | { type: 'even'; teams: readonly number[] }
  | { type: 'fixed'; shares: readonly { team: number; percent: string }[] }
  | { type: 'metric'; metric: number; labels: Readonly<Record<string, number>> };

export interface StorySharedCost {
  spend: readonly SpendPick[];
  split: StorySplit;
}

/** The steps of teams and shared costs. */
export type TeamStep =
  | { does: 'make team'; ownership: readonly SpendPick[] }
  | { does: 'own'; team: number; ownership: readonly SpendPick[] }
  | { does: 'delete team'; team: number }
  | ({ does: 'make shared cost' } & StorySharedCost)
  | ({ does: 'change shared cost'; sharedCost: number } & StorySharedCost)
  | { does: 'delete shared cost'; sharedCost: number };

/** What a person decides about a doubt. `unit` is an account (`aws/1111`), cluster, host or tool of the source. */
export type DecisionStep =
  /** `day` is the last day that counts; null: it has not ended. */
  | { does: 'end unit'; source: SourceName; unit: string; day: Day | null }
  | { does: 'confirm unit'; source: SourceName; unit: string; stands: boolean }
  | { does: 'tell on bill'; source: SourceName; onBill: OnBill };

/** How a run of an import ends. One that is cut off has stored its values, and does not complete. */
export type RunEnd = 'completed' | 'failed' | 'cut off';

/** The steps of the import of a metric. */
export type ImportStep =
  /** Connects the metric, or gives its import another key. Its first run of twelve months begins. */
  | { does: 'connect'; metric: number }
  | { does: 'disconnect'; metric: number }
  /** Begins a run, unless one is under way. It reads from `startMonth` on; null leaves that to the run. */
  | { does: 'begin run'; metric: number; startMonth: Month | null }
  /** Ends the run under way. `values` is all that the platform has. */
  | { does: 'end run'; metric: number; ends: RunEnd; values: readonly StoryValue[] };

/** A step on a day. `metric`, `team` and `sharedCost` are numbers in the order of the story, from 0. */
export type Step = { on: Day } & (
  | { does: 'create metric'; metric: StoryMetric }
  | { does: 'repick'; metric: number; picks: readonly SpendPick[] }
  | { does: 'load'; source: SourceName; month: Month; feed: Feed }
  | { does: 'delete source'; source: SourceName }
  | { does: 'begin source'; source: SourceName; startsOn: Day | null }
  /** `isBehind`: the machine that writes has a clock that is behind. */
  | { does: 'set values'; metric: number; values: readonly StoryValue[]; isBehind?: boolean }
  | { does: 'remove values'; metric: number; start: Day; end: Day; label: string | null }
  | { does: 'settle' }
  | { does: 'lock'; metric: number; month: Month; acceptMissing: boolean }
  | { does: 'read bills' }
  | { does: 'reseal'; month: Month }
  | DecisionStep
  | ImportStep
  | TeamStep
);

/** The form in which a source writes its bills: FOCUS, a cloud's own, or that of any vendor. */
export type BillForm = 'focus' | 'aws_cur' | 'azure_cost' | 'gcp_billing' | 'custom';

export type OnBill = 'auto' | 'always' | 'never';

export interface Organisation {
  settleDays: number;
  /** Sources whose schedule is paused, so that months do not wait for them. */
  paused: readonly SourceName[];
  /** Whether machines of a source without a bill line are on a bill, by source, until a step says otherwise; auto if missing. */
  onBill: Readonly<Record<string, OnBill>>;
  /** The form of each source's bills; FOCUS if missing. */
  forms: Readonly<Record<string, BillForm>>;
  /** Whether another active source never delivers. */
  waitsForever: boolean;
  story: readonly Step[];
  /** The day at the end on which everything is read. */
  today: Day;
  /** The range of days in which costs are read, both inclusive. */
  range: { start: Day; end: Day };
  /** The number of a breakdown to read, beside the one that is always read. */
  breakdown: number;
}

export const sourceKey = ({ kind, number }: SourceName): string => `${kind} ${number}`;
