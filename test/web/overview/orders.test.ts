import { describe, expect, it } from 'vitest';
import type { OverviewRow } from '../../../web/overview/overview-query.ts';
import { ORDERS, type Order } from '../../../web/overview/overview-search.ts';

/** A metric at a glance with what orders compare. */
const row = (name: string, unit_cost_change_percent: number | null, above_target = false) =>
  ({
    metric: { id: name, name },
    unit_cost_change_percent,
    above_target,
    sparkline: [],
  }) as unknown as OverviewRow;

/** Revenue that the key may not see. */
const hidden = { metric: { id: 'r', name: 'Revenue' } } as unknown as OverviewRow;

const ROWS = [row('Orders', -5), hidden, row('Users', 12, true), row('Calls', null, true), row('Builds', -5)];

const ordered = (order: Order) => ROWS.toSorted(ORDERS[order].compare).map(({ metric }) => metric.name);

describe('the metrics of the overview', () => {
  it('stand by name', () => {
    expect(ordered('name')).toEqual(['Builds', 'Calls', 'Orders', 'Revenue', 'Users']);
  });

  it('stand by their change, then by name, and those without a change last', () => {
    expect(ordered('rise')).toEqual(['Users', 'Builds', 'Orders', 'Calls', 'Revenue']);
    expect(ordered('fall')).toEqual(['Builds', 'Orders', 'Users', 'Calls', 'Revenue']);
  });

  it('stand with those above their target first', () => {
    expect(ordered('target')).toEqual(['Calls', 'Users', 'Builds', 'Orders', 'Revenue']);
  });
});
