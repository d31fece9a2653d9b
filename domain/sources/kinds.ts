/** What is different about a kind of cost source. */
interface KindOfSource {
  /** The part of the total that its spend is. */
  spend: 'cloud' | 'kubernetes' | 'hosts' | 'ai_tools';
  /** The `source` of picks that take its spend. */
  pick: 'cloud' | 'kubernetes' | 'host' | 'repository';
  /** Its spend in sentences: `no Kubernetes spend has been ingested`. */
  words: string;
  /** What its spend belongs to. */
  unit: 'account' | 'cluster' | 'host' | 'tool';
  /**
   * Which days a load covers. A bill covers its billing period up to the newest day that the source has brought. Clusters and
   * hosts have spend every day, so that a load covers the days that it has read. AI tools may have days without spend: a load
   * covers the days from the first that the source ever brought to the newest.
   */
  covers: 'billing period' | 'read days' | 'brought days';
}

/** The kinds of cost sources (docs/data-formats.md). Whatever depends on the kind of a source asks this table. */
export const KINDS = {
  focus: { spend: 'cloud', pick: 'cloud', words: 'cloud', unit: 'account', covers: 'billing period' },
  opencost: {
    spend: 'kubernetes',
    pick: 'kubernetes',
    words: 'Kubernetes',
    unit: 'cluster',
    covers: 'read days',
  },
  hosts: { spend: 'hosts', pick: 'host', words: 'host', unit: 'host', covers: 'read days' },
  ai_tools: {
    spend: 'ai_tools',
    pick: 'repository',
    words: 'AI tool',
    unit: 'tool',
    covers: 'brought days',
  },
} as const satisfies Record<string, KindOfSource>;

export type Kind = keyof typeof KINDS;

/** What the spend of a cost source belongs to. */
export type UnitKind = (typeof KINDS)[Kind]['unit'];

/** Returns the kinds that a condition holds for, in alphabetical order. */
export const kindsThat = (holds: (kind: KindOfSource) => boolean): Kind[] =>
  (Object.keys(KINDS) as Kind[]).filter((kind) => holds(KINDS[kind])).sort();
