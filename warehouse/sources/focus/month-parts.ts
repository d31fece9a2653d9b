import { isTooLong } from '../feeds/readable-limits.ts';

/** The first and the last day of a group of an export (focus-roll-up.ts). */
export const FIRST_DAY = 'COALESCE(CAST(span_start AS DATE), day)';
export const LAST_DAY = 'COALESCE(CAST(span_end - INTERVAL 1 MICROSECOND AS DATE), day)';

/**
 * Returns a relation with a row for each month that a group belongs to, with its `part` of the cost: by seconds, to a cent. It is
 * for the amounts of doubts. Spend is spread exactly (focus-daily-money.ts).
 */
export const monthParts = (groups: string): string => `(
  SELECT *, CASE WHEN span_start IS NULL THEN CAST(cost AS DECIMAL(38,15))
    ELSE CAST(round(CAST(cost AS DOUBLE) * date_diff('second', greatest(span_start, month), least(span_end, month + INTERVAL 1 MONTH))
      / date_diff('second', span_start, span_end), 2) AS DECIMAL(38,15)) END AS part
  FROM (
    SELECT *, CAST(unnest(generate_series(date_trunc('month', ${FIRST_DAY}), date_trunc('month', ${LAST_DAY}), INTERVAL 1 MONTH)) AS DATE) AS month
    FROM ${groups} WHERE ${isTooLong('span_start', 'span_end')} IS NOT TRUE))`;
