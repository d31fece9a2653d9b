import { z } from 'zod';
import { addMonths, monthsBack, monthsInclusive, type Month } from '../../domain/shared/calendar.ts';
import { invalid } from '../../domain/shared/errors.ts';
import { shownMonths } from '../../domain/months/shown-months.ts';
import { month } from './fields.ts';
import { page, pageQuery } from './paging.ts';

const FIRST_MONTH = '1970-01';

/** The query of routes that answer months, newest first (docs/http.md#read-and-lock-months). */
export const monthRangeQuery = z.strictObject({
  start: month.optional().describe('First month; without it, twelve months, or `limit` if that is more'),
  end: month.optional().describe('Last month, inclusive; without it, the running one'),
  limit: pageQuery.shape.limit.unwrap().optional().describe('Without it, all months'),
  cursor: pageQuery.shape.cursor,
});

/** Months that follow each other. */
export interface MonthRange {
  newest: Month;
  count: number;
}

/**
 * Returns the months that a request asks for, by default the last twelve, and the cursor of the older ones. Throws `invalid` for
 * months that are yet to come or before 1970, and for a start after the end.
 */
export async function requestedMonths(
  query: z.infer<typeof monthRangeQuery>,
  now: Date,
): Promise<{ months: MonthRange; next_cursor: string | null }> {
  const { newest: running, count: usual } = shownMonths(now);
  const { end = running, limit, cursor } = query;
  refuseOutside('end', end, running);
  const back = addMonths(end, 1 - Math.max(usual, limit ?? 0));
  const { start = back < FIRST_MONTH ? FIRST_MONTH : back } = query;
  refuseOutside('start', start, end);
  const all = monthsBack(end, monthsInclusive(start, end));
  const { data, next_cursor } = await page(
    { limit: limit ?? all.length, cursor },
    z.enum(all.slice(0, -1)),
    (part) =>
      Promise.resolve(all.filter((each) => part.cursor === null || each < part.cursor).slice(0, part.limit)),
    (each) => each,
  );
  return { months: { newest: data[0] ?? end, count: data.length }, next_cursor };
}

function refuseOutside(field: 'start' | 'end', given: Month, last: Month): void {
  if (given < FIRST_MONTH || given > last)
    throw invalid(`${field}: expected a month from ${FIRST_MONTH} to ${last}, got ${JSON.stringify(given)}`);
}
