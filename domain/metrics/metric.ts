import type { Day } from '../shared/calendar.ts';

/** How values add up into a month: `total` for events, `average` for point-in-time counts (spec §2). */
export const AGGREGATIONS = ['total', 'average'] as const;
export type Aggregation = (typeof AGGREGATIONS)[number];

export const FREQUENCIES = ['daily', 'monthly'] as const;
export type Frequency = (typeof FREQUENCIES)[number];

/** The wire format of a period of each frequency (spec §2). */
export const PERIOD_FORMAT: Record<Frequency, string> = { daily: 'YYYY-MM-DD', monthly: 'YYYY-MM' };

/** A period as the warehouse keeps it: the day, or the month's first day. */
export const periodToDay = (period: Day): Day => (period.length === 7 ? `${period}-01` : period);

/** A stored period as it stands on the wire. */
export const periodToWire = (day: Day, frequency: Frequency): string =>
  frequency === 'daily' ? day : day.slice(0, 7);
