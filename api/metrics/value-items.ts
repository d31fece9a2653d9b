import { invalid } from '../../domain/shared/errors.ts';
import { periodToDay } from '../../domain/metrics/metric.ts';
import {
  newestPeriod,
  sentTwice,
  storableValue,
  valueProblem,
  type SentValue,
  type ValueRules,
} from '../../domain/metrics/value-rules.ts';
import type { NewValue } from '../../warehouse/metrics/value-changes.ts';

type Sent = SentValue & { value: number };

/** Values to store, and how many of them were rounded to ten decimals. */
export interface ValidValues {
  values: NewValue[];
  rounded: number;
}

function validated(items: readonly Sent[]): ValidValues {
  let rounded = 0;
  const values = items.map(({ period, label = '', value }) => {
    const stored = storableValue(value);
    if (stored.isRounded) rounded += 1;
    return { period: periodToDay(period), label, value: stored.value };
  });
  return { values, rounded };
}

/** Checks one value by the rules of its metric. Throws, with the wrong field. */
export function validItem(metric: ValueRules, sent: Sent, now: Date): ValidValues {
  const found = valueProblem(metric, newestPeriod(metric.frequency, now), sent);
  if (found !== null) throw invalid(`${found.field}: ${found.problem}`);
  return validated([sent]);
}

/**
 * Checks a batch of values by the rules of their metric, and that each period and label occurs once. Throws at the first
 * wrong item, with its path. Then nothing of the batch is stored.
 */
export function validItems(metric: ValueRules, values: readonly Sent[], now: Date): ValidValues {
  const newest = newestPeriod(metric.frequency, now);
  const seen = new Map<string, number>();
  values.forEach((sent, index) => {
    const found = valueProblem(metric, newest, sent);
    if (found !== null) throw invalid(`values[${index}].${found.field}: ${found.problem}`);
    const { period, label = '' } = sent;
    // Periods of one metric have the same length, so that two pairs never join to the same text.
    const first = seen.get(period + label);
    if (first !== undefined)
      throw invalid(`values[${index}].${sentTwice(sent, 'request', `values[${first}]`)}`);
    seen.set(period + label, index);
  });
  return validated(values);
}
