import { z } from 'zod';
import { DOUBT_CODES, WAY_OUT_ACTIONS } from '../../domain/sources/doubts.ts';
import { instant } from '../http/fields.ts';

const status = z.enum(['open', 'partial', 'ready_to_lock', 'locked', 'changed_since_lock']);
const numbers = {
  cost: z.number().nullable(),
  value: z.number().nullable(),
  unit_cost: z.number().nullable(),
};
const revenueNumbers = {
  cost: z.number().nullable(),
  value: z.number().nullable().describe('Revenue'),
  cost_share_percent: z.number().nullable().describe('Cost ÷ revenue × 100; null if revenue is 0 or less'),
  margin: z.number().nullable().describe('Revenue − cost'),
  margin_percent: z.number().nullable(),
};
const lockedBy = z.object({ type: z.literal('key'), id: z.string(), name: z.string() });

const change = {
  change_percent: z.number().nullable(),
  change_basis: z
    .enum(['month', 'same_days'])
    .describe('`same_days`: the running month’s complete days against the same days of the month before'),
};

/** A doubt that holds a month back. */
export const doubt = z
  .object({
    code: z.enum(DOUBT_CODES),
    sentence: z.string(),
    amount: z.number().nullable().describe('In the organisation’s currency; null if it is not known'),
    ways_out: z.array(
      z.object({
        action: z.enum(WAY_OUT_ACTIONS),
        sentence: z.string().describe('What to do'),
        source_id: z.string().optional(),
        unit: z.string().optional(),
        metric_id: z.string().optional(),
      }),
    ),
  })
  .meta({ id: 'Doubt', description: 'Why a month’s numbers are not certain, and what to do about it.' });

/** Returns the schema of a month with the numbers of one kind of metric. */
const monthWith = <Fields extends z.ZodRawShape>(fields: Fields) =>
  z.object({
    month: z.string(),
    ...fields,
    status,
    ...change,
    cost_change_percent: z.number().nullable().describe('Change of the cost, by the same basis'),
    above_target: z.boolean(),
    version: z.number().nullable(),
    locked: z.object({ version: z.number(), ...fields, locked_at: instant, locked_by: lockedBy }).nullable(),
    current: z.object(fields).optional().describe('Today’s numbers of a month that changed since its lock'),
    reason: z.string().nullable(),
    can_lock: z
      .enum(['now', 'without_missing', 'no'])
      .describe(
        'Whether an admin can lock the month: `now`, or only with `accept_missing`; `no` if not at all, or if it is locked and unchanged',
      ),
    missing: z.array(doubt).describe('Every doubt that holds the month back'),
    notes: z.array(z.string()).describe('What to know before locking'),
    complete_through: z
      .string()
      .nullable()
      .describe('Last day of the month up to which every source of the scope has delivered all days'),
  });

/** A month of a count metric. */
export const countMonth = monthWith(numbers).meta({ id: 'Month' });
/** A month of a revenue metric (docs/concepts.md#revenue-and-who-sees-it). */
export const revenueMonth = monthWith(revenueNumbers).meta({ id: 'RevenueMonth' });
export const monthRecord = z.union([countMonth, revenueMonth]);

/** The newest month with a unit cost, or with the cost share of revenue. */
export const latestMonth = z.union([
  z.object({ month: z.string(), unit_cost: z.number(), ...change, status }).meta({ id: 'LatestUnitCost' }),
  z
    .object({ month: z.string(), cost_share_percent: z.number(), ...change, status })
    .meta({ id: 'LatestCostShare' }),
]);

const versionWith = <Fields extends z.ZodRawShape>(fields: Fields) =>
  z.object({
    version: z.number(),
    ...fields,
    locked_at: instant,
    locked_by: lockedBy,
    reason: z.string().nullable().describe('Why its numbers are not known; null if they are'),
    missing: z.array(z.string()).describe('What was missing or in doubt, in words'),
  });

/** A locked version of a month of either kind of metric. */
export const monthVersion = z.union([
  versionWith(numbers).meta({ id: 'MonthVersion' }),
  versionWith(revenueNumbers).meta({ id: 'RevenueMonthVersion' }),
]);
