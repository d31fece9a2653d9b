import { queryOptions } from '@tanstack/react-query';
import { api, bodyOf, dataOf, type Schema } from '../http/api.ts';
import { listQuery } from '../http/list-query.ts';
import type { Month } from '../shared/calendar.ts';

export type Team = Schema<'Team'>;
export type Bill = Schema<'Bill'>;
export type BillOfTeam = Schema<'BillOfTeam'>;
export type BillsOfMonth = Schema<'MonthBills'>;
export type BillTotals = Schema<'BillTotals'>;
export type BillVersion = Schema<'BillVersion'>;
export type SharedCost = Schema<'SharedCost'>;

/** Most records that one request returns. */
const MOST_AT_ONCE = 1000;

/** Subjects that a change of teams, owners or shared costs touches. */
export const TEAM_CHANGES = [
  'teams',
  'shared-costs',
  'costs',
  'metrics',
  'metric-list',
  'overview',
  'waiting',
  'spend',
  'audit-log',
] as const;

/** Every team. One request returns up to a thousand, so that almost no organisation needs a second. */
export const teamsQuery = queryOptions({
  queryKey: ['teams', 'all'],
  queryFn: async ({ signal }) => {
    const teams: Team[] = [];
    for (let at: { cursor?: string } | null = {}; at !== null;) {
      const query: { limit: number; cursor?: string } = { limit: MOST_AT_ONCE, ...at };
      const part = await bodyOf(api.GET('/api/v1/teams', { params: { query }, signal }));
      teams.push(...part.data);
      at = part.next_cursor === null ? null : { cursor: part.next_cursor };
    }
    return teams;
  },
});

export const teamQuery = (id: string) =>
  queryOptions({
    queryKey: ['teams', 'one', id],
    queryFn: ({ signal }) => dataOf(api.GET('/api/v1/teams/{id}', { params: { path: { id } }, signal })),
  });

/** What each team costs in each of the last twelve months, newest first. */
export const billTotalsQuery = queryOptions({
  queryKey: ['teams', 'bill-totals'],
  queryFn: ({ signal }) => dataOf(api.GET('/api/v1/teams/bills', { signal })),
});

/** The bills of all teams in a month, and what no bill has. */
export const billsOfMonthQuery = (month: Month) =>
  queryOptions({
    queryKey: ['teams', 'bills-of-month', month],
    queryFn: ({ signal }) =>
      dataOf(api.GET('/api/v1/teams/bills/{month}', { params: { path: { month } }, signal })),
  });

/** A team's bills of the last twelve months, newest first. */
export const billsQuery = (id: string) =>
  queryOptions({
    queryKey: ['teams', 'bills', id],
    queryFn: ({ signal }) =>
      dataOf(api.GET('/api/v1/teams/{id}/bills', { params: { path: { id } }, signal })),
  });

/** The versions of a team's bill of a month, newest first. */
export const billVersionsQuery = (id: string, month: Month) =>
  queryOptions({
    queryKey: ['teams', 'versions', id, month],
    queryFn: ({ signal }) =>
      dataOf(
        api.GET('/api/v1/teams/{id}/bills/{month}/versions', { params: { path: { id, month } }, signal }),
      ),
  });

/** Shared costs, a page at a time. */
export const sharedCostsQuery = listQuery(['shared-costs', 'pages'], (query, signal) =>
  bodyOf(api.GET('/api/v1/shared-costs', { params: { query }, signal })),
);

/** The metrics whose values have labels, which alone can split a shared cost. */
export const labelledMetricsQuery = queryOptions({
  queryKey: ['metrics', 'labelled'],
  queryFn: async ({ signal }) => {
    const query = { limit: MOST_AT_ONCE };
    const metrics = await dataOf(api.GET('/api/v1/metrics', { params: { query }, signal }));
    return metrics.flatMap((metric) =>
      'label_key' in metric && metric.label_key !== null
        ? [{ id: metric.id, name: metric.name, labelKey: metric.label_key }]
        : [],
    );
  },
});

/** The labels that a metric's values had in the days from `start` to `end`. */
export const labelsQuery = (id: string, start: string, end: string) =>
  queryOptions({
    queryKey: ['metrics', 'labels', id, start, end],
    queryFn: async ({ signal }) => {
      const query = { start, end, limit: MOST_AT_ONCE };
      const params = { path: { id }, query };
      const values = await dataOf(api.GET('/api/v1/metrics/{id}/values', { params, signal }));
      return [...new Set(values.flatMap(({ label }) => label ?? []))].sort();
    },
  });
