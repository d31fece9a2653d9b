import { z } from 'zod';
import { toWire } from '../../domain/shared/decimals.ts';
import { invalid } from '../../domain/shared/errors.ts';
import type { Metric } from '../../warehouse/metrics/metrics.ts';
import { HOW_TO_ENABLE_ASSISTANT } from '../access/revenue-access.ts';
import { idArgument, pageArguments } from './arguments.ts';
import type { ApiAnswer } from '../access/ask-api.ts';
import { explained, tool } from './tool.ts';

const PRIVATE = `A metric with only id, name and kind is a revenue metric that the assistant may not read. To enable this, ${HOW_TO_ENABLE_ASSISTANT}.`;

const UNIT_COSTS = (currency: string): string =>
  `unit_cost is in ${currency} per unit of the metric. Revenue metrics have cost_share_percent instead: cost in percent of revenue.`;

const NO_LATEST =
  'latest is the newest month with a unit cost. It is null if no month has one; get_metric_months gives the reason of each month.';

const SAME_DAYS =
  'With change_basis same_days, the complete days of the running month are compared with the same days of the month before.';

/** Returns the definition of a metric, and the unit of each number of its months. */
const definition = ({ id, name, kind, unit, aggregation, frequency, target, label_key }: Metric) => ({
  id,
  name,
  kind,
  unit,
  aggregation,
  frequency,
  label_key,
  target: target === null ? null : toWire(target),
});

function unitsOf({ kind, unit }: Metric, currency: string): Record<string, string> {
  const money = { cost: currency };
  return kind === 'count'
    ? { ...money, value: unit, unit_cost: `${currency} per ${unit}` }
    : { ...money, value: currency, margin: currency, cost_share_percent: '%', margin_percent: '%' };
}

/** Returns a page of the overview, oldest metrics first. The cursor is the id of the last metric before the page. */
function pageOf(
  { data, ...answer }: ApiAnswer,
  { limit, cursor }: { limit: number; cursor?: string | undefined },
): ApiAnswer {
  const all = data as { metric: { id: string } }[];
  const before = cursor === undefined ? -1 : all.findIndex(({ metric }) => metric.id === cursor);
  if (cursor !== undefined && before === -1)
    throw invalid(
      'cursor: expected next_cursor of the answer before, got another text; begin with the first page',
    );
  const items = all.slice(before + 1, before + 1 + limit);
  const isLast = before + 1 + limit >= all.length;
  return { ...answer, data: items, next_cursor: isLast ? null : (items.at(-1)?.metric.id ?? null) };
}

/** `list_metrics`, `get_metric_months` and `get_overview`: unit costs (docs/http.md#read-and-lock-months). */
export const METRIC_TOOLS = [
  tool({
    name: 'list_metrics',
    title: 'Business metrics',
    description:
      'Business metrics with their unit, scope, target and newest unit cost. Choose it to find the metric_id for get_metric_months.',
    input: z.strictObject(pageArguments),
    answer: async (page, { organisation, ask }) =>
      explained(organisation, await ask('/metrics', page), [
        UNIT_COSTS(organisation.currency),
        NO_LATEST,
        SAME_DAYS,
        PRIVATE,
      ]),
  }),
  tool({
    name: 'get_metric_months',
    title: 'Months of a metric',
    description:
      'Cost, value and unit cost of one metric for the last twelve months, newest first, the running one included, with status, change ' +
      'and the reason why a month is not final. Choose it for "how did the cost per order develop" and "why is a number missing".',
    input: z.strictObject({ metric_id: idArgument('met_…', 'list_metrics') }),
    answer: async ({ metric_id }, { organisation, ask, definitionOf }) => {
      const months = await ask(`/metrics/${metric_id}/months`);
      const metric = await definitionOf(metric_id);
      const { currency } = organisation;
      const shown = {
        metric: definition(metric),
        unit: metric.unit,
        units: unitsOf(metric, currency),
        ...months,
      };
      return explained(organisation, shown, [
        metric.kind === 'count'
          ? `unit_cost is cost ÷ value. target is the highest unit cost that is wanted.`
          : `value is revenue, cost_share_percent is cost ÷ revenue × 100, margin is revenue − cost. A share is null if revenue is 0 or less. target is the highest cost share that is wanted.`,
        'null means that a number is not known, never 0. reason says in words why a month is open or partial, and notes what to know before locking it.',
        'complete_through of a month is its last day up to which every cost source has delivered all days; null if none is complete.',
        'A locked month shows the numbers that were frozen. If it changed since its lock, current has today’s.',
        SAME_DAYS,
      ]);
    },
  }),
  tool({
    name: 'get_overview',
    title: 'Every metric at a glance',
    description:
      'Every metric with its newest unit cost, the changes of spend and unit cost, whether it is above target, and the last twelve unit ' +
      'costs. Choose it first for "how are we doing" and to find what needs attention.',
    input: z.strictObject(pageArguments),
    answer: async (page, { organisation, ask }) =>
      explained(organisation, pageOf(await ask('/overview'), page), [
        UNIT_COSTS(organisation.currency),
        NO_LATEST,
        'sparkline has the last twelve months, oldest first. null marks a month without a unit cost.',
        'A change is null if there is nothing to compare with. opposite_directions means that spend rises while the unit cost falls, or the other way round.',
        SAME_DAYS,
        PRIVATE,
      ]),
  }),
];
