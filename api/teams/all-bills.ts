import { z } from 'zod';
import { addMonths } from '../../domain/shared/calendar.ts';
import { toWire } from '../../domain/shared/decimals.ts';
import { invalid } from '../../domain/shared/errors.ts';
import { shownMonths } from '../../domain/months/shown-months.ts';
import { fullyLoaded } from '../../domain/teams/bill.ts';
import { callerOf } from '../access/authentication.ts';
import type { Api } from '../http/api-type.ts';
import type { NumberDependencies } from '../http/dependencies.ts';
import { month } from '../http/fields.ts';
import { answers, answersPage, success } from '../routes/route-schema.ts';
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

/** `…/teams/bills`: the bills of all teams beside each other. No team needs a statement of its own. */
export function allBillRoutes(app: Api, dependencies: NumberDependencies): void {
  const { clock } = dependencies;

  app.get(
    '/teams/bills',
    {
      config: { isKept: true, access: 'read', feature: 'unit_economics' },
      schema: answersPage(billTotals, {
        operationId: 'getBillTotals',
        tag: 'Teams',
        summary:
          'What each team costs in the last twelve months, or others, newest first, the running one included',
        querystring: monthRangeQuery,
      }),
    },
    async (request) => {
      const now = clock.now();
      const { organisation } = callerOf(request);
      const { months: range, next_cursor } = await requestedMonths(request.query, now);
      const { months, teams } = await readBills(dependencies, organisation, range, now);
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
    },
  );

  app.get(
    '/teams/bills/:month',
    {
      config: { isKept: true, access: 'read', feature: 'unit_economics' },
      schema: answers(allBillsRecord, {
        operationId: 'getMonthBills',
        tag: 'Teams',
        summary: 'The bills of all teams in one of the last twelve months, and what no team pays',
        params: z.strictObject({ month }),
      }),
    },
    async (request) => {
      const now = clock.now();
      const { organisation } = callerOf(request);
      const { newest, count } = shownMonths(now);
      const oldest = addMonths(newest, 1 - count);
      if (request.params.month < oldest || request.params.month > newest)
        throw invalid(
          `month: expected a month from ${oldest} to ${newest}, got ${JSON.stringify(request.params.month)}`,
        );
      const wanted = { newest: request.params.month, count: 1 };
      const { months, teams } = await readBills(dependencies, organisation, wanted, now);
      const [ofMonth] = months;
      if (ofMonth === undefined) throw new Error(`no bills of ${request.params.month}`);
      const { month: ofBills, unallocated, total } = ofMonth;
      return success({
        month: ofBills,
        bills: teams.map(({ id, name }) => ({
          team: { id, name },
          ...billOnWire(id, ofMonth, organisation, now),
        })),
        unallocated: unallocated === null ? null : toWire(unallocated),
        total: total === null ? null : toWire(total),
      });
    },
  );
}
