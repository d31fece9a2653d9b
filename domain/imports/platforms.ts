import type { MetricKind, ValueSource } from '../metrics/metric.ts';

/** A platform that the values of metrics are imported from (docs/http.md#import-values-each-day). */
interface PlatformFacts {
  /** Its name for people. */
  name: string;
  feeds: readonly MetricKind[];
  /** The source of its values in the history of a metric. */
  source: ValueSource;
  /** Whether CSV files may have values of the months before the import's. */
  takesOlderFiles: boolean;
  /** Whether it gives amounts that do not count, which the import lists (uncounted.ts). */
  listsUncounted: boolean;
}

/** Every platform. What to store of a connection to it is in connection-rules.ts, and how to read it in activities/imports/drivers.ts. */
export const PLATFORMS = {
  bigquery: {
    name: 'BigQuery',
    feeds: ['count', 'revenue'],
    source: 'warehouse',
    takesOlderFiles: true,
    listsUncounted: false,
  },
  stripe: {
    name: 'Stripe',
    feeds: ['revenue'],
    source: 'payments',
    takesOlderFiles: false,
    listsUncounted: true,
  },
} as const satisfies Record<string, PlatformFacts>;

export type Platform = keyof typeof PLATFORMS;

export const PLATFORM_IDS = Object.keys(PLATFORMS) as readonly Platform[];

export const mayFeed = (platform: Platform, kind: MetricKind): boolean =>
  (PLATFORMS[platform].feeds as readonly MetricKind[]).includes(kind);
