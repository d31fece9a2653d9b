import type { Day } from '../shared/calendar.ts';

/** `revenue` is money and private; `count` is anything else. */
export const METRIC_KINDS = ['count', 'revenue'] as const;
export type MetricKind = (typeof METRIC_KINDS)[number];

/** How values add up into a month: `total` for events, `average` for point-in-time counts. */
export const AGGREGATIONS = ['total', 'average'] as const;
export type Aggregation = (typeof AGGREGATIONS)[number];

export const FREQUENCIES = ['daily', 'monthly'] as const;
export type Frequency = (typeof FREQUENCIES)[number];

/** How a value arrived (docs/http.md#send-values). */
export const VALUE_SOURCES = ['hand', 'csv', 'api', 'warehouse', 'payments'] as const;
export type ValueSource = (typeof VALUE_SOURCES)[number];

/** The wire format of a period of each frequency (docs/concepts.md#value-and-unit-cost). */
export const PERIOD_FORMAT: Record<Frequency, string> = { daily: 'YYYY-MM-DD', monthly: 'YYYY-MM' };

/** Returns a period as the warehouse stores it: the day, or the month's first day. */
export const periodToDay = (period: Day): Day => (period.length === 7 ? `${period}-01` : period);

/** Returns the wire format of a stored period. */
export const periodToWire = (day: Day, frequency: Frequency): string =>
  frequency === 'daily' ? day : day.slice(0, 7);
