import Big from 'big.js';
import { z } from 'zod';
import { normalText } from '../../domain/shared/text/normal-text.ts';
import { PERCENT_DECIMALS, percentUnits, type Split } from '../../domain/teams/shared-cost.ts';
import type { Organisation } from '../../warehouse/organisations/organisations.ts';
import { pickWarnings } from '../../warehouse/spend/picks/pick-warnings.ts';
import { createSharedCost, SHARED_COSTS, type SharedCost } from '../../warehouse/teams/shared-costs.ts';
import { callerOf, changeBy } from '../access/authentication.ts';
import type { ApiDependencies } from '../http/dependencies.ts';
import type { idParams } from '../http/fields.ts';
import { name } from '../http/fields.ts';
import { found } from '../http/found.ts';
import { namedPageQuery, page } from '../http/paging.ts';
import { noBody, pageOf, success, successOf } from '../routes/bodies.ts';
import { route, tagged, type Asked, type AskedById } from '../routes/route.ts';
import { ownedPicks, spendPickRecord, warned } from '../spend/pick-fields.ts';
import { without } from '../http/defined-fields.ts';

const id = z.string({ error: 'expected an id' }).min(1, { error: 'expected an id' });
const isUnique = (ids: readonly string[]): boolean => new Set(ids).size === ids.length;
/** Most teams that share a cost, and most labels that name a team. */
const MOST_TEAMS = 1_000;
const MOST_LABELS = 10_000;
const TEAMS = { error: `expected 1 to ${MOST_TEAMS} teams` };
const EACH_ONCE = { error: 'expected each team once' };

const withNormalLabels = (labels: Record<string, string>): Record<string, string> =>
  Object.fromEntries(Object.entries(labels).map(([label, team]) => [normalText(label), team]));

const PERCENT = `expected a number from 0 to 100 with at most ${PERCENT_DECIMALS} decimals`;
const percent = z
  .number({ error: PERCENT })
  .min(0, { error: PERCENT })
  .max(100, { error: PERCENT })
  .refine((value) => Big(value).round(PERCENT_DECIMALS, Big.roundDown).eq(value), { error: PERCENT });

/** The split of a shared cost on the wire. */
export const split: z.ZodType<Split> = z.discriminatedUnion(
  'type',
  [
    z
      .strictObject({
        type: z.literal('even'),
        team_ids: z.array(id).min(1, TEAMS).max(MOST_TEAMS, TEAMS).refine(isUnique, EACH_ONCE),
      })
      .meta({ id: 'NewEvenSplit' }),
    z
      .strictObject({
        type: z.literal('fixed'),
        shares: z
          .array(z.strictObject({ team_id: id, percent }))
          .min(1, TEAMS)
          .max(MOST_TEAMS, TEAMS)
          .refine((shares) => isUnique(shares.map(({ team_id }) => team_id)), EACH_ONCE)
          .refine(
            (shares) =>
              shares.reduce((sum, share) => sum + percentUnits(share.percent), 0n) <= percentUnits(100),
            { error: 'expected percents that add up to at most 100' },
          ),
      })
      .meta({ id: 'NewFixedSplit' }),
    z
      .strictObject({
        type: z.literal('metric'),
        metric_id: id,
        labels: z
          .record(z.string(), id, { error: 'expected an object of label: team id' })
          .refine((labels) => isUnique(Object.keys(labels).map(normalText)), {
            error: 'expected each label once, without blanks around it',
          })
          .overwrite(withNormalLabels)
          .refine((labels) => Object.keys(labels).length > 0 && Object.keys(labels).length <= MOST_LABELS, {
            error: `expected 1 to ${MOST_LABELS} labels`,
          }),
      })
      .meta({ id: 'NewMetricSplit' }),
  ],
  { error: 'expected a type "even", "fixed" or "metric"' },
);

const splitRecord = z.discriminatedUnion('type', [
  z.object({ type: z.literal('even'), team_ids: z.array(z.string()) }).meta({ id: 'EvenSplit' }),
  z
    .object({
      type: z.literal('fixed'),
      shares: z.array(z.object({ team_id: z.string(), percent: z.number() })),
    })
    .meta({ id: 'FixedSplit' }),
  z
    .object({
      type: z.literal('metric'),
      metric_id: z.string(),
      labels: z.record(z.string(), z.string()),
    })
    .meta({ id: 'MetricSplit' }),
]);

