import { monthOf } from '../../domain/shared/calendar.ts';
import type { Aggregation, Frequency } from '../../domain/metrics/metric.ts';
import type { SpendPick } from '../../domain/spend/spend-pick.ts';
import { wobble } from './noise.ts';
import { PLATFORM } from './platform-account.ts';
import { daily, monthly, monthlyByLabel, type SampleValues } from './sample-values.ts';
import { growth, isWeekend, season } from './season.ts';

/** What a metric divides: all that the organisation spends, picked spend, or the bill of a sample team. */
export type SampleScope =
  { type: 'organisation' } | { type: 'spend'; spend: SpendPick[] } | { type: 'team'; team: string };

/** A metric of the sample organisation and what it recorded. */
export interface SampleMetric {
  name: string;
  unit: string;
  aggregation: Aggregation;
  frequency: Frequency;
  scope: SampleScope;
  target: number | null;
  labelKey: string | null;
  values: SampleValues;
}

const ORDERS: SampleMetric = {
  name: 'Orders',
  unit: 'order',
  aggregation: 'total',
  frequency: 'daily',
  scope: { type: 'organisation' },
  target: 0.36,
  labelKey: null,
  values: daily(
    (day) =>
      3_350 *
      growth(monthOf(day), 0.019) *
      season(monthOf(day)) *
      (isWeekend(day) ? 1.25 : 1) *
      wobble(`orders ${day}`, 0.08),
  ),
};

const ACTIVE_CUSTOMERS: SampleMetric = {
  name: 'Active customers',
  unit: 'customer',
  aggregation: 'average',
  frequency: 'daily',
  scope: { type: 'organisation' },
  target: null,
  labelKey: null,
  values: daily(
    (day) => 16_500 * growth(monthOf(day), 0.018) * season(monthOf(day)) * wobble(`customers ${day}`, 0.03),
  ),
};

const API_REQUESTS: SampleMetric = {
  name: 'API requests',
  unit: 'million requests',
  aggregation: 'total',
  frequency: 'monthly',
  scope: { type: 'organisation' },
  target: null,
  labelKey: null,
  values: monthly((month) => 410 * growth(month, 0.03) * season(month) * wobble(`requests ${month}`, 0.05)),
};

/** Picks of every source; the account leaves out the cluster and the host inside it, so that none counts twice. */
const CHECKOUTS: SampleMetric = {
  name: 'Checkouts',
  unit: 'checkout',
  aggregation: 'total',
  frequency: 'daily',
  scope: {
    type: 'spend',
    spend: [
      { source: 'kubernetes', cluster: 'prod', namespace: 'checkout' },
      { source: 'kubernetes', cluster: 'prod', namespace: 'search', workload: 'statefulset/index' },
      { source: 'host', host: 'db-1', service: 'postgres' },
      { source: 'cloud', cloud: 'aws', account: PLATFORM.account },
      { source: 'repository', repository: 'github.com/sample-shop/checkout' },
    ],
  },
  target: null,
  labelKey: null,
  values: daily(
    (day) =>
      3_900 *
      growth(monthOf(day), 0.02) *
      season(monthOf(day)) *
      (isWeekend(day) ? 1.2 : 1) *
      wobble(`checkouts ${day}`, 0.07),
  ),
};

const STORES: Record<string, number> = { north: 41, south: 27, islands: 9 };

/** A value by region in each month; the unit cost is of all regions together. */
const OPEN_STORES: SampleMetric = {
  name: 'Open stores',
  unit: 'store',
  aggregation: 'average',
  frequency: 'monthly',
  scope: {
    type: 'spend',
    spend: [
      { source: 'kubernetes', cluster: 'edge', namespace: 'kiosk' },
      { source: 'kubernetes', cluster: 'edge', namespace: 'stockroom' },
      { source: 'kubernetes', cluster: 'prod', namespace: 'delivery' },
    ],
  },
  target: null,
  labelKey: 'region',
  values: monthlyByLabel(
    Object.keys(STORES),
    (month, region) => (STORES[region] ?? 0) * growth(month, 0.006) * wobble(`${region} ${month}`, 0.03),
  ),
};

/** Picks by a tag, which is collected only from the day on which the metric is made. */
const PAYMENTS: SampleMetric = {
  name: 'Payments',
  unit: 'payment',
  aggregation: 'total',
  frequency: 'daily',
  scope: {
    type: 'spend',
    spend: [{ source: 'cloud', cloud: 'aws', tag: { key: 'team', value: 'checkout' } }],
  },
  target: null,
  labelKey: null,
  values: daily((day) => 3_500 * growth(monthOf(day), 0.02) * wobble(`payments ${day}`, 0.07)),
};

/** What the sample organisation counts: one metric of each sort. */
export const SAMPLE_METRICS: readonly SampleMetric[] = [
  ORDERS,
  ACTIVE_CUSTOMERS,
  API_REQUESTS,
  CHECKOUTS,
  OPEN_STORES,
  PAYMENTS,
];
