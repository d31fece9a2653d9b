import { monthOf, type Day, type Month } from '../../domain/shared/calendar.ts';
import { valueText, valueUnits, type DecimalText } from '../../domain/shared/decimals.ts';
import { pushTo } from '../../domain/shared/push-to.ts';
import { letOthersRun } from '../engine/let-others-run.ts';
import type { Queries } from '../engine/session.ts';
import type { RevenueVault, ValuePlace } from '../metrics/revenue-vault.ts';

/** A value of revenue. `units` is null if it cannot be opened. */
interface RevenueDay {
  period: Day;
  units: bigint | null;
}

/** The opened revenue of some metrics. It exists only in memory (docs/concepts.md#revenue-and-who-sees-it). */
export class Revenue {
  readonly #days: ReadonlyMap<string, readonly RevenueDay[]>;

  constructor(days: ReadonlyMap<string, readonly RevenueDay[]>) {
    this.#days = days;
  }

  /**
   * Returns the sum of a metric's values from `start` to `end`, both inclusive; null without values, or if one of them cannot be
   * opened.
   */
  sum(metricId: string, start: Day, end: Day): DecimalText | null {
    return sumOf(this.#days.get(metricId), ({ period }) => period >= start && period <= end);
  }

  /** Returns the sum of a metric's values of a month; null as in {@link sum}. */
  sumOfMonth(metricId: string, month: Month): DecimalText | null {
    return sumOf(this.#days.get(metricId), ({ period }) => monthOf(period) === month);
  }

  /** Returns the periods of a month whose values cannot be opened. */
  unreadableOfMonth(metricId: string, month: Month): Day[] {
    const days = this.#days.get(metricId) ?? [];
    return days.flatMap(({ period, units }) => (units === null && monthOf(period) === month ? [period] : []));
  }
}

function sumOf(days: readonly RevenueDay[] = [], isMeant: (day: RevenueDay) => boolean): DecimalText | null {
  const meant = days.filter(isMeant);
  if (meant.length === 0) return null;
  let sum = 0n;
  for (const { units } of meant) {
    if (units === null) return null;
    sum += units;
  }
  return valueText(sum);
}

/** Reads and opens the revenue of some metrics from `first` on. Throws without a vault, unless there are no metrics. */
export async function openRevenue(
  session: Queries,
  orgId: string,
  metricIds: readonly string[],
  first: Day,
  vault: RevenueVault | undefined,
): Promise<Revenue> {
  const days = new Map<string, RevenueDay[]>();
  if (metricIds.length === 0) return new Revenue(days);
  if (vault === undefined) throw new Error('revenue was read without its vault');
  const rows = await session.query<ValuePlace & { sealed_value: string }>(
    `SELECT metric_id, period, change_id, sealed_value FROM metric_values
     WHERE org_id = $org AND list_contains($metrics, metric_id) AND period >= $first::DATE`,
    { org: orgId, metrics: metricIds, first },
  );
  const pause = letOthersRun();
  for (const { sealed_value, ...place } of rows) {
    await pause();
    const value = vault.openValue(place, sealed_value);
    pushTo(days, place.metric_id, {
      period: place.period,
      units: value === null ? null : valueUnits(value),
    });
  }
  return new Revenue(days);
}
