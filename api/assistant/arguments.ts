import { z } from 'zod';

const LIMIT = { error: 'expected a whole number from 1 to 1000' };

/** The arguments of every tool with a paged list (docs/http.md#what-all-answers-have-in-common). */
export const pageArguments = {
  limit: z
    .number(LIMIT)
    .int(LIMIT)
    .min(1, LIMIT)
    .max(1000, LIMIT)
    .default(100)
    .describe('Most items to return'),
  cursor: z
    .string({ error: 'expected a text' })
    .optional()
    .describe('`next_cursor` of the answer before, for the next page; leave it out for the first page'),
};

const DAY = { error: 'expected a day as YYYY-MM-DD' };

/** A day for models to read. The API also refuses days that no calendar has, such as 30 February. */
const day = z.string(DAY).regex(/^\d{4}-\d{2}-\d{2}$/, DAY);

/** The arguments of every tool on a range of days. */
export const rangeArguments = {
  start_date: day.describe('First day, YYYY-MM-DD'),
  end_date: day.describe('Last day, YYYY-MM-DD, included; at most 366 days'),
};

/** Returns the schema of an id. It takes only characters of ids, because the id becomes a part of a path. */
export function idArgument(example: string, tool: string) {
  const error = `expected an id such as "${example}", as ${tool} returns it`;
  return z
    .string({ error })
    .regex(/^[A-Za-z0-9_-]+$/, { error })
    .describe(`Id as ${tool} returns it, such as ${example}`);
}
