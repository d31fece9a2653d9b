import type { FastifyReply } from 'fastify';
import { z } from 'zod';
import { addDays, daysInclusive, type Day } from '../../domain/shared/calendar.ts';
import { changePercent, toWire } from '../../domain/shared/decimals.ts';
import { invalid } from '../../domain/shared/errors.ts';
import { SPEND_SOURCES } from '../../domain/spend/spend-source.ts';
import {
  BREAKDOWN_KEYS,
  breakdownColumns,
  costBreakdown,
  parquetBreakdown,
  streamBreakdown,
  type BreakdownKey,
  type BreakdownRow,
} from '../../warehouse/spend/cost-breakdown.ts';
import type { ComputedSession } from '../../warehouse/spend/compute-spend.ts';
import { completeThrough, costSummary } from '../../warehouse/spend/costs.ts';
import { reconciliation } from '../../warehouse/spend/reconciliation.ts';
import { callerOf } from '../access/authentication.ts';
import type { ApiDependencies } from '../http/dependencies.ts';
import { day } from '../http/fields.ts';
import { page } from '../http/paging.ts';
import { pageOf, success, successOf } from '../routes/answers.ts';
import { route, type Asked, type Reading, type Replying } from '../routes/route.ts';
import {
  closeSignal,
  PARQUET,
  safeFor,
  sendFile,
  sendTabular,
  TABULAR_NOTE,
  TABULAR_TYPES,
  tabularType,
  type TabularType,
} from '../http/files/tabular.ts';

const MOST_DAYS = 366;
/** Most rows of a breakdown in one JSON answer. */
const MOST_ROWS = 100_000;

const money = z.number();

const costs = z
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

const breakdownRow = z
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

const breakdown = pageOf(breakdownRow).extend({
  total: money,
  complete_through: z.string().nullable(),
  reconciliation: z.array(reconciled).describe('Clusters and hosts next to their bills'),
});

const range = z.strictObject({ start_date: day, end_date: day, safe: safeFor });

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

