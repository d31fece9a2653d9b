import type { SpendSource } from '../../../../domain/sources/spend-sources.ts';
import type { CostRow } from '../costs-queries.ts';
import type { Group } from '../costs-search.ts';
import { isSpendSource, SOURCE_NAMES } from '../../source-names.ts';

/** What a row stands for in one grouping, in words. */
export interface CostKey {
  /** Equal for all rows of one part. */
  id: string;
  name: string;
  /** What identifies it beside a name that people gave it. */
  detail: string | null;
  /** Why it belongs to none; null if it belongs to one. */
  reason: string | null;
}

/** Why spend has no value of a grouping. */
const REASONS: Record<Group, string> = {
  source: 'Spend of no known source.',
  cloud: 'Clusters, hosts and AI tools. They belong to no cloud, also if a cloud bills them.',
  account: 'Clusters, hosts and AI tools. They belong to no account, also if an account is billed for them.',
  service:
    'Accounts whose services are not collected, clusters, hosts and AI tools. A metric, team or shared cost that picks a service starts the collection.',
  resource_group:
    'Accounts whose resource groups are not collected, clusters, hosts and AI tools. A metric, team or shared cost that picks a resource group starts the collection.',
  tag: 'Bill lines without the tag, clouds for which no tag is collected, clusters, hosts and AI tools.',
  cluster: 'Everything that is not in a cluster: clouds, hosts and AI tools.',
  namespace: 'Everything that is not in a namespace: idle capacity of clusters, clouds, hosts and AI tools.',
  workload: 'Everything that is not a workload: idle capacity of clusters, clouds, hosts and AI tools.',
  host: 'Everything that is not a host: clouds, clusters and AI tools.',
  host_service:
    'Everything that is not a service of a host: idle capacity of hosts, clouds, clusters, AI tools.',
  repository: 'Everything that is no AI tool, and AI tools on days on which no repository used them.',
  tool: 'Everything that is no AI tool: clouds, clusters and hosts.',
  team: 'Spend that no team owns, and spend that a shared cost covers.',
};

const textOf = (value: string | number | null | undefined): string | null =>
  value === null || value === undefined ? null : String(value);

/** Returns what a row stands for in a grouping. */
export function keyOf(row: CostRow, group: Group): CostKey {
  const value = textOf(row[group]);
  const tagKey = group === 'tag' ? textOf(row['tag_key']) : null;
  const id = value === null ? `none${tagKey === null ? '' : ` ${tagKey}`}` : `=${tagKey ?? ''}=${value}`;
  if (value === null) {
    return { id, name: 'not assigned', detail: tagKey && `no tag ${tagKey}`, reason: REASONS[group] };
  }
  const given = group === 'account' ? row['account_name'] : group === 'team' ? row['team_name'] : null;
  const name = textOf(given) ?? (group === 'source' && isSpendSource(value) ? SOURCE_NAMES[value] : value);
  const detail = group === 'account' && name !== value ? value : tagKey;
  return { id, name, detail, reason: null };
}

const FINER_OF_SOURCE: Record<SpendSource, Group> = {
  cloud: 'account',
  kubernetes: 'cluster',
  hosts: 'host',
  ai_tools: 'tool',
};

const FINER: Record<Exclude<Group, 'source'>, Group> = {
  cloud: 'account',
  account: 'service',
  service: 'account',
  resource_group: 'account',
  tag: 'account',
  cluster: 'namespace',
  namespace: 'workload',
  workload: 'cluster',
  host: 'host_service',
  host_service: 'host',
  repository: 'tool',
  tool: 'repository',
  team: 'source',
};

/** Returns what a row opens to if nobody has chosen a second grouping. What belongs to none opens to its sources. */
export function finerOf(row: CostRow, group: Group): Group {
  const value = row[group];
  if (group === 'source') return isSpendSource(value) ? FINER_OF_SOURCE[value] : 'account';
  return value === null || value === undefined ? 'source' : FINER[group];
}
