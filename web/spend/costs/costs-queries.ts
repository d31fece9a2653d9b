import { queryOptions } from '@tanstack/react-query';
import { api, bodyOf, dataOf, type Schema } from '../../http/api.ts';
import type { CostRange, Step } from './cost-range.ts';
import type { Group } from './costs-search.ts';

/** A part of the spend with its keys and its total. */
export type CostRow = Schema<'BreakdownRow'>;

/** One or two different keys to group spend by. */
export type CostKeys = readonly [Group | Step] | readonly [Group | Step, Group];

/** The spend of a range of days, the period before it, and how far sources have delivered. */
export const costsQuery = ({ start, end }: CostRange) =>
  queryOptions({
    queryKey: ['costs', 'summary', start, end],
    queryFn: ({ signal }) =>
      dataOf(api.GET('/api/v1/costs', { params: { query: { start_date: start, end_date: end } }, signal })),
    placeholderData: (before) => before,
  });

const queryOf = ({ start, end }: CostRange, keys: CostKeys) => ({
  start_date: start,
  end_date: end,
  group_by: [...keys],
});

const pageOf = (range: CostRange, keys: CostKeys, cursor: string | null, signal: AbortSignal) =>
  bodyOf(
    api.GET('/api/v1/costs/breakdown', {
      params: { query: { ...queryOf(range, keys), ...(cursor !== null && { cursor }) } },
      signal,
    }),
  );

/** Every row of a breakdown, with what the API says about them. */
export type Breakdown = Omit<Awaited<ReturnType<typeof pageOf>>, 'data' | 'next_cursor' | 'success'> & {
  rows: CostRow[];
};

/** The spend of a range of days by one or two keys, with every row. While it loads, no rows of another grouping are shown. */
export const breakdownQuery = (range: CostRange, keys: CostKeys) =>
  queryOptions({
    queryKey: ['costs', 'breakdown', range.start, range.end, ...keys],
    queryFn: async ({ signal }): Promise<Breakdown> => {
      const { total, complete_through, reconciliation, ...first } = await pageOf(range, keys, null, signal);
      const rows = [...first.data];
      for (let cursor = first.next_cursor; cursor !== null;) {
        const more = await pageOf(range, keys, cursor, signal);
        rows.push(...more.data);
        cursor = more.next_cursor;
      }
      return { total, complete_through, reconciliation, rows };
    },
    placeholderData: (before, query) =>
      query?.queryKey.slice(4).join() === keys.join() ? before : undefined,
    // Comparing a hundred thousand rows takes longer than drawing the few that are seen.
    structuralSharing: false,
  });

/** The formats of a download, with the ends of their files' names. */
export const FORMATS = {
  csv: { label: 'CSV', accept: 'text/csv' },
  parquet: { label: 'Parquet', accept: 'application/vnd.apache.parquet' },
} as const;

export type Format = keyof typeof FORMATS;

/** Returns every row of a breakdown as a file. */
export const breakdownFile = (range: CostRange, keys: CostKeys, format: Format): Promise<Blob> =>
  bodyOf(
    api.GET('/api/v1/costs/breakdown', {
      params: { query: queryOf(range, keys) },
      headers: { Accept: FORMATS[format].accept },
      parseAs: 'blob',
    }),
  );
