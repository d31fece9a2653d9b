import type { Schema } from '../http/api.ts';
import type { ListedMetric } from './metric-queries.ts';

type Defined = Schema<'Metric'> | Schema<'RevenueMetric'>;

/** Whether the key may see a metric's numbers. */
export const isShown = <Metric extends ListedMetric>(
  metric: Metric,
): metric is Extract<Metric, { unit: string }> => 'unit' in metric;

/** Returns what a metric divides by what, in words. */
export const ratioInWords = ({ kind, unit }: Pick<Defined, 'kind' | 'unit'>): string =>
  kind === 'revenue' ? 'Cost in percent of revenue' : `Cost per ${unit}`;

/** Returns whose cost a metric counts, in words. */
export function scopeInWords(scope: Defined['scope'], teamName?: string): string {
  switch (scope.type) {
    case 'organisation':
      return 'all spend';
    case 'team':
      return teamName === undefined ? 'the bill of a team' : `the bill of ${teamName}`;
    case 'spend':
      return scope.spend.length === 1
        ? 'one chosen part of spend'
        : `${scope.spend.length} chosen parts of spend`;
  }
}

/** Returns how values become the value of a month, in words. */
export const valuesInWords = ({
  frequency,
  aggregation,
}: Pick<Defined, 'frequency' | 'aggregation'>): string =>
  frequency === 'monthly'
    ? 'one value a month'
    : aggregation === 'total'
      ? 'daily values, added up'
      : 'daily values, averaged';
