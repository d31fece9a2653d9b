import type { FastifyReply } from 'fastify';
import { z } from 'zod';
import { addDays, type Day } from '../../domain/shared/calendar.ts';
import { changePercent, toWire } from '../../domain/shared/decimals.ts';
import {
  breakdownColumns,
  costBreakdown,
  parquetBreakdown,
  streamBreakdown,
  type BreakdownKey,
  type BreakdownRow,
} from '../../warehouse/spend/cost-breakdown.ts';
import type { ComputedSession, ComputedSpend } from '../../warehouse/spend/compute-spend.ts';
import { completeThrough, costSummary } from '../../warehouse/spend/costs.ts';
import { reconciliation } from '../../warehouse/spend/reconciliation.ts';
import { callerOf } from '../access/authentication.ts';
import type { ApiDependencies } from '../http/dependencies.ts';
import { page } from '../http/paging.ts';
import { success, successOf } from '../routes/bodies.ts';
import { route, tagged, type Asked, type Replying } from '../routes/route.ts';
import type { Reading } from '../routes/up-to-date.ts';
import {
  closeSignal,
  PARQUET,
  type safeFor,
  sendFile,
  sendTabular,
  TABULAR_NOTE,
  TABULAR_TYPES,
  tabularType,
  type TabularType,
} from '../http/files/tabular.ts';
import {
  breakdown,
  breakdownQuery,
  costs,
  daysOf,
  MOST_ROWS,
  range,
  type breakdownRow,
} from './cost-fields.ts';

/** The grain of `/costs` as rows. */
const FLAT_KEYS: readonly BreakdownKey[] = ['day', 'source', 'cloud', 'account'];

const toWireRow = ({ total, ...keys }: BreakdownRow): z.infer<typeof breakdownRow> => ({
  ...keys,
  total: toWire(total),
});

interface SentRows {
  spend: ComputedSpend;
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
  { warehouse }: ApiDependencies,
  { spend, type, keys, days, safe, part }: SentRows,
): Promise<FastifyReply> {
  const { id } = callerOf(reply.request).organisation;
  const name = `costs-by-${keys.join('-')}-${days.start}-to-${days.end}`;
  const range = { ...days, limit: null, offset: 0, ...part };
  const computed = spend.on(warehouse);
  const signal = closeSignal(reply);
  if (type === PARQUET)
    return sendFile(reply, type, name, parquetBreakdown(computed, id, keys, range, signal));
  const batches = streamBreakdown(computed, id, keys, range, signal);
  return sendTabular(reply, type, name, { columns: breakdownColumns(keys), batches }, safe);
}

async function getCosts(
  request: Asked<{ query: typeof range }>,
  dependencies: ApiDependencies,
  { reply, spend, now }: Replying & Reading,
) {
  const { organisation } = callerOf(request);
  const { start_date, end_date, safe } = request.query;
  const type = tabularType(request);
  const asked = { start: start_date, end: end_date };
  if (type !== null)
    return sendRows(reply, dependencies, { spend, type, keys: FLAT_KEYS, days: asked, safe });
  const days = { previousStart: addDays(start_date, -daysOf(request.query)), ...asked };
  const summary = await dependencies.warehouse.onOneState((session) =>
    costSummary(spend.on(session), organisation.id, days, now),
  );
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
  { reply, spend }: Replying & Reading,
  type: TabularType,
): Promise<FastifyReply> {
  const { start_date, end_date, group_by: keys, limit, cursor, safe } = request.query;
  const rows = { spend, type, keys, days: { start: start_date, end: end_date }, safe };
  if (limit === undefined && cursor === undefined) return sendRows(reply, dependencies, rows);
  const { id: orgId } = callerOf(request).organisation;
  const { data, next_cursor } = await dependencies.warehouse.session((session) =>
    breakdownPage(spend.on(session), orgId, request.query),
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
  const { id: orgId } = callerOf(request).organisation;
  const { start_date, end_date } = request.query;
  const type = tabularType(request);
  if (type !== null) return sendBreakdown(request, dependencies, given, type);
  const days = { start: start_date, end: end_date };
  // One transaction, because the rows add up to the total and the reconciliation explains it.
  const { rows, whole, reconciled, through } = await dependencies.warehouse.onOneState(async (stored) => {
    const session = given.spend.on(stored);
    const all = { ...days, limit: 1, offset: 0 };
    return {
      rows: await breakdownPage(session, orgId, request.query),
      whole: (await costBreakdown(session, orgId, [], all))[0],
      reconciled: await reconciliation(session, orgId, days),
      through: await completeThrough(session, orgId, start_date, given.now),
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
export const costRoutes = tagged('Costs', [
  route('GET /costs', {
    access: 'read',
    isCached: { madeOf: 'spend' },
    operationId: 'getCosts',
    summary: 'Spend of a range of days, both inclusive, at most 366',
    description: `${TABULAR_NOTE} Then one row per day, source and account; they add up to the total.`,
    query: range,
    answer: successOf(costs),
    files: TABULAR_TYPES,
    check: ({ query }) => daysOf(query),
    reads: 'spend',
    handle: getCosts,
  }),
  route('GET /costs/breakdown', {
    access: 'read',
    isCached: { madeOf: 'spend' },
    isHeavy: true,
    operationId: 'getCostBreakdown',
    summary: 'Spend of a range of days by one or two keys; the rows add up to the total',
    description: `${TABULAR_NOTE} What belongs to no key has null. Clusters and hosts inside an account are no part of its cloud keys.`,
    query: breakdownQuery,
    answer: breakdown,
    files: TABULAR_TYPES,
    check: ({ query }) => daysOf(query),
    reads: 'spend',
    handle: getBreakdown,
  }),
]);
