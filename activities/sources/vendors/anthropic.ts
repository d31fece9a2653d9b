import Big from 'big.js';
import { z } from 'zod';
import { addDays, type Day } from '../../../domain/shared/calendar.ts';
import { invalid, Outage } from '../../../domain/shared/errors.ts';
import { TOOL } from '../../../domain/sources/otlp/usage-points.ts';
import type { VendorRequest } from './ask-vendor.ts';
import type { ReadVendor, VendorReading } from './vendor-reading.ts';

const CENTS = Big('0.01');
const AMOUNT = 'expected a decimal text of cents';

/** The most days of a page. */
const COST_DAYS = '31';
const USERS = '1000';

const page = <Item extends z.ZodType>(item: Item) =>
  z.object({ data: z.array(item), has_more: z.boolean(), next_page: z.string().nullish() });

const costDay = z.object({
  starting_at: z.string().regex(/^\d{4}-\d\d-\d\dT00:00:00(\.0+)?Z$/, { error: 'expected a day in UTC' }),
  results: z.array(
    z.object({
      amount: z.string().regex(/^-?\d+(\.\d+)?$/, { error: AMOUNT }),
      currency: z.string(),
      workspace_id: z.string().nullish(),
    }),
  ),
});

/** What a user did on a day. Who it was is not read. */
const codeUser = z.object({
  model_breakdown: z.array(
    z.object({ estimated_cost: z.object({ amount: z.number().min(0), currency: z.string() }) }),
  ),
});

/**
 * Reads the cost report of Anthropic: of a workspace, or of all. The tool is Claude Code. What its analytics estimate for users is
 * usage, and never spend.
 */
export const readAnthropic: ReadVendor = async (reading) => {
  const { days, place, spend, usage, currency } = reading;
  const seen = new Set<Day>();
  const query = [
    ['starting_at', `${days.from}T00:00:00Z`],
    ['ending_at', `${addDays(days.to, 1)}T00:00:00Z`],
    ['bucket_width', '1d'],
    ['limit', COST_DAYS],
    ['group_by[]', 'workspace_id'],
  ] as const;
  for await (const { starting_at: start, results } of pages(reading, 'cost_report', query, costDay)) {
    const day = start.slice(0, 10);
    if (seen.has(day) || day < days.from || day > days.to)
      throw invalid(`location: Anthropic answered ${day} twice, or unasked; nothing was loaded`);
    seen.add(day);
    for (const { amount, workspace_id: workspace, currency: billed } of results) {
      if (billed !== currency)
        throw invalid(
          `location: Anthropic bills ${day} in ${JSON.stringify(billed)}, expected ${currency}; money is never converted`,
        );
      if (place.name === '' || workspace === place.name) spend.add(day, TOOL, Big(amount).times(CENTS));
    }
    reading.report(seen.size);
  }
  if (usage === null) return;
  for (const day of spend.days) {
    const users = pages(
      reading,
      'usage_report/claude_code',
      [
        ['starting_at', day],
        ['limit', USERS],
      ],
      codeUser,
    );
    for await (const { model_breakdown: models } of users)
      for (const { estimated_cost: cost } of models) usage.add(day, TOOL, Big(cost.amount).times(CENTS));
  }
};

/** Yields the items of all pages. Throws Outage if a page does not say where the next one is. */
async function* pages<Item>(
  { ask, token }: VendorReading,
  report: string,
  query: NonNullable<VendorRequest['query']>,
  item: z.ZodType<Item>,
): AsyncGenerator<Item> {
  const asked = new Set<string>();
  for (let next: string | null = null; ;) {
    const answer: { data: Item[]; has_more: boolean; next_page?: string | null | undefined } = await ask.get(
      {
        path: `/v1/organizations/${report}`,
        query: next === null ? query : [...query, ['page', next]],
        headers: { 'x-api-key': token, 'anthropic-version': '2023-06-01' },
      },
      page(item),
    );
    yield* answer.data;
    if (!answer.has_more) return;
    next = answer.next_page ?? null;
    if (next === null || asked.has(next))
      throw new Outage(
        `location: Anthropic has more of ${report}, but names no next page; nothing was loaded`,
      );
    asked.add(next);
  }
}
