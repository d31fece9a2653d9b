import { z } from 'zod';
import { dayOf, monthOf } from '../../domain/shared/calendar.ts';
import { invalid } from '../../domain/shared/errors.ts';
import { settleMonths } from '../../warehouse/months/settlement.ts';
import { COST_SOURCES } from '../../warehouse/sources/cost-sources.ts';
import { decideUnit, type UnitDecision } from '../../warehouse/sources/units/unit-decisions.ts';
import { unitsOf, type SourceUnit } from '../../warehouse/sources/units/source-units.ts';
import { callerOf, changeBy } from '../access/authentication.ts';
import { requested } from '../access/requested.ts';
import type { ApiDependencies } from '../http/dependencies.ts';
import type { idParams } from '../http/fields.ts';
import { day } from '../http/fields.ts';
import { found } from '../http/found.ts';
import { success, successOf } from '../routes/bodies.ts';
import { route, tagged, type Asked, type AskedById } from '../routes/route.ts';

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

const endBody = z.strictObject({
  unit,
  day: day.nullable().describe('The last day that counts; null: it has not ended'),
});
const confirmBody = z.strictObject({ unit, stands: z.boolean({ error: 'expected true or false' }) });

const unitsOfSource = (
  { warehouse, clock }: ApiDependencies,
  orgId: string,
  sourceId: string,
): Promise<SourceUnit[]> =>
  warehouse.session((session) => unitsOf(session, orgId, sourceId, monthOf(dayOf(clock.now()))));

/** Stores a decision, settles the months that it completes, and returns the unit. */
async function decide(
  request: AskedById,
  dependencies: ApiDependencies,
  { unit: name, ...change }: { unit: string } & Partial<UnitDecision>,
) {
  const { warehouse, clock } = dependencies;
  const caller = callerOf(request);
  const orgId = caller.organisation.id;
  const source = await requested('cost source', COST_SOURCES, warehouse, request);
  const by = changeBy(caller, clock.now());
  const today = dayOf(by.now);
  if ((change.endedOn ?? '') > today)
    throw invalid(`day: expected a day up to today, ${today}, got ${change.endedOn ?? ''}`);
  await decideUnit(warehouse, orgId, { sourceId: source.id, unit: name }, change, by);
  await settleMonths(warehouse, orgId, clock.now());
  const units = await unitsOfSource(dependencies, orgId, source.id);
  return success(toWire(found('unit', name, units.find((one) => one.unit === name) ?? null)));
}

async function getUnits(request: AskedById, dependencies: ApiDependencies) {
  const source = await requested('cost source', COST_SOURCES, dependencies.warehouse, request);
  const units = await unitsOfSource(dependencies, callerOf(request).organisation.id, source.id);
  return success(units.map(toWire));
}

const postEnd = (
  request: Asked<{ params: typeof idParams; body: typeof endBody }>,
  dependencies: ApiDependencies,
) => decide(request, dependencies, { unit: request.body.unit, endedOn: request.body.day });

const postConfirm = (
  request: Asked<{ params: typeof idParams; body: typeof confirmBody }>,
  dependencies: ApiDependencies,
) => decide(request, dependencies, request.body);

/** `/cost-sources/{id}/units`: the accounts, clusters, hosts and tools of a source, and decisions about them. */
export const costSourceUnitRoutes = tagged('Cost sources', [
  route('GET /cost-sources/:id/units', {
    access: 'read',
    operationId: 'listCostSourceUnits',
    summary: 'Accounts, clusters, hosts or tools of a source, and the days that they lack',
    answer: successOf(z.array(costSourceUnit)),
    handle: getUnits,
  }),
  route('POST /cost-sources/:id/units/end', {
    access: 'admin',
    changesNumbers: true,
    operationId: 'endCostSourceUnit',
    summary: 'Say that a unit has ended, so that no month waits for it',
    body: endBody,
    answer: successOf(costSourceUnit),
    handle: postEnd,
  }),
  route('POST /cost-sources/:id/units/confirm', {
    access: 'admin',
    changesNumbers: true,
    operationId: 'confirmCostSourceUnit',
    summary: 'Say that the charges of a unit are right beside those of another source or file',
    body: confirmBody,
    answer: successOf(costSourceUnit),
    handle: postConfirm,
  }),
]);
