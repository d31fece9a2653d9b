import * as z from 'zod/mini';
import { DAY, oneOf, optional, TEXT } from '../../shared/search-fields.ts';

/** What costs can be grouped by, with the words for people. */
export const GROUPS = {
  source: 'Source',
  cloud: 'Cloud',
  account: 'Account',
  service: 'Service',
  resource_group: 'Resource group',
  tag: 'Tag',
  cluster: 'Cluster',
  namespace: 'Namespace',
  workload: 'Workload',
  host: 'Host',
  host_service: 'Host service',
  repository: 'Repository',
  tool: 'AI tool',
  team: 'Team',
} as const;

export type Group = keyof typeof GROUPS;

const GROUP_KEYS = Object.keys(GROUPS) as [Group, ...Group[]];

const COST_ORDERS = ['total-down', 'total-up', 'name-up', 'name-down'] as const;

export type CostOrder = (typeof COST_ORDERS)[number];

/**
 * What the address of the costs page holds. Without days it shows the running month and the one before it. `toggled` has the
 * rows that are not as usual: opened ones, or closed ones if there is a second grouping.
 */
export const costsSearch = z.object({
  start: optional(DAY),
  end: optional(DAY),
  by: oneOf(GROUP_KEYS),
  then: optional(z.enum(GROUP_KEYS)),
  step: oneOf(['day', 'month']),
  view: oneOf(['chart', 'table']),
  order: oneOf(COST_ORDERS),
  q: TEXT,
  toggled: optional(z.array(z.string())),
});

export type CostsSearch = z.output<typeof costsSearch>;
