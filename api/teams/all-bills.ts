import { z } from 'zod';
import { addMonths } from '../../domain/shared/calendar.ts';
import { toWire } from '../../domain/shared/decimals.ts';
import { invalid } from '../../domain/shared/errors.ts';
import { shownMonths } from '../../domain/months/shown-months.ts';
import { fullyLoaded } from '../../domain/teams/bill.ts';
import { callerOf } from '../access/authentication.ts';
import type { ApiDependencies } from '../http/dependencies.ts';
import { month } from '../http/fields.ts';
import { pageOf, success, successOf } from '../routes/bodies.ts';
import { route, tagged, type Asked } from '../routes/route.ts';
import type { Reading } from '../routes/up-to-date.ts';
import { monthRangeQuery, requestedMonths } from '../http/month-range.ts';
import { readBills } from './read-bills.ts';
import { billOnWire, billRecord } from './team-bills.ts';

const named = z.object({ id: z.string(), name: z.string() });

const allBillsRecord = z
  .object({
    month: z.string(),
    bills: z
      .array(z.object({ team: named, ...billRecord.shape }).meta({ id: 'BillOfTeam' }))
      .describe('By name of the team'),
    unallocated: z.number().nullable().describe('What no bill has; late spend after the seal among it'),
    total: z.number().nullable().describe('The month’s cost so far, as in `/costs` today'),
  })
  .meta({
    id: 'MonthBills',
    description:
      'The bills and `unallocated` add up to `total`. Sealed bills keep their amounts, so later changes of spend move only ' +
      '`unallocated` and `total`. Both are null while no spend of the month has been ingested.',
  });

const billTotals = z
  .object({
    month: z.string(),
    status: billRecord.shape.status.describe('Of the bills that there are'),
    bills: z
      .array(z.object({ team: named, fully_loaded: billRecord.shape.fully_loaded }))
      .describe('By name of the team'),
    unallocated: z.number().nullable().describe('What no bill has, as in the bills of the month'),
  })
  .meta({ id: 'BillTotals' });

const monthParams = z.strictObject({ month });

async function getTotals(
  request: Asked<{ query: typeof monthRangeQuery }>,
  { warehouse }: ApiDependencies,
  { spend, now }: Reading,
) {
  const { organisation } = callerOf(request);
  const { months: range, next_cursor } = await requestedMonths(request.query, now);
  const { months, teams } = await readBills(warehouse, spend, organisation.id, range);
  const totals = months.map(({ month, status, bills, unallocated }) => ({
    month,
    status,
    bills: teams.map(({ id, name }) => {
      const bill = bills?.get(id);
      return {
        team: { id, name },
        fully_loaded: bill === undefined ? null : toWire(fullyLoaded(bill)),
      };
    }),
    unallocated: unallocated === null ? null : toWire(unallocated),
  }));
  return { ...success(totals), next_cursor };
}

function refuseOlder({ params }: Asked<{ params: typeof monthParams }>, now: Date): void {
  const { newest, count } = shownMonths(now);
  const oldest = addMonths(newest, 1 - count);
  if (params.month < oldest || params.month > newest)
    throw invalid(`month: expected a month from ${oldest} to ${newest}, got ${JSON.stringify(params.month)}`);
}

async function getMonth(
  request: Asked<{ params: typeof monthParams }>,
  { warehouse }: ApiDependencies,
  { spend, now }: Reading,
) {
  const { organisation } = callerOf(request);
  const wanted = { newest: request.params.month, count: 1 };
  const { months, teams } = await readBills(warehouse, spend, organisation.id, wanted);
  const [ofMonth] = months;
  if (ofMonth === undefined) throw new Error(`no bills of ${request.params.month}`);
  const { month, unallocated, total } = ofMonth;
  return success({
    month,
    bills: teams.map(({ id, name }) => ({
      team: { id, name },
      ...billOnWire(id, ofMonth, organisation, now),
    })),
    unallocated: unallocated === null ? null : toWire(unallocated),
    total: total === null ? null : toWire(total),
  });
}

/** `/teams/bills`: the bills of all teams beside each other. No team needs a statement of its own. */
export const allBillRoutes = tagged({ tag: 'Teams', plan: 'unit_economics' }, [
  route('GET /teams/bills', {
    access: 'read',
    isCached: { madeOf: 'bills' },
    operationId: 'getBillTotals',
    summary:
      'What each team costs in the last twelve months, or others, newest first, the running one included',
    query: monthRangeQuery,
    answer: pageOf(billTotals),
    check: ({ query }, now) => requestedMonths(query, now),
    reads: 'bills',
    handle: getTotals,
  }),
  route('GET /teams/bills/:month', {
    access: 'read',
    isCached: { madeOf: 'bills' },
    operationId: 'getMonthBills',
    summary: 'The bills of all teams in one of the last twelve months, and what no team pays',
    params: monthParams,
    answer: successOf(allBillsRecord),
    check: refuseOlder,
    reads: 'bills',
    handle: getMonth,
  }),
]);
