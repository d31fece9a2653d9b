/** What is different about a part of the total. */
interface PartOfTotal {
  /** The `source` of picks that take its spend. */
  pick: 'cloud' | 'kubernetes' | 'host' | 'repository';
  /** The part in sentences: `no Kubernetes spend has been ingested`. */
  words: string;
  /** What the spend belongs to. */
  unit: 'account' | 'cluster' | 'host' | 'tool';
}

/** The parts of the total cost (docs/http.md#read-costs), in the order in which they are shown. Several kinds of sources may fill one. */
export const SPEND = {
  cloud: { pick: 'cloud', words: 'cloud', unit: 'account' },
  kubernetes: { pick: 'kubernetes', words: 'Kubernetes', unit: 'cluster' },
  hosts: { pick: 'host', words: 'host', unit: 'host' },
  ai_tools: { pick: 'repository', words: 'AI tool', unit: 'tool' },
} as const satisfies Record<string, PartOfTotal>;

export type SpendSource = keyof typeof SPEND;

export const SPEND_SOURCES = Object.keys(SPEND) as SpendSource[];

export type UnitKind = (typeof SPEND)[SpendSource]['unit'];
