import { z } from 'zod';
import { addDays, daysInclusive } from '../domain/calendar.ts';
import { changePercent, toWire } from '../domain/decimals.ts';
import { invalid } from '../domain/errors.ts';
import { costSummary } from '../warehouse/costs.ts';
import { callerOf } from './authentication.ts';
import type { ApiDependencies } from './dependencies.ts';
import { day } from './fields.ts';
import { answers, success } from './route-schema.ts';
import type { Api } from './server.ts';

const MOST_DAYS = 366;

const costs = z
  .object({
    start_date: z.string(),
    end_date: z.string(),
    currency: z.string(),
    total: z.number(),
    by_source: z.object({
      cloud: z.number(),
      kubernetes: z.number(),
      hosts: z.number(),
      ai_tools: z.number(),
    }),
    by_day: z.array(z.object({ day: z.string(), total: z.number() })),
    by_account: z.array(
      z.object({ cloud: z.string(), account: z.string(), name: z.string().nullable(), total: z.number() }),
    ),
    previous_period: z.object({ total: z.number(), change_percent: z.number().nullable() }),
    complete_through: z.string().nullable().describe('Last day that every active source has delivered'),
  })
  .meta({ id: 'Costs' });

/** `GET /costs`: the spend of a range of days (spec §4). */
export const costRoutes = (app: Api, { warehouse }: ApiDependencies): void => {
  app.get(
    '/costs',
    {
      config: { access: 'read' },
      schema: answers(costs, {
        tag: 'Costs',
        summary: 'Spend of a range of days, both inclusive, at most 366',
        querystring: z.strictObject({ start_date: day, end_date: day }),
      }),
    },
    async (request) => {
      const { organisation } = callerOf(request);
      const { start_date, end_date } = request.query;
      if (end_date < start_date) {
        throw invalid(
          `end_date: expected a day not before start_date ${start_date}, got ${JSON.stringify(end_date)}`,
        );
      }
      const days = daysInclusive(start_date, end_date);
      if (days > MOST_DAYS)
        throw invalid(`end_date: expected at most ${MOST_DAYS} days from start_date, got ${days}`);
      const summary = await costSummary(warehouse, organisation.id, {
        previousStart: addDays(start_date, -days),
        start: start_date,
        end: end_date,
      });
      return success({
        start_date,
        end_date,
        currency: organisation.currency,
        total: toWire(summary.total),
        // Every source so far is a bill: what it holds is cloud spend.
        by_source: { cloud: toWire(summary.total), kubernetes: 0, hosts: 0, ai_tools: 0 },
        by_day: summary.byDay.map(({ day, total }) => ({ day, total: toWire(total) })),
        by_account: summary.byAccount.map((account) => ({ ...account, total: toWire(account.total) })),
        previous_period: {
          total: toWire(summary.previousTotal),
          change_percent: changePercent(summary.previousTotal, summary.total),
        },
        complete_through: summary.completeThrough,
      });
    },
  );
};
