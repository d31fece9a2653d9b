import { api, bodyOf } from '../../http/api.ts';
import { listQuery } from '../../http/list-query.ts';
import { addMonths, monthOf, type Day, type Month } from '../../shared/calendar.ts';
import type { ShownMetric } from '../metric-queries.ts';

const PAGE = 500;
/** Months that are shown at first. */
const MONTHS = { daily: 2, monthly: 12 } as const;

/** The values of a metric in a range of months, by pages. */
export const valuesQuery = (id: string, { start, end }: { start: Month; end: Month }) =>
  listQuery(['values', id, start, end], (at, signal) =>
    bodyOf(
      api.GET('/api/v1/metrics/{id}/values', {
        params: { path: { id }, query: { limit: PAGE, start, end, ...at } },
        signal,
      }),
    ),
  );

/** Returns the months whose values are shown at first. */
export function firstMonths({ frequency }: ShownMetric, today: Day): { start: Month; end: Month } {
  const end = monthOf(today);
  return { start: addMonths(end, 1 - MONTHS[frequency]), end };
}
