import { LARGEST_VALUE, VALUE_DECIMALS } from '../../domain/shared/decimals.ts';
import type { NumberRule } from '../shared/forms/number-entry.ts';
import type { ShownMetric } from './metric-queries.ts';

const TARGET_DECIMALS = 6;

/** Returns which values a metric takes. A day of refunds has negative revenue. */
export const valueRule = (kind: ShownMetric['kind'], currency: string): NumberRule => ({
  style: kind === 'revenue' ? { style: 'currency', currency } : { style: 'decimal' },
  min: kind === 'revenue' ? -LARGEST_VALUE : 0,
  max: LARGEST_VALUE,
  decimals: VALUE_DECIMALS,
});

/** Returns which targets a metric takes: the highest cost per unit, or in percent of revenue. */
export const targetRule = (kind: ShownMetric['kind'], currency: string): NumberRule => ({
  style: kind === 'revenue' ? { style: 'percent' } : { style: 'currency', currency },
  min: 0,
  max: LARGEST_VALUE,
  decimals: TARGET_DECIMALS,
});
