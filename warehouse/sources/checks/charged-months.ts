import type { Day, Month } from '../../../domain/shared/calendar.ts';
import type { Queries } from '../../engine/session.ts';

/** The months with charges, in order, and their first and last day; null without any. */
export interface ChargedMonths {
  months: Month[];
  firstDay: Day | null;
  lastDay: Day | null;
}

/**
 * Returns the months of the days in a relation.
 *
 * @param days SQL of a relation with `day`.
 */
export async function chargedMonths(
  querier: Queries,
  days: string,
  parameters: Record<string, string> = {},
): Promise<ChargedMonths> {
  const found = await querier.query<{ month: Month; first_day: Day; last_day: Day }>(
    `SELECT strftime(day, '%Y-%m') AS month, min(day) AS first_day, max(day) AS last_day
     FROM ${days} GROUP BY ALL ORDER BY month`,
    parameters,
  );
  return {
    months: found.map(({ month }) => month),
    firstDay: found[0]?.first_day ?? null,
    lastDay: found.at(-1)?.last_day ?? null,
  };
}
