import Big from 'big.js';
import { z } from 'zod';
import { normalText } from '../../domain/shared/normal-text.ts';
import { PERCENT_DECIMALS, percentUnits, type Split } from '../../domain/teams/shared-cost.ts';
import { pickWarnings } from '../../warehouse/spend/picks/pick-warnings.ts';
import {
  createSharedCost,
  listSharedCosts,
  updateSharedCost,
  type SharedCost,
} from '../../warehouse/teams/shared-costs.ts';
import { callerOf, changeBy, type Caller } from '../access/authentication.ts';
import type { ApiDependencies } from '../http/dependencies.ts';
import { idParams, name } from '../http/fields.ts';
import { found } from '../http/found.ts';
import { namedPageQuery, page } from '../http/paging.ts';
import { answers, answersPage, noBody, success } from '../routes/route-schema.ts';
import type { Api } from '../http/api-type.ts';
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

const ACCESS = {
  read: { access: 'read', feature: 'unit_economics' },
  admin: { access: 'admin', feature: 'unit_economics', changesNumbers: true },
} as const;

/** `…/shared-costs`: spend that is split over teams. */
export function sharedCostRoutes(app: Api, { warehouse, clock }: ApiDependencies): void {
  const withWarnings = async (caller: Caller, sharedCost: SharedCost) =>
    success({
      ...sharedCost,
      warnings: await pickWarnings(warehouse, caller.organisation.id, sharedCost.spend, clock.now()),
    });

  app.get(
    '/shared-costs',
    {
      config: ACCESS.read,
      schema: answersPage(sharedCostRecord, {
        operationId: 'listSharedCosts',
        tag: 'Teams',
        summary: 'List shared costs',
        querystring: namedPageQuery,
      }),
    },
    (request) =>
      page(
        request.query,
        z.string(),
        (part) =>
          listSharedCosts(warehouse, callerOf(request).organisation.id, {
            ...part,
            name: request.query.name,
          }),
        (sharedCost) => sharedCost.id,
      ),
  );

  app.post(
    '/shared-costs',
    {
      config: ACCESS.admin,
      schema: answers(sharedCostRecord.extend(warned), {
        operationId: 'createSharedCost',
        tag: 'Teams',
        summary: 'Split spend over teams: evenly, by fixed percents, or by a labelled metric',
        description: 'What is split is nobody’s own. What no team gets stays unallocated.',
        body: z.strictObject({ name, spend: ownedPicks(1), split }),
        errors: [409],
      }),
    },
    async (request) => {
      const caller = callerOf(request);
      const by = changeBy(caller, clock.now());
      return withWarnings(
        caller,
        await createSharedCost(warehouse, caller.organisation.id, request.body, by),
      );
    },
  );

  app.patch(
    '/shared-costs/:id',
    {
      config: ACCESS.admin,
      schema: answers(sharedCostRecord.extend(warned), {
        operationId: 'updateSharedCost',
        tag: 'Teams',
        summary: 'Change name, spend or split',
        params: idParams,
        body: z.strictObject({
          name: name.optional(),
          spend: ownedPicks(1).optional(),
          split: split.optional(),
        }),
        errors: [404, 409],
      }),
    },
    async (request) => {
      const caller = callerOf(request);
      const by = changeBy(caller, clock.now());
      const changes = without(request.body, undefined);
      const changed = found(
        'shared cost',
        request.params.id,
        await updateSharedCost(warehouse, caller.organisation.id, request.params.id, changes, by),
      );
      return withWarnings(caller, changed);
    },
  );

  app.delete(
    '/shared-costs/:id',
    {
      config: ACCESS.admin,
      schema: answers(sharedCostRecord, {
        operationId: 'deleteSharedCost',
        tag: 'Teams',
        summary: 'Delete a shared cost; its spend falls back to who owns it',
        params: idParams,
        body: noBody,
        errors: [404],
      }),
    },
    async (request) => {
      const caller = callerOf(request);
      const by = changeBy(caller, clock.now());
      const deleted = found(
        'shared cost',
        request.params.id,
        await updateSharedCost(warehouse, caller.organisation.id, request.params.id, 'delete', by),
      );
      return success(deleted);
    },
  );
}
