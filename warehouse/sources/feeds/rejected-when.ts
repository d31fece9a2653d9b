import { copyToWarehouse, type LoadSessions } from '../../engine/readers/load-sessions.ts';
import { sumOfKnown, type RejectedSample } from './rejected-rows.ts';
import type { Statements } from '../../engine/session.ts';
import { dropTemporaryTables } from '../../engine/sql/temporary-tables.ts';

/** When the rejected rows of a feed happened, and what they cost, as SQL on `checked_groups`. Null is not known. */
export interface RejectedWhen {
  billingPeriod: string;
  /** The first and the last day of a row. */
  from: string;
  through: string;
  cost: string;
  /** Whether days that this reading lacks stay (carry-over.ts), so that each day is recorded by itself. */
  byDay: boolean;
}

/** The cost of a row of usage, or of a row that only says what a cluster consists of. */
export const NO_COST = 'CAST(NULL AS DECIMAL(38,15))';

/** The rejected rows of a feed with a day in each row. Its billing periods are months. */
export const rejectedByDay = (cost: 'cost' | typeof NO_COST): RejectedWhen => ({
  billingPeriod: `CAST(date_trunc('month', day) AS DATE)`,
  from: 'day',
  through: 'day',
  cost,
  byDay: true,
});

/** The columns of the temporary table `rejected_rows`. */
const COLUMNS = `feed VARCHAR, billing_period DATE, first_month DATE, last_month DATE, day DATE, is_dated BOOLEAN,
  row_count BIGINT, sample VARCHAR, amount DECIMAL(38,15)`;

/** The name of a source's main feed in `rejected_rows`. Others have their name in messages. */
export const MAIN_FEED = 'spend';

/**
 * Adds the rejected rows of a feed to the reader's temporary table `rejected_rows`, by billing period and months.
 *
 * @param undated rows of which nothing can be read, and why.
 */
export async function recordRejected(
  reader: Statements,
  feed: string,
  { billingPeriod, from, through, cost, byDay }: RejectedWhen,
  undated: readonly Pick<RejectedSample, 'problem' | 'rows'>[],
): Promise<void> {
  await reader.run(`CREATE TEMP TABLE IF NOT EXISTS rejected_rows (${COLUMNS})`);
  await reader.run(
    `INSERT INTO temp.main.rejected_rows BY NAME
     WITH unreadable AS (
       SELECT ${billingPeriod} AS billing_period, ${from} AS first_day, ${through} AS last_day, problem, row_count, ${cost} AS cost
       FROM checked_groups WHERE problem IS NOT NULL
       UNION ALL
       SELECT NULL, NULL, NULL, unnest($problems::VARCHAR[]), unnest($rows::BIGINT[]), NULL)
     SELECT $feed AS feed, billing_period, CAST(date_trunc('month', first_day) AS DATE) AS first_month,
       CAST(date_trunc('month', last_day) AS DATE) AS last_month, ${byDay ? 'first_day' : 'CAST(NULL AS DATE)'} AS day,
       billing_period IS NOT NULL OR first_day IS NOT NULL AS is_dated, CAST(sum(row_count) AS BIGINT) AS row_count,
       first(regexp_replace(problem, '[\\x00-\\x1f\\x7f]', ' ', 'g') ORDER BY row_count DESC, problem) AS sample,
       ${sumOfKnown('cost')} AS amount
     FROM unreadable GROUP BY ALL`,
    { feed, problems: undated.map(({ problem }) => problem), rows: undated.map(({ rows }) => String(rows)) },
  );
}

/** Copies the rejected rows of all feeds to the warehouse, as the temporary table `rejected_rows`. */
export async function stageRejected(sessions: LoadSessions): Promise<void> {
  const { reader } = sessions;
  await reader.run(`CREATE TEMP TABLE IF NOT EXISTS rejected_rows (${COLUMNS})`);
  await copyToWarehouse(sessions, 'rejected_rows', 'FROM rejected_rows');
  await dropTemporaryTables(reader, ['rejected_rows']);
}
