import { z } from 'zod';
import { BREAKDOWN_KEYS } from '../../warehouse/spend/cost-breakdown.ts';
import { pageArguments, rangeArguments } from './arguments.ts';
import { explained, tool } from './tool.ts';

const KEYS = { error: `expected one or two different keys of ${BREAKDOWN_KEYS.join(', ')}` };

const COMPLETE_THROUGH =
  'complete_through is the last day up to which every active cost source has delivered all days; the spend of later days can still grow. It is null if the first day is not complete.';

/** `get_costs` and `get_cost_breakdown`: the spend of a range of days (docs/http.md#read-costs). Open on every plan. */
export const SPEND_TOOLS = [
  tool({
    name: 'get_costs',
    title: 'Costs of a range of days',
    description:
      'Total spend of a range of days: by source (cloud, Kubernetes, hosts, AI tools), by day and by cloud account, next to the period ' +
      'before. Choose it for "what did we spend" and for trends. For services, namespaces, tags or teams use get_cost_breakdown.',
    input: z.strictObject(rangeArguments),
    answer: async (range, { organisation, ask }) => {
      const answer = await ask('/costs', range);
      const { complete_through } = answer['data'] as { complete_through: string | null };
      return explained(organisation, { unit: organisation.currency, complete_through, ...answer }, [
        `All amounts are in ${organisation.currency}. Each dollar counts once: the parts of by_source add up to total.`,
        COMPLETE_THROUGH,
        'previous_period has as many days, just before. Its total is null if nothing of it was delivered, and change_percent is null if there is nothing to compare with.',
        'Accounts in by_account leave out the clusters and hosts inside them, which kubernetes and hosts show.',
      ]);
    },
  }),
  tool({
    name: 'get_cost_breakdown',
    title: 'Costs by one or two keys',
    description:
      'Spend of a range of days grouped by one or two keys, such as service, team and month, or namespace. Rows add up to total. ' +
      'Choose it for "who or what causes the spend". Page with cursor while next_cursor is not null.',
    input: z.strictObject({
      ...rangeArguments,
      group_by: z
        .array(z.enum(BREAKDOWN_KEYS, KEYS), KEYS)
        .min(1, KEYS)
        .max(2, KEYS)
        .refine((keys) => new Set(keys).size === keys.length, KEYS)
        .describe('One or two different keys to group by'),
      ...pageArguments,
    }),
    answer: async ({ group_by, ...asked }, { organisation, ask }) => {
      const answer = await ask('/costs/breakdown', { ...asked, group_by: group_by.join(',') });
      const { start_date, end_date } = asked;
      return explained(
        organisation,
        { unit: organisation.currency, start_date, end_date, group_by, ...answer },
        [
          `All amounts are in ${organisation.currency}. total is that of all pages together.`,
          'A null key marks the spend that belongs to none, for example spend outside Kubernetes in a breakdown by namespace.',
          COMPLETE_THROUGH,
          'reconciliation compares clusters and hosts with their bills.',
        ],
      );
    },
  }),
];
