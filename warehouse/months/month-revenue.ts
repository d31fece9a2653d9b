import { monthOf, type Day, type Month } from '../../domain/shared/calendar.ts';
import { valueText, valueUnits, type DecimalText } from '../../domain/shared/decimals.ts';
import { pushTo } from '../../domain/shared/push-to.ts';
import { letOthersRun } from '../engine/let-others-run.ts';
import type { Session } from '../engine/session.ts';
import type { RevenueVault, ValuePlace } from '../metrics/revenue-vault.ts';

/** The opened revenue of some metrics. It exists only in memory (spec §5, Revenue privacy rule 1). */
export class Revenue {
  readonly #days: ReadonlyMap<string, readonly { period: Day; units: bigint }[]>;

  constructor(days: ReadonlyMap<string, readonly { period: Day; units: bigint }[]>) {
    this.#days = days;
  }

  /** Returns the sum of a metric's values from `start` to `end`, both inclusive; null without values. */
  sum(metricId: string, start: Day, end: Day): DecimalText | null {
    return sumOf(this.#days.get(metricId), ({ period }) => period >= start && period <= end);
  }

  /** Returns the sum of a metric's values of a month; null without values. */
  sumOfMonth(metricId: string, month: Month): DecimalText | null {
    return sumOf(this.#days.get(metricId), ({ period }) => monthOf(period) === month);
  }
}

const sumOf = (
  days: readonly { period: Day; units: bigint }[] = [],
  isMeant: (day: { period: Day }) => boolean,
): DecimalText | null => {
  const meant = days.filter(isMeant);
  if (meant.length === 0) return null;
  const units = meant.reduce((sum, day) => sum + day.units, 0n);
  return valueText(units);
};

/** Reads and opens the revenue of some metrics from `first` on. Throws without a vault, unless there are no metrics. */
export const openRevenue = async (
  session: Pick<Session, 'query'>,
  orgId: string,
  metricIds: readonly string[],
  first: Day,
  vault: RevenueVault | undefined,
): Promise<Revenue> => {
  const days = new Map<string, { period: Day; units: bigint }[]>();
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
    const units = valueUnits(vault.openValue(place, sealed_value));
    pushTo(days, place.metric_id, { period: place.period, units });
  }
  return new Revenue(days);
};
