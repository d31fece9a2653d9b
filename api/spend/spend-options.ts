import { z } from 'zod';
import { dayOf, monthOf } from '../../domain/shared/calendar.ts';
import { toWire } from '../../domain/shared/decimals.ts';
import { previewSpend } from '../../warehouse/spend/picks/spend-preview.ts';
import { spendOptions } from '../../warehouse/spend/picks/spend-options.ts';
import { callerOf } from '../access/authentication.ts';
import type { ApiDependencies } from '../http/dependencies.ts';
import { page, pageQuery } from '../http/paging.ts';
import { pageOf, success, successOf } from '../routes/bodies.ts';
import { route, tagged, type Asked } from '../routes/route.ts';
import type { Reading } from '../routes/up-to-date.ts';
import { ownedPicks, refuseIdle, spendPickRecord } from './pick-fields.ts';

const month = z
  .string()
  .nullable()
  .describe('The newest month that is over and has spend, as YYYY-MM; null if there is none');

const collectedFrom = z
  .string()
  .nullable()
  .describe(
    '`always`; or the day from which this service, resource group or tag value is collected; null if it is not collected yet',
  );

const name = z.string().describe('What a person reads: `prod / checkout / deployment/api`');

const optionCost = z
  .number()
  .nullable()
  .describe(
    'Its cost in `month`, as a metric with only this pick has it. If it was not collected then, the cost on the bill; null if that is not known',
  );

const spendOption = z
  .object({
    pick: spendPickRecord.describe('What metrics, teams and shared costs take as a pick'),
    name,
    month,
    cost: optionCost,
    collected_from: collectedFrom,
  })
  .meta({ id: 'SpendOption', description: 'Something that can be picked.' });

const previewedPick = z
  .object({
    pick: spendPickRecord,
    name,
    cost: optionCost,
    own: z.number().nullable().describe('The part of `cost` that no other pick of the list has'),
    collected_from: collectedFrom,
  })
  .meta({ id: 'PreviewedPick' });

const spendPreview = z
  .object({
    month,
    cost: z.number().nullable().describe('All picks together in `month`, each dollar once'),
    picks: z.array(previewedPick).describe('The picks, in their order'),
    overlap: z.number().nullable().describe('The sum of the costs of the picks, less `cost`'),
    conflicts: z.array(z.string()).describe('Why saving the picks would be a 409'),
    notes: z
      .array(z.string())
      .describe('What would be partial, what was never seen, and which costs are only those of the bill'),
  })
  .meta({ id: 'SpendPreview', description: 'What picks cost together, before they are saved.' });

const optionsQuery = pageQuery.extend({
  source: z
    .enum(['kubernetes', 'host', 'cloud', 'repository'], {
      error: 'expected a source "kubernetes", "host", "cloud" or "repository"',
    })
    .optional()
    .describe('Only picks of this source'),
  q: z
    .string()
    .max(500, { error: 'expected a text of at most 500 characters' })
    .optional()
    .describe('A part of the name, or of any id, key or value of the pick, in any case'),
});

/** The position of an option: its month, its exact cost, and its key. */
const position = z.tuple([
  z.iso.date().nullable(),
  z
    .string()
    .regex(/^-?\d{1,23}\.\d{15}$/)
    .nullable(),
  z.string(),
]);

const user = z
  .strictObject({
    type: z.enum(['metric', 'team', 'shared_cost'], {
      error: 'expected a type "metric", "team" or "shared_cost"',
    }),
    id: z.string().optional().describe('Its id, if it exists already, because its own picks are no conflict'),
  })
  .describe('Who would have the picks; without it, a new metric');

const previewBody = z
  .strictObject({ spend: ownedPicks(1), user: user.optional() })
  .superRefine(({ spend, user: owner }, context) => {
    if (owner === undefined || owner.type === 'metric') refuseIdle(spend, context, ['spend']);
  });

const amount = (cost: string | null): number | null => (cost === null ? null : toWire(cost));
const monthText = (day: string | null): string | null => (day === null ? null : monthOf(day));

async function getOptions(
  request: Asked<{ query: typeof optionsQuery }>,
  { warehouse }: ApiDependencies,
  { spend, now }: Reading,
) {
  const { source, q } = request.query;
  const orgId = callerOf(request).organisation.id;
  const options = await page(
    request.query,
    position,
    ({ limit, cursor }) => {
      const [of, cost, key] = cursor ?? [];
      const after = key === undefined ? null : { month: of ?? null, cost: cost ?? null, key };
      const asked = { source, q, limit, cursor: after };
      return warehouse.onOneState((session) => spendOptions(spend.on(session), orgId, asked, dayOf(now)));
    },
    (option): z.infer<typeof position> => [option.month, option.cost, option.key],
  );
  return {
    ...options,
    data: options.data.map(({ pick, name: shown, month: of, cost, collected_from }) => ({
      pick,
      name: shown,
      month: monthText(of),
      cost: amount(cost),
      collected_from,
    })),
  };
}

async function postPreview(
  request: Asked<{ body: typeof previewBody }>,
  { warehouse }: ApiDependencies,
  { spend, now }: Reading,
) {
  const { spend: picks, user: given = { type: 'metric' as const } } = request.body;
  const owner = {
    type: given.type === 'shared_cost' ? ('shared cost' as const) : given.type,
    id: given.id ?? '',
  };
  const orgId = callerOf(request).organisation.id;
  const preview = await warehouse.onOneState((session) =>
    previewSpend(spend.on(session), orgId, owner, picks, now),
  );
  return success({
    ...preview,
    month: monthText(preview.month),
    cost: amount(preview.cost),
    overlap: amount(preview.overlap),
    picks: preview.picks.map((pick) => ({ ...pick, cost: amount(pick.cost), own: amount(pick.own) })),
  });
}

/** `/spend`: what can be picked, and what picks would cost. */
export const spendOptionRoutes = tagged('Costs', [
  route('GET /spend/options', {
    access: 'read',
    isCached: { madeOf: 'spend' },
    operationId: 'listSpendOptions',
    summary: 'What can be picked, dearest first',
    description:
      'What was seen in the newest complete month or since. Services, resource groups and tag values also before they are collected: the dearest of each bill.',
    query: optionsQuery,
    answer: pageOf(spendOption),
    reads: 'spend',
    handle: getOptions,
  }),
  route('POST /spend/preview', {
    access: 'read',
    operationId: 'previewSpend',
    summary: 'What picks would cost together; stores nothing',
    body: previewBody,
    answer: successOf(spendPreview),
    reads: 'spend',
    handle: postPreview,
  }),
]);
