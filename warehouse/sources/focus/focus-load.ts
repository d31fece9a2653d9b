import type { Month } from '../../../domain/shared/calendar.ts';
import type { DecimalText } from '../../../domain/shared/decimals.ts';
import { invalid } from '../../../domain/shared/errors.ts';
import { checkShrink } from '../publishing/bill-shrink.ts';
import type { ExportFile } from '../feeds/export-files.ts';
import { candidatesToCollect, columnNameOf, type Candidate } from './collected-values.ts';
import { assigned, billingPeriodDay, cloudOf, nullable } from './focus-columns.ts';
import {
  dailyMoney,
  READ_PERIODS,
  INSERT_ACCOUNT_NAMES,
  INSERT_BILL_DAYS,
  INSERT_CLOUD_SPEND,
  PUBLISH,
} from './focus-daily-money.ts';
import { fallbackNotes, readFallback } from './focus-fallback.ts';
import { focusRollUpStatement, type CostColumn } from './focus-roll-up.ts';
import { recordLoadFiles } from '../publishing/load-files.ts';
import { handOver, show, type LoadSessions } from '../../engine/readers/load-sessions.ts';
import { got } from '../feeds/tabular-rows.ts';
import {
  expectedTime,
  isTooLong,
  isTooLongText,
  LONGEST_PERIOD,
  LONGEST_TEXT,
  readableDay,
} from '../feeds/readable-limits.ts';
import {
  checkMoney,
  checkPublished,
  newLoadId,
  type LoadScope,
  type Publish,
} from '../publishing/publish-load.ts';
import { countFeed, readingBounds, rowsStored, STORED, type FeedCounts } from '../feeds/read-feed.ts';
import { startRowCount } from '../feeds/row-count.ts';
import type { Session, Statements } from '../../engine/session.ts';
import { dropTemporaryTables } from '../../engine/sql/temporary-tables.ts';

/** What to load, and as of when; billing periods outside its months are left alone. */
export interface FocusLoad extends LoadScope {
  files: readonly ExportFile[];
  costColumn: CostColumn;
  /** The organisation's currency: any other in the export fails the load (design §4). */
  currency: string;
}

/** What a load did. */
export interface LoadResult extends FeedCounts {
  /** The months whose days the load holds, oldest first. */
  months: Month[];
  costTotal: DecimalText;
  notes: string[];
}

/**
 * Loads a FOCUS export: one pass over the files, then one load per billing period, published together by one
 * statement. Until that statement nobody sees a row, so a crash or a refusal changes nothing; done twice, the
 * second load replaces the first by the same numbers. Throws `invalid` for another currency, for too many rows
 * that cannot be read, or if a settled month would lose days.
 */
export const loadFocusExport = async (
  sessions: LoadSessions,
  load: FocusLoad,
  publish: Publish,
): Promise<LoadResult> => {
  const { reader, session } = sessions;
  const loadId = await newLoadId(session, load);
  const rowCount = startRowCount(load.files.map(({ count }) => count));
  try {
    await dropTemporaryTables(session, TABLES);
    const candidates = await candidatesToCollect(sessions, load.orgId, load.now);
    await reader.run(focusRollUpStatement('focus_roll_up', load, candidates));
    await readFallback(reader, load, candidates);
    await reader.run(judgedGroups(candidates), readingBounds(load));
    await refuseOtherCurrencies(reader, load.currency);
    const counts = await countFeed(reader, rowCount);
    const target = { org: load.orgId, source: load.sourceId, load: loadId };
    await show(sessions, 'daily_money', await dailyMoney(reader, candidates));
    await checkMoney(session, 'daily_money', 'billing_period');
    await handOver(sessions, 'read_periods', READ_PERIODS);
    const shrunk = await checkShrink(session, load);
    await session.run(INSERT_CLOUD_SPEND, target);
    await session.run(INSERT_BILL_DAYS, target);
    await session.run(INSERT_ACCOUNT_NAMES, target);
    const result = {
      months: await loadedMonths(session),
      ...counts,
      costTotal: (await costTotal(session)) ?? '0',
      notes: [...(await fallbackNotes(reader)), ...shrunk],
    };
    await publish(async () => {
      await recordLoadFiles(session, { ...load, readFrom: load.files.map(({ path }) => path) }, loadId);
      await session.run(PUBLISH, {
        ...target,
        run: load.runId,
        now: load.now.toISOString(),
        column: load.costColumn,
      });
      await checkPublished(session, load, loadId, rowsStored(counts));
    });
    return result;
  } finally {
    rowCount.stop();
    await dropTemporaryTables(session, TABLES, ['daily_money']);
  }
};

/** The temporary tables of a load in the warehouse. */
const TABLES = ['focus_choices', 'read_periods'];

