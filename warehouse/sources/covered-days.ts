// The statements for the days that cost sources cover.
import { kindsThat } from '../../domain/sources/kinds.ts';
import { cte, type Cte } from '../engine/sql/cte.ts';
import { sqlTexts } from '../engine/sql/sql-text.ts';

const KINDS_OF_PERIODS = sqlTexts(kindsThat(({ covers }) => covers === 'billing period'));

/** The last day that a load has brought. A day counts once it had ended in UTC, and files written after it have it. */
export const BROUGHT_THROUGH =
  'least(delivered_through, written_through, CAST(published_at AS DATE) - 1, CAST(billing_period + INTERVAL 1 MONTH AS DATE) - 1)';

/** Returns those of some loads that are the organisation's, with the days that each has brought. */
export const ownLoads = (loads: string): Cte =>
  cte({
    name: 'own_loads',
    sql: `SELECT source_id, kind, billing_period, covered_days, written_through, cost_total,
    CASE WHEN kind IN ${KINDS_OF_PERIODS} THEN billing_period ELSE greatest(first_day, billing_period) END AS first_day,
    least(written_through, CAST(published_at AS DATE) - 1, CAST(billing_period + INTERVAL 1 MONTH AS DATE) - 1) AS ended_through,
    ${BROUGHT_THROUGH} AS brought_through,
    least(delivered_through, CAST(billing_period + INTERVAL 1 MONTH AS DATE) - 1) AS begun_through
  FROM ${loads} WHERE org_id = $org AND first_day IS NOT NULL`,
  });

/** Returns the first and last day that each source has brought by some loads. */
export const deliveries = (loads: string): Cte =>
  cte({
    name: 'deliveries',
    needs: [ownLoads(loads)],
    sql: `SELECT source_id, min(first_day) AS delivers_from, max(brought_through) AS delivers_through
  FROM own_loads WHERE brought_through >= billing_period GROUP BY source_id`,
  });

/** The days from `$first` to `$last`. */
export const DAYS = cte({
  name: 'days',
  sql: 'SELECT CAST(unnest(generate_series($first::DATE, $last::DATE, INTERVAL 1 DAY)) AS DATE) AS day',
});

/**
 * Returns the {@link DAYS} that each source covers by some loads: a row for each source and day
 * (docs/concepts.md#when-a-month-has-settled).
 *
 * A load covers days of its own billing period that had ended when it was published. Rows of other periods, such as corrections,
 * cover nothing.
 * Clusters and hosts have spend every day. Their loads cover the days that they have read, and those that they keep from earlier
 * loads (publish-load.ts). Bills and AI tools may have days without spend. A bill covers its period from the first day on, AI
 * tools from the first day that they ever brought. Both cover nothing after the newest day that they have brought, because the
 * export may be stale.
 * Days before the source's `starts_on`, and before any that it brought, are covered, because it had no spend then.
 */
export const coveredDays = (loads: string, name = 'covered_days'): Cte =>
  cte({
    name,
    needs: [ownLoads(loads), deliveries(loads), DAYS],
    sql: `WITH covered_ranges AS (
  SELECT source_id, CASE WHEN kind IN ${KINDS_OF_PERIODS} THEN billing_period ELSE greatest(billing_period, delivers_from) END AS covered_from,
    least(ended_through, delivers_through) AS covered_through
  FROM own_loads JOIN deliveries USING (source_id)
  WHERE covered_days IS NULL AND least(ended_through, delivers_through) >= billing_period
  UNION ALL
  SELECT source_id, day, day FROM (SELECT source_id, unnest(covered_days) AS day FROM own_loads)
  UNION ALL
  SELECT source_id, DATE '0001-01-01', least(starts_on, delivers_from) - 1
  FROM cost_sources LEFT JOIN deliveries USING (source_id) WHERE org_id = $org AND starts_on IS NOT NULL)
SELECT DISTINCT source_id, day FROM covered_ranges JOIN days ON day BETWEEN covered_from AND covered_through`,
  });

/**
 * The days that current loads cover, without those on which a source lacks an account, cluster, host or tool. `$lacking_sources`
 * and `$lacking_days` are these (missing-units.ts).
 */
export const COVERED_DAYS = cte({
  name: 'covered_days',
  needs: [coveredDays('current_loads', 'brought_days')],
  sql: `FROM brought_days ANTI JOIN (
    SELECT unnest($lacking_sources::VARCHAR[]) AS source_id, CAST(unnest($lacking_days::VARCHAR[]) AS DATE) AS day) AS lacking
  USING (source_id, day)`,
});

/** The loads of existing sources that were current at `$as_of`. */
export const LOADS_AS_OF = `(
    SELECT loads.*, kind FROM loads JOIN cost_sources USING (org_id, source_id)
    WHERE org_id = $org AND published_at < $as_of::TIMESTAMP
    QUALIFY row_number() OVER (PARTITION BY source_id, billing_period ORDER BY load_id DESC) = 1)`;
