import { PLATFORMS } from '../../domain/imports/platforms.ts';
import { leftOutInWords, NOTHING } from '../../domain/imports/uncounted.ts';
import { missingLastDays } from '../../domain/metrics/value-gap.ts';
import { disconnectDoubt, importDoubt } from '../../domain/months/import-doubt.ts';
import type { MonthFacts } from '../../domain/months/month-facts.ts';
import { addMonths, type Month } from '../../domain/shared/calendar.ts';
import { uncountedOf } from '../imports/import-runs.ts';
import type { RevenueVault } from '../metrics/revenue-vault.ts';
import type { ValueImport } from '../sources/value-imports.ts';
import type { MetricScope } from './parts/metric-scopes.ts';
import type { ValueMonths } from '../../domain/metrics/value-months.ts';

type ValueFacts = Required<
  Pick<
    MonthFacts,
    'valueSum' | 'valuePeriods' | 'valueChanges' | 'valueDoubts' | 'missingLastDays' | 'valueNotes'
  >
>;

/**
 * Returns what is known of a metric's values in a month: their sum, and why it may not be complete. `valueImport` is what its
 * import has read, if it is or was connected. The vault opens what the import does not count of revenue.
 */
export function valueFactsOf(
  { metric_id, frequency, kind }: MetricScope,
  values: ValueMonths,
  valueImport: ValueImport | undefined,
  vault: RevenueVault | undefined,
): (month: Month) => ValueFacts {
  const { reach = null, disconnectedOn = null, completed = null } = valueImport ?? {};
  const uncounted =
    kind === 'revenue' && vault !== undefined && disconnectedOn === null
      ? uncountedOf(vault, completed)
      : NOTHING;
  return (month) => {
    const ofMonth = values.months.get(month);
    const missing =
      frequency === 'daily' && ofMonth !== undefined
        ? missingLastDays(month, ofMonth, values.months.get(addMonths(month, -1)))
        : null;
    const doubt =
      reach === null
        ? null
        : disconnectedOn === null
          ? importDoubt(metric_id, reach, month)
          : disconnectDoubt(metric_id, { reach, disconnectedOn }, month, {
              missing,
              lastImported: ofMonth?.lastImported ?? null,
            });
    return {
      valueSum: ofMonth?.sum ?? null,
      valuePeriods: ofMonth?.count ?? 0,
      valueChanges: ofMonth?.changes ?? 0,
      valueDoubts: doubt === null ? [] : [doubt],
      missingLastDays: missing,
      valueNotes:
        uncounted === null
          ? ['what the import did not count cannot be opened: run the import to count it again']
          : reach === null
            ? []
            : leftOutInWords(
                uncounted.left_out.filter((part) => part.month === month),
                PLATFORMS[reach.type].name,
              ),
    };
  };
}