/** The text keys of the groups, each with the name that messages give it. */
const keyNames = (candidates: readonly Candidate[]): (readonly [key: string, name: string])[] => [
  ['currency', 'BillingCurrency'],
  ['provider', 'ProviderName'],
  ['account', 'SubAccountId'],
  ['resource_id', 'ResourceId'],
  ...candidates.map((candidate) => [candidate.column, columnNameOf(candidate)] as const),
];

const idOf = (column: string): string => assigned(nullable(column), 'cloud');

/** All groups, those that fell back as their BilledCost has it; `counts` are those of the wanted billing periods. */
const judgedGroups = (candidates: readonly Candidate[]): string => `
CREATE TEMP TABLE judged_groups AS
WITH all_groups AS (
  SELECT *, false AS fell_back FROM focus_roll_up AS read_first
  ANTI JOIN temp.main.fallen_back AS bill
    ON bill.provider = read_first.provider AND bill.billing_period = CAST(read_first.billing_period AS VARCHAR)
  UNION ALL
  SELECT *, true AS fell_back FROM billed_roll_up),
clouds AS (
  SELECT provider, ${cloudOf('provider')} AS cloud FROM (SELECT DISTINCT provider FROM all_groups)
  WHERE ${nullable('provider')} IS NOT NULL),
dated_groups AS (
  SELECT * REPLACE (
    ${readableDay(billingPeriodDay('billing_period'), '$last_day::DATE')} AS billing_period,
    ${readableDay(billingPeriodDay('billing_period_end'), '$last_day::DATE')} AS billing_period_end,
    ${nullable('trim(currency)')} AS currency,
    ${idOf('account')} AS account, ${idOf('account_name')} AS account_name, lower(${idOf('resource_id')}) AS resource_id),
    CAST(billing_period AS VARCHAR) AS raw_billing_period, CAST(billing_period_end AS VARCHAR) AS raw_billing_period_end
  FROM all_groups LEFT JOIN clouds USING (provider)),
wanted AS (
  SELECT *, (date_trunc('month', billing_period) < $start::DATE OR date_trunc('month', billing_period) > $end::DATE) IS NOT TRUE AS counts
  FROM dated_groups),
judged AS (
  SELECT * EXCLUDE (raw_billing_period, billing_period_end, raw_billing_period_end) REPLACE (
    CASE
      WHEN NOT counts THEN NULL
      WHEN problem IS NOT NULL THEN problem
      WHEN billing_period IS NULL THEN 'BillingPeriodStart: expected ' || ${expectedTime('a UTC time', 'raw_billing_period')} || ', got ' || ${got('raw_billing_period')}
      WHEN billing_period_end IS NULL AND ${nullable('trim(raw_billing_period_end)')} IS NOT NULL
        THEN 'BillingPeriodEnd: expected ' || ${expectedTime('a UTC time', 'raw_billing_period_end')} || ', got ' || ${got('raw_billing_period_end')}
      WHEN ${isTooLong('billing_period', 'billing_period_end')}
        THEN 'BillingPeriodEnd: expected a billing period of ${LONGEST_PERIOD}, got ' || ${got('raw_billing_period_end')}
      WHEN currency IS NULL THEN 'BillingCurrency: expected a currency, got nothing'
      WHEN cloud IS NULL THEN 'ProviderName: expected a provider, got nothing'
      WHEN account IS NULL THEN 'SubAccountId: expected an account, got nothing'
      ${keyNames(candidates)
        .map(
          ([key, name]) =>
            `WHEN ${isTooLongText(key)} THEN '${name}: expected ${LONGEST_TEXT}, got ' || ${got(key)}`,
        )
        .join('\n      ')}
    END AS problem)
  FROM wanted)
SELECT * FROM judged`;

/** Of so many a message tells. */
const MOST_CURRENCIES = 20;

const refuseOtherCurrencies = async (reader: Statements, currency: string): Promise<void> => {
  const others = await reader.query<{ currency: string; row_count: string }>(
    `SELECT left(currency, 80) AS currency, sum(row_count) AS row_count FROM judged_groups
     WHERE ${STORED} AND upper(judged_groups.currency) <> $currency GROUP BY ALL ORDER BY ALL LIMIT ${MOST_CURRENCIES}`,
    { currency },
  );
  if (others.length === 0) return;
  const found = others.map((other) => `${other.currency} in ${other.row_count} rows`).join(', ');
  throw invalid(
    `BillingCurrency: expected ${currency}, the organisation's currency, got ${found}; money is never converted, nothing was loaded`,
  );
};

const loadedMonths = async (session: Session): Promise<Month[]> => {
  const rows = await session.query<{ month: Month }>(
    "SELECT DISTINCT strftime(day, '%Y-%m') AS month FROM daily_money ORDER BY month",
  );
  return rows.map(({ month }) => month);
};

const costTotal = async (session: Session): Promise<DecimalText | null> => {
  const [row] = await session.query<{ cost: DecimalText | null }>(
    'SELECT sum(cost) AS cost FROM daily_money',
  );
  return row?.cost ?? null;
};