/** A shared cost in answers. */
export const sharedCostRecord = z
  .object({ id: z.string(), name: z.string(), spend: z.array(spendPickRecord), split: splitRecord })
  .meta({ id: 'SharedCost' });

const newSharedCost = z.strictObject({ name, spend: ownedPicks(1), split });
const changesOf = z.strictObject({
  name: name.optional(),
  spend: ownedPicks(1).optional(),
  split: split.optional(),
});

async function change(
  request: AskedById,
  { warehouse, clock }: ApiDependencies,
  changes: Partial<SharedCost> | 'delete',
): Promise<SharedCost> {
  const caller = callerOf(request);
  const { id } = request.params;
  const by = changeBy(caller, clock.now());
  const changed = await SHARED_COSTS.change(warehouse, caller.organisation.id, id, changes, by);
  return found('shared cost', id, changed);
}

async function withWarnings(
  { id: orgId }: Organisation,
  sharedCost: SharedCost,
  { warehouse, clock }: ApiDependencies,
) {
  const warnings = await pickWarnings(warehouse, orgId, sharedCost.spend, clock.now());
  return success({ ...sharedCost, warnings });
}

function getSharedCosts(request: Asked<{ query: typeof namedPageQuery }>, { warehouse }: ApiDependencies) {
  const orgId = callerOf(request).organisation.id;
  return page(
    request.query,
    z.string(),
    (part) => SHARED_COSTS.list(warehouse, orgId, { ...part, name: request.query.name }),
    (sharedCost) => sharedCost.id,
  );
}

async function postSharedCost(request: Asked<{ body: typeof newSharedCost }>, dependencies: ApiDependencies) {
  const caller = callerOf(request);
  const by = changeBy(caller, dependencies.clock.now());
  const made = await createSharedCost(dependencies.warehouse, caller.organisation.id, request.body, by);
  return withWarnings(caller.organisation, made, dependencies);
}

async function patchSharedCost(
  request: Asked<{ params: typeof idParams; body: typeof changesOf }>,
  dependencies: ApiDependencies,
) {
  const changed = await change(request, dependencies, without(request.body, undefined));
  return withWarnings(callerOf(request).organisation, changed, dependencies);
}

const deleteSharedCost = async (request: AskedById, dependencies: ApiDependencies) =>
  success(await change(request, dependencies, 'delete'));

/** `/shared-costs`: spend that is split over teams. */
export const sharedCostRoutes = tagged({ tag: 'Teams', plan: 'unit_economics' }, [
  route('GET /shared-costs', {
    access: 'read',
    operationId: 'listSharedCosts',
    summary: 'List shared costs',
    query: namedPageQuery,
    answer: pageOf(sharedCostRecord),
    handle: getSharedCosts,
  }),
  route('POST /shared-costs', {
    access: 'admin',
    changesNumbers: true,
    operationId: 'createSharedCost',
    summary: 'Split spend over teams: evenly, by fixed percents, or by a labelled metric',
    description: 'What is split is nobody’s own. What no team gets stays unallocated.',
    errors: [409],
    body: newSharedCost,
    answer: successOf(sharedCostRecord.extend(warned)),
    handle: postSharedCost,
  }),
  route('PATCH /shared-costs/:id', {
    access: 'admin',
    changesNumbers: true,
    operationId: 'updateSharedCost',
    summary: 'Change name, spend or split',
    errors: [409],
    body: changesOf,
    answer: successOf(sharedCostRecord.extend(warned)),
    handle: patchSharedCost,
  }),
  route('DELETE /shared-costs/:id', {
    access: 'admin',
    changesNumbers: true,
    operationId: 'deleteSharedCost',
    summary: 'Delete a shared cost; its spend falls back to who owns it',
    body: noBody,
    answer: successOf(sharedCostRecord),
    handle: deleteSharedCost,
  }),
]);
