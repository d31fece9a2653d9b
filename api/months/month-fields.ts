import { z } from 'zod';
import { instant } from '../http/fields.ts';

const status = z.enum(['open', 'partial', 'ready_to_lock', 'locked', 'changed_since_lock']);
const numbers = {
  cost: z.number().nullable(),
  value: z.number().nullable(),
  unit_cost: z.number().nullable(),
};
const lockedBy = z.object({ type: z.literal('key'), id: z.string(), name: z.string() });

const change = {
  change_percent: z.number().nullable(),
  change_basis: z
    .enum(['month', 'same_days'])
    .describe('`same_days`: the running month’s complete days against the same days of the month before'),
};

export const monthRecord = z
  .object({
    month: z.string(),
    ...numbers,
    status,
    ...change,
    cost_change_percent: z.number().nullable().describe('Change of the cost, by the same basis'),
    above_target: z.boolean(),
    version: z.number().nullable(),
    locked: z.object({ version: z.number(), ...numbers, locked_at: instant, locked_by: lockedBy }).nullable(),
    current: z.object(numbers).optional().describe('Today’s numbers of a month that changed since its lock'),
    reason: z.string().nullable(),
    notes: z.array(z.string()).describe('What to know before locking'),
    complete_through: z
      .string()
      .nullable()
      .describe('Last day of the month up to which every source of the scope has delivered all days'),
  })
  .meta({ id: 'Month' });

/** The newest month with a unit cost. */
export const latestMonth = z.object({
  month: z.string(),
  unit_cost: z.number(),
  ...change,
  status,
});
