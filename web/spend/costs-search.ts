import * as z from 'zod/mini';

/** What costs can be grouped by (contract §3, Costs), with the words for people. */
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

/** What the address of the costs page holds. Without days it shows the running month and the one before it. */
export const costsSearch = z.object({
  start: z.catch(z.optional(day), undefined),
  end: z.catch(z.optional(day), undefined),
  by: z._default(z.catch(z.enum(GROUP_KEYS), 'source'), 'source'),
  then: z.catch(z.optional(z.enum(GROUP_KEYS)), undefined),
  step: z._default(z.catch(z.enum(['day', 'month']), 'day'), 'day'),
});
