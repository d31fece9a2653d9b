import { endedInWords, unreadInWords, type ImportReach } from '../../domain/imports/import-reach.ts';
import { missingLastDays } from '../../domain/metrics/value-gap.ts';
import { addMonths, type Month } from '../../domain/shared/calendar.ts';
import type { Queries } from '../engine/session.ts';
import { valueImports } from '../sources/value-imports.ts';
import { valuePeriods } from '../sources/value-periods.ts';

/** What is known of the imports of metrics that split costs. */
export interface SplitDoubts {
  /** Returns what the import of a metric has read; null if it is not connected. */
  reachOf: (metric: string) => ImportReach | null;
  /** Returns why an import keeps a metric's values from splitting the costs of a month, in words; null if nothing does. */
  doubtOf: (metric: string, month: Month, isSettled: boolean) => string | null;
}

/** Returns what the imports of some metrics keep from splitting costs, also of those that were disconnected. */
export async function splitDoubts(
  session: Queries,
  orgId: string,
  metricIds: readonly string[],
): Promise<SplitDoubts> {
  const imports = await valueImports(session, orgId, metricIds);
  const ended = [...imports].flatMap(([id, { disconnectedOn }]) => (disconnectedOn === null ? [] : [id]));
  const periods = await valuePeriods(session, orgId, ended);
  return {
    reachOf: (metric) => {
      const found = imports.get(metric);
      return found?.disconnectedOn === null ? found.reach : null;
    },
    doubtOf: (metric, month, isSettled) => {
      const { reach, disconnectedOn } = imports.get(metric) ?? {};
      if (reach === undefined || disconnectedOn === undefined) return null;
      if (disconnectedOn === null) return unreadInWords(reach, month, isSettled);
      const months = periods.get(metric);
      const now = months?.get(month);
      if (!isSettled || now === undefined) return null;
      return endedInWords({ reach, disconnectedOn }, month, {
        missing: missingLastDays(month, now, months?.get(addMonths(month, -1))),
        lastImported: now.lastImported,
      });
    },
  };
}
