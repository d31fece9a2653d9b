import type { SpendSource } from './spend-sources.ts';

/** What is different about a kind of cost source. */
interface KindOfSource {
  /** The part of the total that its spend is. */
  spend: SpendSource;
  /**
   * Which days a load covers. A bill covers its billing period up to the newest day that the source has brought. Clusters and
   * hosts have spend every day, so that a load covers the days that it has read. AI tools may have days without spend: a load
   * covers the days from the first that the source ever brought to the newest.
   */
  covers: 'billing period' | 'read days' | 'brought days';
  /** Whether its location can be a table of BigQuery. */
  readsTables?: true;
}

/** The kinds of cost sources (docs/data-formats.md). Whatever depends on the kind of a source asks this table. */
export const KINDS = {
  focus: { spend: 'cloud', covers: 'billing period', readsTables: true },
  aws_cur: { spend: 'cloud', covers: 'billing period' },
  azure_cost: { spend: 'cloud', covers: 'billing period' },
  gcp_billing: { spend: 'cloud', covers: 'billing period', readsTables: true },
  custom: { spend: 'cloud', covers: 'billing period' },
  opencost: { spend: 'kubernetes', covers: 'read days' },
  hosts: { spend: 'hosts', covers: 'read days' },
  ai_tools: { spend: 'ai_tools', covers: 'brought days' },
} as const satisfies Record<string, KindOfSource>;

export type Kind = keyof typeof KINDS;

/** Returns whether sources of a kind can read tables of BigQuery. */
export function readsTables(kind: Kind): boolean {
  const { readsTables: reads }: KindOfSource = KINDS[kind];
  return reads === true;
}

/** Returns the kinds that a condition holds for, in alphabetical order. */
export const kindsThat = (holds: (kind: KindOfSource) => boolean): Kind[] =>
  (Object.keys(KINDS) as Kind[]).filter((kind) => holds(KINDS[kind])).sort();
