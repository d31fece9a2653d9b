import type { z } from 'zod';
import { invalid } from '../../domain/shared/errors.ts';
import { forMessage } from '../../domain/shared/text/for-message.ts';
import type { SpendPick } from '../../domain/spend/spend-pick.ts';
import type { Metric } from '../../warehouse/metrics/metrics.ts';
import type { Caller } from '../access/authentication.ts';
import { refuseBelowRevenuePlan } from '../access/revenue-access.ts';
import { without } from '../http/defined-fields.ts';
import type { metricChanges, newMetric } from './metric-fields.ts';
import { validRise } from './rise-field.ts';

/** Returns the changed scope. Its type stays; only the picks of a spend scope can change (docs/http.md#define-a-metric). */
function changedScope(
  { scope }: Metric,
  change: { type?: string | undefined; spend?: SpendPick[] | undefined } | undefined,
): Metric['scope'] | undefined {
  if (change === undefined) return undefined;
  if (change.type !== undefined && change.type !== scope.type) {
    throw invalid(`scope.type: expected ${JSON.stringify(scope.type)}: it cannot be changed after creation`);
  }
  if (change.spend === undefined) return undefined;
  if (scope.type !== 'spend')
    throw invalid(`scope.spend: expected none, this metric has the scope ${JSON.stringify(scope.type)}`);
  return { type: 'spend', spend: change.spend };
}

/** Rejects a currency that does not fit the kind of a new metric. Revenue is never converted. */
export function validCurrency(
  { kind, currency, label_key }: z.infer<typeof newMetric>,
  organisation: Caller['organisation'],
): string | null {
  if (kind === 'count') {
    if (currency === undefined) return null;
    throw invalid(`currency: expected none on a count metric, got ${forMessage(currency)}`);
  }
  refuseBelowRevenuePlan(organisation);
  if (currency !== organisation.currency)
    throw invalid(
      `currency: expected ${forMessage(organisation.currency)}, the currency of the organisation’s costs, got ${forMessage(currency)}`,
    );
  refuseLabels(kind, label_key);
  return currency;
}

function refuseLabels(kind: Metric['kind'], labelKey: string | null | undefined): void {
  if (kind === 'revenue' && typeof labelKey === 'string')
    throw invalid(`label_key: expected null, or nothing, on a revenue metric, got ${forMessage(labelKey)}`);
}

export const targetText = (target: number | null): string | null =>
  target === null ? null : target.toString();

/** Returns the fields that a request changes. Throws `invalid` for those that do not fit the metric. */
export function changesOf(
  metric: Metric,
  { name, unit, target, label_key, rise, assistant_access, scope }: z.infer<typeof metricChanges>,
) {
  refuseLabels(metric.kind, label_key);
  if (metric.kind === 'count' && assistant_access !== undefined)
    throw invalid('assistant_access: expected none on a count metric, which the assistant may always read');
  return without(
    {
      name,
      unit,
      target: target === undefined ? undefined : targetText(target),
      label_key,
      assistant_access,
      rise: rise === undefined ? undefined : validRise(metric, rise),
      scope: changedScope(metric, scope),
    },
    undefined,
  );
}
