import * as z from 'zod/mini';

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

const day = z.string().check(z.regex(/^\d{4}-\d{2}-\d{2}$/));

/** The orders of the table. */
const COST_ORDERS = ['total-down', 'total-up', 'name-up', 'name-down'] as const;

export type CostOrder = (typeof COST_ORDERS)[number];

/**
 * What the address of the costs page holds. Without days it shows the running month and the one before it. `toggled` has the
 * rows that are not as usual: opened ones, or closed ones if there is a second grouping.
 */
export const costsSearch = z.object({
  start: z.catch(z.optional(day), undefined),
  end: z.catch(z.optional(day), undefined),
  by: z._default(z.catch(z.enum(GROUP_KEYS), 'source'), 'source'),
  then: z.catch(z.optional(z.enum(GROUP_KEYS)), undefined),
  step: z._default(z.catch(z.enum(['day', 'month']), 'day'), 'day'),
  view: z._default(z.catch(z.enum(['chart', 'table']), 'chart'), 'chart'),
  order: z._default(z.catch(z.enum(COST_ORDERS), 'total-down'), 'total-down'),
  q: z._default(z.catch(z.string(), ''), ''),
  toggled: z.catch(z.optional(z.array(z.string())), undefined),
});

export type CostsSearch = z.output<typeof costsSearch>;
