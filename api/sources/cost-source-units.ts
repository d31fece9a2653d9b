import { z } from 'zod';
import { dayOf, monthOf } from '../../domain/shared/calendar.ts';
import { invalid } from '../../domain/shared/errors.ts';
import { settleMonths } from '../../warehouse/months/settlement.ts';
import { findCostSource } from '../../warehouse/sources/cost-sources.ts';
import { decideUnit, type UnitDecision } from '../../warehouse/sources/units/unit-decisions.ts';
import { unitsOf, type SourceUnit } from '../../warehouse/sources/units/source-units.ts';
import { callerOf, changeBy } from '../access/authentication.ts';
import type { Api } from '../http/api-type.ts';
import type { ApiDependencies } from '../http/dependencies.ts';
import { day, idParams } from '../http/fields.ts';
import { found } from '../http/found.ts';
import { answers, success } from '../routes/route-schema.ts';

const costSourceUnit = z
  .object({
    unit: z.string().describe('An account as `aws/1111`, a cluster, a host or a tool'),
    kind: z.enum(['account', 'cluster', 'host', 'tool']),
    first_day: z.string().nullable(),
    last_day: z
      .string()
      .nullable()
      .describe('Last day with spend; null if it has only charges without a rhythm'),
    missing: z
      .array(z.object({ start: z.string(), end: z.string() }))
      .describe('Days without spend that its rhythm promises, both ends included'),
    ended_on: z
      .string()
      .nullable()
      .describe('Last day that counts, as a person said; null if it has not ended'),
    stands: z.boolean().describe('Whether its charges are right beside those of another source or file'),
    doubts: z.array(z.string()).describe('What is doubtful about it, in words'),
  })
  .meta({ id: 'CostSourceUnit' });

const unit = z
  .string({ error: 'expected the name of a unit, such as "aws/1111"' })
  .min(1, { error: 'expected the name of a unit, such as "aws/1111"' })
  .max(1000, { error: 'expected at most 1000 characters' });

const toWire = ({ firstDay, lastDay, missing, endedOn, ...others }: SourceUnit) => ({
  ...others,
  first_day: firstDay,
  last_day: lastDay,
  missing: missing.map(({ from, to }) => ({ start: from, end: to })),
  ended_on: endedOn,
});

/** `…/cost-sources/{id}/units`: the accounts, clusters, hosts and tools of a source, and decisions about them. */
export function costSourceUnitRoutes(app: Api, { warehouse, clock }: ApiDependencies): void {
  const units = async (orgId: string, id: string): Promise<SourceUnit[]> => {
    const source = found('cost source', id, await findCostSource(warehouse, orgId, id));
    const running = monthOf(dayOf(clock.now()));
    return warehouse.session((session) => unitsOf(session, orgId, source.id, running));
  };

  /** Stores a decision, settles the months that it completes, and returns the unit. */
  const decide = async (
    caller: ReturnType<typeof callerOf>,
    id: string,
    { unit: name, ...change }: { unit: string } & Partial<UnitDecision>,
  ) => {
    const orgId = caller.organisation.id;
    const source = found('cost source', id, await findCostSource(warehouse, orgId, id));
    const by = changeBy(caller, clock.now());
    const today = dayOf(by.now);
    if ((change.endedOn ?? '') > today)
      throw invalid(`day: expected a day up to today, ${today}, got ${change.endedOn ?? ''}`);
    await decideUnit(warehouse, orgId, { sourceId: source.id, unit: name }, change, by);
    await settleMonths(warehouse, orgId, clock.now());
    const decided = (await units(orgId, id)).find((one) => one.unit === name);
    return success(toWire(found('unit', name, decided ?? null)));
  };

  app.get(
    '/cost-sources/:id/units',
    {
      config: { access: 'read' },
      schema: answers(z.array(costSourceUnit), {
        operationId: 'listCostSourceUnits',
        tag: 'Cost sources',
        summary: 'Accounts, clusters, hosts or tools of a source, and the days that they lack',
        params: idParams,
        errors: [404],
      }),
    },
    async (request) => {
      const { id } = callerOf(request).organisation;
      return success((await units(id, request.params.id)).map(toWire));
    },
  );

  app.post(
    '/cost-sources/:id/units/end',
    {
      config: { access: 'admin', changesNumbers: true },
      schema: answers(costSourceUnit, {
        operationId: 'endCostSourceUnit',
        tag: 'Cost sources',
        summary: 'Say that a unit has ended, so that no month waits for it',
        params: idParams,
        body: z.strictObject({
          unit,
          day: day.nullable().describe('The last day that counts; null: it has not ended'),
        }),
        errors: [404],
      }),
    },
    (request) =>
      decide(callerOf(request), request.params.id, {
        unit: request.body.unit,
        endedOn: request.body.day,
      }),
  );

  app.post(
    '/cost-sources/:id/units/confirm',
    {
      config: { access: 'admin', changesNumbers: true },
      schema: answers(costSourceUnit, {
        operationId: 'confirmCostSourceUnit',
        tag: 'Cost sources',
        summary: 'Say that the charges of a unit are right beside those of another source or file',
        params: idParams,
        body: z.strictObject({ unit, stands: z.boolean({ error: 'expected true or false' }) }),
        errors: [404],
      }),
    },
    (request) => decide(callerOf(request), request.params.id, request.body),
  );
}
