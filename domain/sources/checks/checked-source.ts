import type { Day, Month } from '../../shared/calendar.ts';

/** Machines of connected clusters and hosts, or of the source itself, that stand on bills. */
interface MachinesOnBills {
  nodes: number;
  on_bill: number;
}

/** What a check has found in a source. What is not known is null, or an empty list. */
export interface FoundInSource {
  /** Files with data that an ingest would read. Manifests and copies do not count. */
  files: number | null;
  /** Those of them that the check did not read, because there was no time. */
  files_not_read: number | null;
  bytes: number | null;
  format: string | null;
  /** The months with charges. */
  months: Month[];
  first_day: Day | null;
  last_day: Day | null;
  currency: string | null;
  /** The accounts of a bill. */
  accounts: string[];
  /** Accounts (`aws/1111`), clusters, hosts or tools, as `GET /cost-sources/{id}/units` names them. */
  units: string[];
  rows_estimate: number | null;
  /** Files that nobody has written for a day, so that a daily run need not read them. */
  unchanged_by_run: number | null;
  clusters_matched: MachinesOnBills | null;
  clusters: (MachinesOnBills & { cluster: string })[];
}

/** The answer of a check (docs/http.md#connect-a-cost-source). */
export interface CheckedSource {
  /** Why an ingest would fail, or its numbers would be wrong, and what to change. */
  problems: string[];
  /** What works, and is worth a change. */
  warnings: string[];
  found: FoundInSource;
}

export const NOTHING_FOUND: FoundInSource = {
  files: null,
  files_not_read: null,
  bytes: null,
  format: null,
  months: [],
  first_day: null,
  last_day: null,
  currency: null,
  accounts: [],
  units: [],
  rows_estimate: null,
  unchanged_by_run: null,
  clusters_matched: null,
  clusters: [],
};

/** Sentences of a check. */
export type Findings = Pick<CheckedSource, 'problems' | 'warnings'>;
