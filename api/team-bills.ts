import { z } from 'zod';
import { dayOf, lastDay } from '../domain/calendar.ts';
import { fullyLoaded } from '../domain/bill.ts';
import { toWire } from '../domain/decimals.ts';
import { settlementReasons } from '../domain/month-record.ts';
import { sealBills } from '../warehouse/bill-sealing.ts';
import { listBillVersions, monthBills, type Bill } from '../warehouse/bills.ts';
import { callerOf } from './authentication.ts';
import type { ApiDependencies } from './dependencies.ts';
import { idParams, instant, month } from './fields.ts';
import { shownMonths } from './metric-months.ts';
import { answers, success } from './route-schema.ts';
import type { Api } from './server.ts';
import { foundTeam } from './teams.ts';

const money = z.number();

const amounts = {
  direct: money.describe('What the team owns'),
  shared: money.describe('Its part of shared costs'),
  fully_loaded: money.describe('direct + shared'),
  by_source: z
    .object({ cloud: money, kubernetes: money, hosts: money, ai_tools: money })
    .describe('The parts of direct'),
  shared_costs: z
    .array(z.object({ id: z.string(), name: z.string(), amount: money }))
    .describe('The parts of shared'),
};

/** A team's bill of a month. */
export const billRecord = z
  .object({
    month: z.string(),
    status: z.enum(['estimate', 'waiting', 'sealed']),
    direct: amounts.direct.nullable(),
    shared: amounts.shared.nullable(),
    fully_loaded: amounts.fully_loaded.nullable(),
    by_source: amounts.by_source.nullable(),
    shared_costs: amounts.shared_costs,
    version: z.number().nullable(),
    sealed_at: instant.nullable(),
    waiting_for: z.array(z.string()).describe('In words; empty once sealed'),
    uncollected: z
      .array(z.string())
      .describe(
        'Tags and splits that the bill misses, for they were not collected from the month’s first day on',
      ),
    settled_before_teams: z
      .boolean()
      .describe(
        'The month settled before there was any team: it seals again when teams or shared costs change',
      ),
    unallocated: money
      .nullable()
      .describe('The organisation’s total less the bills of all teams; late spend after the seal among it'),
  })
  .meta({ id: 'Bill', description: 'Amounts are null while no spend of the month has been ingested.' });

const billVersion = z
  .object({ version: z.number(), ...amounts, sealed_at: instant })
  .meta({ id: 'BillVersion' });

const toWireAmounts = ({ direct, shared, by_source, shared_costs, ...others }: Bill) => ({
  direct: toWire(direct),
  shared: toWire(shared),
  fully_loaded: toWire(fullyLoaded({ direct, shared })),
  by_source: {
    cloud: toWire(by_source.cloud),
    kubernetes: toWire(by_source.kubernetes),
    hosts: toWire(by_source.hosts),
    ai_tools: toWire(by_source.ai_tools),
  },
  shared_costs: shared_costs.map(({ amount, ...cost }) => ({ ...cost, amount: toWire(amount) })),
  ...others,
});

const NOT_KNOWN = {
  direct: null,
  shared: null,
  fully_loaded: null,
  by_source: null,
  shared_costs: [],
  version: null,
  sealed_at: null,
};

/** `…/teams/{id}/bills`: what a team costs, month by month (contract §3, Team, bill, shared cost). */
export const teamBillRoutes = (app: Api, dependencies: ApiDependencies): void => {
  const { warehouse, clock } = dependencies;

  app.get(
    '/teams/:id/bills',
    {
      config: { access: 'read', feature: 'unit_economics' },
      schema: answers(z.array(billRecord), {
        tag: 'Teams',
        summary: 'The bills of the last twelve months, newest first, the running one included',
        params: idParams,
        errors: [404],
      }),
    },
    async (request) => {
      const caller = callerOf(request);
      const { organisation } = caller;
      const team = await foundTeam(dependencies, caller, request.params.id);
      const now = clock.now();
      await sealBills(warehouse, organisation.id, now);
      const months = await warehouse.transaction((session) =>
        monthBills(session, organisation.id, shownMonths(now)),
      );
      const bills = months.slice(1).map(({ month, status, settled, missing, gaps, ...ofMonth }) => {
        const own = ofMonth.bills?.get(team.id);
        const settlement = { settleDays: organisation.settle_days, gaps };
        const waits = settled ? [] : settlementReasons(month, settlement, dayOf(now));
        const unknown = own === undefined ? [`no spend has been ingested for ${month}`] : [];
        const idle = dayOf(now) > lastDay(month) && waits.length + missing.length + unknown.length === 0;
        return {
          month,
          status,
          ...(own === undefined ? NOT_KNOWN : toWireAmounts(own)),
          waiting_for:
            status === 'sealed'
              ? []
              : [...waits, ...unknown, ...missing, ...(idle ? ['the next daily settlement'] : [])],
          uncollected: ofMonth.uncollected[team.id] ?? [],
          settled_before_teams: ofMonth.settledBeforeTeams,
          unallocated: ofMonth.unallocated === null ? null : toWire(ofMonth.unallocated),
        };
      });
      return success(bills.reverse());
    },
  );

  app.get(
    '/teams/:id/bills/:month/versions',
    {
      config: { access: 'read', feature: 'unit_economics' },
      schema: answers(z.array(billVersion), {
        tag: 'Teams',
        summary: 'The sealed versions of a bill, newest first',
        params: idParams.extend({ month }),
        errors: [404],
      }),
    },
    async (request) => {
      const caller = callerOf(request);
      const team = await foundTeam(dependencies, caller, request.params.id);
      await sealBills(warehouse, caller.organisation.id, clock.now());
      const versions = await listBillVersions(
        warehouse,
        caller.organisation.id,
        team.id,
        request.params.month,
      );
      return success(
        versions.map((version) => ({
          ...toWireAmounts(version),
          version: version.version ?? 0,
          sealed_at: version.sealed_at ?? '',
        })),
      );
    },
  );
};
