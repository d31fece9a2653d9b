import { z } from 'zod';
import { daysInclusive } from '../../domain/shared/calendar.ts';
import { invalid } from '../../domain/shared/errors.ts';
import { SPEND_SOURCES } from '../../domain/sources/spend-sources.ts';
import { BREAKDOWN_KEYS } from '../../warehouse/spend/cost-breakdown.ts';
import { day } from '../http/fields.ts';
import { safeFor } from '../http/files/tabular.ts';
import { pageOf } from '../routes/bodies.ts';

const MOST_DAYS = 366;
/** Most rows of a breakdown in one JSON answer. */
export const MOST_ROWS = 100_000;

const money = z.number();

/** The spend of a range of days. */
export const costs = z
  .object({
    start_date: z.string(),
    end_date: z.string(),
    currency: z.string(),
    total: money,
    by_source: z.object({ cloud: money, kubernetes: money, hosts: money, ai_tools: money }),
    by_day: z.array(z.object({ day: z.string(), total: money })),
    by_account: z
      .array(
        z.object({
          cloud: z.string(),
          account: z.string(),
          name: z.string().nullable(),
          total: money,
          kubernetes: money.describe('What the account is billed for clusters; not in its total'),
          hosts: money.describe('What the account is billed for hosts; not in its total'),
        }),
      )
      .describe('Accounts without the clusters and hosts inside them'),
    previous_period: z.object({
      total: money.nullable().describe('Null where nothing of the period was delivered'),
      change_percent: z.number().nullable(),
    }),
    complete_through: z
      .string()
      .nullable()
      .describe('Last day up to which every active source has delivered all days since `start_date`'),
  })
  .meta({ id: 'Costs' });

/** A part of the spend. */
export const breakdownRow = z
  .object({ total: money })
  .catchall(z.union([z.string(), z.number(), z.null()]))
  .meta({
    id: 'BreakdownRow',
    description: 'The wanted keys, null for what belongs to none, and the total.',
  });

const reconciled = z.object({
  source: z.enum(SPEND_SOURCES),
  name: z.string(),
  reported: money.describe('Workloads and idle capacity, as the cluster or host prices them'),
  billed: money.describe('Bill lines of its assets'),
  outside_bills: money.describe('What it costs on days on which no bill has its assets'),
  difference: money.describe('billed + outside_bills − reported'),
  followed_days: z
    .number()
    .describe('Days on which assets without a bill line of their own followed the cluster'),
  borrowed_days: z
    .number()
    .describe(
      'Days with allocations and no assets: the nearest known assets decided whether it is on a bill',
    ),
  ambiguous_days: z
    .number()
    .describe('Days on which a machine matched no line, for several accounts or projects have its name'),
  unmatched_days: z
    .number()
    .describe('Days on which a machine with an id matched no line of a connected bill of its cloud'),
  unmatched: money.describe('The part of outside_bills that such machines cost'),
  notes: z.array(z.string()).describe('The same in words'),
});

/** A page of the parts of the spend. */
export const breakdown = pageOf(breakdownRow).extend({
  total: money,
  complete_through: z.string().nullable(),
  reconciliation: z.array(reconciled).describe('Clusters and hosts next to their bills'),
});

/** Days, both inclusive. */
export const range = z.strictObject({ start_date: day, end_date: day, safe: safeFor });

/** One or two different keys, separated by a comma or in two parameters. */
const groupBy = z
  .preprocess(
    (given) => {
      const parts: unknown[] = Array.isArray(given) ? given : [given];
      return parts.flatMap((part): unknown[] => (typeof part === 'string' ? part.split(',') : [part]));
    },
    z
      .array(z.enum(BREAKDOWN_KEYS, { error: `expected one or two of ${BREAKDOWN_KEYS.join(', ')}` }))
      .min(1)
      .max(2, { error: `expected one or two of ${BREAKDOWN_KEYS.join(', ')}` })
      .refine((keys) => new Set(keys).size === keys.length, { error: 'expected each key once' }),
  )
  .meta({ description: `One or two of ${BREAKDOWN_KEYS.join(', ')}, separated by a comma` });

export const breakdownQuery = range.extend({
  group_by: groupBy,
  limit: z.coerce
    .number({ error: 'expected a whole number from 1 to 1000' })
    .int({ error: 'expected a whole number from 1 to 1000' })
    .min(1, { error: 'expected a whole number from 1 to 1000' })
    .max(1000, { error: 'expected a whole number from 1 to 1000' })
    .optional()
    .describe(
      `Without \`limit\` and \`cursor\` JSON has up to ${MOST_ROWS} rows and a \`next_cursor\` if there are more; the other formats have all`,
    ),
  cursor: z.string().optional().describe('`next_cursor` of the page before'),
});

/** Returns the number of days of a range. Throws `invalid` for none, and for too many. */
export function daysOf({ start_date, end_date }: z.infer<typeof range>): number {
  if (end_date < start_date) {
    throw invalid(
      `end_date: expected a day not before start_date ${start_date}, got ${JSON.stringify(end_date)}`,
    );
  }
  const days = daysInclusive(start_date, end_date);
  if (days > MOST_DAYS)
    throw invalid(`end_date: expected at most ${MOST_DAYS} days from start_date, got ${days}`);
  return days;
}
