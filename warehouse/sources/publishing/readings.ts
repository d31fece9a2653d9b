/**
 * Returns the readings whose findings count, as a relation with the ids of loads. These are the loads, and each billing period of
 * which a later run could read no row.
 *
 * @param loads one load of each source and billing period.
 * @param unread one row of `unread_periods` of each source and billing period.
 */
const readings = (loads: string, unread: string): string => `(
    SELECT org_id, source_id, load_id, billing_period FROM ${loads} WHERE org_id = $org
    UNION ALL ${laterThan(loads, unread)})`;

/** Returns the unread periods that no load has replaced. */
const laterThan = (loads: string, unread: string): string => `
    SELECT org_id, source_id, load_id, billing_period FROM ${unread} AS unread
    WHERE org_id = $org AND NOT EXISTS (
      FROM ${loads} AS newer
      WHERE newer.org_id = unread.org_id AND newer.source_id = unread.source_id AND newer.billing_period = unread.billing_period
        AND newer.load_id > unread.load_id)`;

/** Returns the newest rows of a log, one for each `key`, from before `$as_of`. */
export const newestBefore = (log: string, key: string, id: string, instant: string): string => `(
    SELECT * FROM ${log} WHERE org_id = $org AND ${instant} < $as_of::TIMESTAMP
    QUALIFY row_number() OVER (PARTITION BY ${key} ORDER BY ${id} DESC) = 1)`;

const NEWEST_UNREAD = `(
    SELECT * FROM unread_periods WHERE org_id = $org
    QUALIFY row_number() OVER (PARTITION BY source_id, billing_period ORDER BY load_id DESC) = 1)`;

/** The readings that count now. */
export const CURRENT_READINGS = readings('current_loads', NEWEST_UNREAD);

/** Those of them that have no load. */
export const CURRENT_UNREAD = `(${laterThan('current_loads', NEWEST_UNREAD)})`;

/** The readings that counted at `$as_of`. */
export const READINGS_AS_OF = readings(
  newestBefore('loads', 'source_id, billing_period', 'load_id', 'published_at'),
  newestBefore('unread_periods', 'source_id, billing_period', 'load_id', 'published_at'),
);
