import { invalid } from '../../domain/shared/errors.ts';
import { periodToDay } from '../../domain/metrics/metric.ts';
import {
  newestPeriod,
  sentTwice,
  valueProblem,
  type SentValue,
  type ValueRules,
} from '../../domain/metrics/value-rules.ts';
import type { NewValue } from '../../warehouse/metrics/metric-values.ts';

type Sent = SentValue & { value: number };

const toNewValue = ({ period, label = '', value }: Sent): NewValue => ({
  period: periodToDay(period),
  label,
  value,
});

/** Checks one value by the rules of its metric. Throws, with the wrong field. */
export const judgeItem = (metric: ValueRules, sent: Sent, now: Date): NewValue => {
  const found = valueProblem(metric, newestPeriod(metric.frequency, now), sent);
  if (found !== null) throw invalid(`${found.field}: ${found.problem}`);
  return toNewValue(sent);
};

/**
 * Checks a batch of values by the rules of their metric, and that each period and label occurs once. Throws at the first
 * wrong item, with its path. Then nothing of the batch is stored.
 */
export const judgeItems = (metric: ValueRules, values: readonly Sent[], now: Date): NewValue[] => {
  const newest = newestPeriod(metric.frequency, now);
  const seen = new Map<string, number>();
  return values.map((sent, index) => {
    const found = valueProblem(metric, newest, sent);
    if (found !== null) throw invalid(`values[${index}].${found.field}: ${found.problem}`);
    const { period, label = '' } = sent;
    // Periods of one metric have the same length, so that two pairs never join to the same text.
    const first = seen.get(period + label);
    if (first !== undefined)
      throw invalid(`values[${index}].${sentTwice(sent, 'request', `values[${first}]`)}`);
    seen.set(period + label, index);
    return toNewValue(sent);
  });
};
