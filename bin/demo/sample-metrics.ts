import { addDays, addMonths, firstDay, monthOf, type Day, type Month } from '../../domain/calendar.ts';
import type { Aggregation, Frequency } from '../../domain/metric.ts';
import { wobble } from './noise.ts';
import { growth, isWeekend, season } from './season.ts';

/** A value as the API takes it. */
export interface SampleValue {
  period: string;
  value: number;
}

/** A metric of the sample organisation and what it recorded. */
export interface SampleMetric {
  name: string;
  unit: string;
  aggregation: Aggregation;
  frequency: Frequency;
  target: number | null;
  /** Values from the first of `months` through the day `through`. */
  values: (months: readonly Month[], through: Day) => SampleValue[];
}

/** Daily values of the days of `months` through `through`. */
const daily =
  (value: (day: Day) => number) =>
  (months: readonly Month[], through: Day): SampleValue[] => {
    const values: SampleValue[] = [];
    let day = firstDay(months[0] ?? monthOf(through));
    for (; day <= through; day = addDays(day, 1)) values.push({ period: day, value: Math.round(value(day)) });
    return values;
  };

/** Values of the months of `months` that are complete on the day `through`. */
const monthly =
  (value: (month: Month) => number) =>
  (months: readonly Month[], through: Day): SampleValue[] =>
    months
      .filter((month) => firstDay(addMonths(month, 1)) <= addDays(through, 1))
      .map((month) => ({ period: month, value: Number(value(month).toFixed(1)) }));

/** What the sample organisation counts: one metric of each sort. */
export const SAMPLE_METRICS: readonly SampleMetric[] = [
  {
    name: 'Orders',
    unit: 'order',
    aggregation: 'total',
    frequency: 'daily',
    target: 0.31,
    values: daily(
      (day) =>
        3_350 *
        growth(monthOf(day), 0.019) *
        season(monthOf(day)) *
        (isWeekend(day) ? 1.25 : 1) *
        wobble(`orders ${day}`, 0.08),
    ),
  },
  {
    name: 'Active customers',
    unit: 'customer',
    aggregation: 'average',
    frequency: 'daily',
    target: null,
    values: daily(
      (day) => 16_500 * growth(monthOf(day), 0.018) * season(monthOf(day)) * wobble(`customers ${day}`, 0.03),
    ),
  },
  {
    name: 'API requests',
    unit: 'million requests',
    aggregation: 'total',
    frequency: 'monthly',
    target: null,
    values: monthly((month) => 410 * growth(month, 0.03) * season(month) * wobble(`requests ${month}`, 0.05)),
  },
];
