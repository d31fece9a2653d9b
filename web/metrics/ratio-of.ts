import type { Schema } from '../http/api.ts';

/** The unit cost of a count, or the cost share of revenue in percent. */
export const ratioOf = (
  numbers: Pick<Schema<'Month'>, 'unit_cost'> | Pick<Schema<'RevenueMonth'>, 'cost_share_percent'>,
): number | null => ('unit_cost' in numbers ? numbers.unit_cost : numbers.cost_share_percent);
