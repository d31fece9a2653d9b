import type { SignedIn } from '../../http/session.ts';
import type { ShownMetric } from '../metric-queries.ts';

/** What a key may do with the values of a metric, and why not more. */
export interface MayChangeValues {
  maySet: boolean;
  mayRemove: boolean;
  reason: string | null;
}

/** Returns what the session's key may do with a metric's values. An import owns the values of its metric. */
export function mayChangeValues({ may, has }: SignedIn, metric: ShownMetric): MayChangeValues {
  if (metric.import !== null)
    return { maySet: false, mayRemove: false, reason: 'A daily import owns these values.' };
  if (metric.kind === 'revenue' && !has('revenue'))
    return { maySet: false, mayRemove: false, reason: 'Changing revenue needs the Business plan.' };
  if (may('admin')) return { maySet: true, mayRemove: true, reason: null };
  if (may('write')) return { maySet: true, mayRemove: false, reason: null };
  return { maySet: false, mayRemove: false, reason: 'This key reads only.' };
}
