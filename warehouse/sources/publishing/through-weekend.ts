/** The days of a load, in `load_days` with `is_after_month`: whether a file was written after the month had ended. */
interface LoadDays {
  /** The last day with rows. */
  brought: string;
  billingPeriod: string;
  /** Which rows would show that the source has spend at weekends. */
  counts: string;
}

/** Two working weeks show whether a source rests at weekends. */
const FEWEST_WORKING_DAYS = 10;

/**
 * Returns the last day that a load has brought of a bill or of AI tools. It is the last one with rows, or the end of the month if
 * only a weekend follows: no later file would ever bring it. The load must have no weekend at all, and be written after the month.
 */
export function throughWeekend({ brought, billingPeriod, counts }: LoadDays): string {
  // A group has one billing period, which GROUP BY ALL accepts only in an aggregate.
  const end = `last_day(max(${billingPeriod}))`;
  return `CASE WHEN bool_or(is_after_month) AND isodow(${brought}) = 5 AND ${brought} + 2 >= ${end}
      AND count(DISTINCT day) FILTER (${counts}) >= ${FEWEST_WORKING_DAYS} AND bool_and(isodow(day) <= 5) FILTER (${counts})
    THEN greatest(${brought}, ${end}) ELSE ${brought} END`;
}
