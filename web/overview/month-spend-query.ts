import { queryOptions } from '@tanstack/react-query';
import { api, bodyOf } from '../http/api.ts';
import { addMonths, firstDay, monthOf, type Day } from '../shared/calendar.ts';
import { monthSpendOf } from './month-spend.ts';

/** The spend of the running month and of the month before, by day and source, in one request. */
export const monthSpendQuery = (today: Day) =>
  queryOptions({
    queryKey: ['costs', 'month-spend', today],
    queryFn: ({ signal }) =>
      bodyOf(
        api.GET('/api/v1/costs/breakdown', {
          params: {
            query: {
              start_date: firstDay(addMonths(monthOf(today), -1)),
              end_date: today,
              group_by: ['day', 'source'],
            },
          },
          signal,
        }),
      ),
    select: (body) => monthSpendOf(body, today),
  });
