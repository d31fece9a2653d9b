/** How far each kind of source has delivered: as a query, with its first and last day. */
export const DELIVERED_KINDS = `
  SELECT kind, min(first_day) AS first_day, max(delivered_through) AS delivered_through
  FROM current_loads WHERE org_id = $org GROUP BY kind`;

/** Whether a row of that query has any of the days of a `month`: without one its spend is unknown, not 0. */
export const DELIVERS_MONTH = 'month <= delivered_through AND last_day(month) >= first_day';
