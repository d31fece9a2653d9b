import * as z from 'zod/mini';
import { oneOf, TEXT } from '../shared/search-fields.ts';
import type { Glance, OverviewRow as Row } from './overview-query.ts';

const byName = (one: Row, other: Row): number => one.metric.name.localeCompare(other.metric.name);

/** Descending, with rows without the number last, and then by name. */
const by =
  (number: (row: Glance) => number | null) =>
  (one: Row, other: Row): number => {
    const of = (row: Row): number => ('sparkline' in row ? (number(row) ?? -Infinity) : -Infinity);
    const difference = of(other) - of(one);
    return Number.isNaN(difference) || difference === 0 ? byName(one, other) : difference;
  };

/** The orders of the overview's metrics. */
export const ORDERS = {
  name: { label: 'By name', compare: byName },
  rise: { label: 'Largest rise first', compare: by((row) => row.unit_cost_change_percent) },
  fall: {
    label: 'Largest fall first',
    compare: by(({ unit_cost_change_percent: change }) => (change === null ? null : -change)),
  },
  target: { label: 'Above target first', compare: by((row) => (row.above_target ? 1 : 0)) },
} as const;

export type Order = keyof typeof ORDERS;

/** What the overview's address holds. */
export const overviewSearch = z.object({
  q: TEXT,
  order: oneOf(['name', 'rise', 'fall', 'target']),
});