const breakdownQuery = range.extend({
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

function daysOf({ start_date, end_date }: z.infer<typeof range>): number {
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

/** The grain of `/costs` as rows. */
const FLAT_KEYS: readonly BreakdownKey[] = ['day', 'source', 'cloud', 'account'];

const toWireRow = ({ total, ...keys }: BreakdownRow): z.infer<typeof breakdownRow> => ({
  ...keys,
  total: toWire(total),
});

interface SentRows {
  type: TabularType;
  keys: readonly BreakdownKey[];
  days: { start: Day; end: Day };
  safe: z.infer<typeof safeFor>;
  /** Only these rows; all of them without it. */
  part?: { limit: number; offset: number };
}

/** Sends a file of all rows, or of some. */
function sendRows(
  reply: FastifyReply,
  { warehouse, clock }: ApiDependencies,
  { type, keys, days, safe, part }: SentRows,
): Promise<FastifyReply> {
  const { id } = callerOf(reply.request).organisation;
  const name = `costs-by-${keys.join('-')}-${days.start}-to-${days.end}`;
  const range = { ...days, limit: null, offset: 0, ...part };
  const during = { now: clock.now(), signal: closeSignal(reply) };
  if (type === PARQUET)
    return sendFile(reply, type, name, parquetBreakdown(warehouse, id, keys, range, during));
  const batches = streamBreakdown(warehouse, id, keys, range, during);
  return sendTabular(reply, type, name, { columns: breakdownColumns(keys), batches }, safe);
}

async function getCosts(
  request: Asked<{ query: typeof range }>,
  dependencies: ApiDependencies,
  { reply }: Replying,
) {
  const { warehouse, clock } = dependencies;
  const { organisation } = callerOf(request);
  const { start_date, end_date, safe } = request.query;
  const type = tabularType(request);
  const asked = { start: start_date, end: end_date };
  if (type !== null) return sendRows(reply, dependencies, { type, keys: FLAT_KEYS, days: asked, safe });
  const days = { previousStart: addDays(start_date, -daysOf(request.query)), ...asked };
  const summary = await costSummary(warehouse, organisation.id, days, clock.now());
  return success({
    start_date,
    end_date,
    currency: organisation.currency,
    total: toWire(summary.total),
    by_source: {
      cloud: toWire(summary.bySource.cloud),
      kubernetes: toWire(summary.bySource.kubernetes),
      hosts: toWire(summary.bySource.hosts),
      ai_tools: toWire(summary.bySource.ai_tools),
    },
    by_day: summary.byDay.map(({ day, total }) => ({ day, total: toWire(total) })),
    by_account: summary.byAccount.map(({ total, kubernetes, hosts, ...account }) => ({
      ...account,
      total: toWire(total),
      kubernetes: toWire(kubernetes),
      hosts: toWire(hosts),
    })),
    previous_period: {
      total: summary.previousTotal === null ? null : toWire(summary.previousTotal),
      change_percent: changePercent(summary.previousTotal, summary.total),
    },
    complete_through: summary.completeThrough,
  });
}

/** Returns a page of a breakdown. `next` of a row is the position after it. */
const breakdownPage = (
  session: ComputedSession,
  orgId: string,
  { start_date, end_date, group_by, limit, cursor }: z.infer<typeof breakdownQuery>,
) =>
  page(
    { limit: limit ?? MOST_ROWS, cursor },
    z.number().int().min(0),
    async (part) => {
      const offset = part.cursor ?? 0;
      const read = { start: start_date, end: end_date, limit: part.limit, offset };
      const found = await costBreakdown(session, orgId, group_by, read);
      return found.map((row, index) => ({ row, next: offset + index + 1 }));
    },
    ({ next }) => next,
  );

/** Sends a breakdown as a file: all of it, or the page that the query asks for. */
async function sendBreakdown(
  request: Asked<{ query: typeof breakdownQuery }>,
  dependencies: ApiDependencies,
  { reply, spend: { on } }: Replying & Reading,
  type: TabularType,
): Promise<FastifyReply> {
  const { start_date, end_date, group_by: keys, limit, cursor, safe } = request.query;
  const rows = { type, keys, days: { start: start_date, end: end_date }, safe };
  if (limit === undefined && cursor === undefined) return sendRows(reply, dependencies, rows);
  const { id: orgId } = callerOf(request).organisation;
  const { data, next_cursor } = await dependencies.warehouse.session((session) =>
    breakdownPage(on(session), orgId, request.query),
  );
  if (next_cursor !== null) reply.header('x-next-cursor', next_cursor);
  const part = { limit: data.length, offset: (data[0]?.next ?? 1) - 1 };
  return sendRows(reply, dependencies, { ...rows, part });
}

async function getBreakdown(
  request: Asked<{ query: typeof breakdownQuery }>,
  dependencies: ApiDependencies,
  given: Replying & Reading,
) {
  const { warehouse, clock } = dependencies;
  const { id: orgId } = callerOf(request).organisation;
  const { start_date, end_date } = request.query;
  const type = tabularType(request);
  if (type !== null) return sendBreakdown(request, dependencies, given, type);
  const days = { start: start_date, end: end_date };
  const now = clock.now();
  // One transaction, because the rows add up to the total and the reconciliation explains it.
  const { rows, whole, reconciled, through } = await warehouse.onOneState(async (stored) => {
    const session = given.spend.on(stored);
    const all = { ...days, limit: 1, offset: 0 };
    return {
      rows: await breakdownPage(session, orgId, request.query),
      whole: (await costBreakdown(session, orgId, [], all))[0],
      reconciled: await reconciliation(session, orgId, days),
      through: await completeThrough(session, orgId, start_date, now),
    };
  }, closeSignal(given.reply));
  return {
    ...rows,
    data: rows.data.map(({ row }) => toWireRow(row)),
    total: toWire(whole?.total ?? '0'),
    complete_through: through,
    reconciliation: reconciled.map((row) => ({
      ...row,
      reported: toWire(row.reported),
      billed: toWire(row.billed),
      outside_bills: toWire(row.outside_bills),
      unmatched: toWire(row.unmatched),
      difference: toWire(row.difference),
    })),
  };
}

/** `/costs`: the spend of a range of days (docs/http.md#read-costs). */
export const costRoutes = [
  route({
    method: 'GET',
    path: '/costs',
    access: 'read',
    isKept: true,
    operationId: 'getCosts',
    tag: 'Costs',
    summary: 'Spend of a range of days, both inclusive, at most 366',
    description: `${TABULAR_NOTE} Then one row per day, source and account; they add up to the total.`,
    query: range,
    answer: successOf(costs),
    files: TABULAR_TYPES,
    check: ({ query }) => daysOf(query),
    reads: 'spend',
    handle: getCosts,
  }),
  route({
    method: 'GET',
    path: '/costs/breakdown',
    access: 'read',
    isKept: true,
    isHeavy: true,
    operationId: 'getCostBreakdown',
    tag: 'Costs',
    summary: 'Spend of a range of days by one or two keys; the rows add up to the total',
    description: `${TABULAR_NOTE} What belongs to no key has null. Clusters and hosts inside an account are no part of its cloud keys.`,
    query: breakdownQuery,
    answer: breakdown,
    files: TABULAR_TYPES,
    check: ({ query }) => daysOf(query),
    reads: 'spend',
    handle: getBreakdown,
  }),
];
