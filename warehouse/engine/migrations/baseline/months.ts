/** Months that have settled, and months of metrics that people have locked (docs/concepts.md#a-month-and-its-states). */
export const MONTHS = [
  // settled_id sorts after every version of a source that the settlement knew. with_teams is whether there was a team then.
  // backfilled is whether the month's spend was complete only long after its end (sealed-months.ts).
  `CREATE TABLE settled_months (
    org_id VARCHAR, month DATE, settled_at TIMESTAMP, settled_id UUID, with_teams BOOLEAN, backfilled BOOLEAN)`,
  // unit_cost_text is a text, because a cost divided by a value can have more digits than a DECIMAL holds. Of revenue, cost, value
  // and unit_cost_text are NULL, and sealed_numbers holds them. missing is the data that was missing at the lock, as a list of
  // sentences; NULL if nothing was.
  `CREATE TABLE month_locks (
    org_id VARCHAR, metric_id VARCHAR, month DATE, lock_id UUID, cost DECIMAL(38,15), value DECIMAL(38,10),
    unit_cost_text VARCHAR, sealed_numbers VARCHAR, label_values JSON, value_changes BIGINT, missing JSON,
    locked_at TIMESTAMP, locked_by_id VARCHAR, locked_by_name VARCHAR)`,
  `CREATE VIEW month_versions AS
    SELECT *, row_number() OVER (PARTITION BY org_id, metric_id, month ORDER BY lock_id) AS version
    FROM month_locks`,
];
