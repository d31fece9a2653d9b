import type { Day, Month } from '../domain/calendar.ts';
import type { DecimalText } from '../domain/decimals.ts';
import { invalid } from '../domain/errors.ts';
import type { ExportFile } from './export-files.ts';
import { candidatesToCollect } from './focus-choices.ts';
import { billingPeriodDay, nullable } from './focus-columns.ts';
import {
  dailyMoneyStatement,
  INSERT_ACCOUNT_NAMES,
  INSERT_CLOUD_SPEND,
  PUBLISH,
} from './focus-daily-money.ts';
import { focusRollUpStatement, type CostColumn } from './focus-roll-up.ts';
import { newLoadId, type LoadScope } from './publish-load.ts';
import { countFeed, FEED_TABLES, type FeedCounts } from './read-feed.ts';
import type { Session } from './session.ts';
import { dropTemporaryTables } from './temporary-tables.ts';

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
 * second load replaces the first by the same numbers. Throws `invalid` for another currency, or for too many
 * rows that cannot be read.
 */
export const loadFocusExport = async (
  session: Session,
  load: FocusLoad,
  isCurrent: () => boolean,
): Promise<LoadResult> => {
  const loadId = await newLoadId(session, load);
  await dropTemporaryTables(session, TABLES);
  try {
    const candidates = await candidatesToCollect(session, load.orgId, load.now);
    await session.run(focusRollUpStatement('focus_roll_up', load.files, load.costColumn, candidates));
    const fallback = load.costColumn === 'EffectiveCost' ? await periodsWithoutEffectiveCost(session) : [];
    if (fallback.length > 0) {
      const billed = focusRollUpStatement(
        'billed_roll_up',
        load.files,
        'BilledCost',
        candidates,
        'of $periods',
      );
      await session.run(billed, { periods: fallback });
    } else await session.run('CREATE TEMP TABLE billed_roll_up AS FROM focus_roll_up LIMIT 0');
    await session.run(JUDGED_GROUPS, {
      start: load.startMonth === null ? null : `${load.startMonth}-01`,
      end: load.endMonth === null ? null : `${load.endMonth}-01`,
      periods: fallback,
    });
    await refuseOtherCurrencies(session, load.currency);
    const counts = await countFeed(session);
    const periods = await loadedPeriods(session);
    const target = { org: load.orgId, source: load.sourceId, load: loadId };
    await session.run(dailyMoneyStatement(candidates));
    await session.run(INSERT_CLOUD_SPEND, target);
    await session.run(INSERT_ACCOUNT_NAMES, target);
    if (!isCurrent()) throw new Error('this attempt was given up; nothing was published');
    await session.run(PUBLISH, {
      ...target,
      run: load.runId,
      now: load.now.toISOString(),
      column: load.costColumn,
    });
    return {
      months: await loadedMonths(session),
      ...counts,
      costTotal: (await costTotal(session)) ?? '0',
      notes: periods.filter(({ fell_back }) => fell_back).map(fallbackNote),
    };
  } finally {
    await dropTemporaryTables(session, TABLES);
  }
};

/** The temporary tables of a load. */
const TABLES = [...FEED_TABLES, 'focus_choices', 'focus_roll_up', 'billed_roll_up', 'daily_money'];

/**
 * The billing periods, as their texts stand, whose EffectiveCost is missing or zero in every row while their
 * BilledCost is not: they are read again by BilledCost. Never row by row, for a commitment purchase is rightly 0
 * (sources §1).
 */
const periodsWithoutEffectiveCost = async (session: Session): Promise<string[]> => {
  const rows = await session.query<{ billing_period: string }>(
    `SELECT DISTINCT CAST(billing_period AS VARCHAR) AS billing_period
     FROM focus_roll_up WHERE billing_period IS NOT NULL
     WINDOW same_period AS (PARTITION BY ${billingPeriodDay('billing_period')})
     QUALIFY NOT COALESCE(bool_or(cost_present) OVER same_period, false)
       AND bool_or(billed_nonzero) OVER same_period`,
  );
  return rows.map(({ billing_period }) => billing_period);
};

/** The groups of the wanted billing periods; those of `$periods` as their BilledCost has it. */
const JUDGED_GROUPS = `
CREATE TEMP TABLE judged_groups AS
WITH all_groups AS (
  SELECT *, false AS fell_back FROM focus_roll_up
  WHERE NOT COALESCE(list_contains($periods, CAST(billing_period AS VARCHAR)), false)
  UNION ALL
  SELECT *, true AS fell_back FROM billed_roll_up),
dated_groups AS (
  SELECT * REPLACE (
    ${billingPeriodDay('billing_period')} AS billing_period, ${nullable('currency')} AS currency,
    ${nullable('provider')} AS provider, ${nullable('account')} AS account,
    ${nullable('account_name')} AS account_name, lower(${nullable('resource_id')}) AS resource_id),
    CAST(billing_period AS VARCHAR) AS raw_billing_period
  FROM all_groups),
judged AS (
  SELECT * EXCLUDE (raw_billing_period) REPLACE (
    CASE
      WHEN problem IS NOT NULL THEN problem
      WHEN billing_period IS NULL THEN 'BillingPeriodStart: expected a UTC time, got '
        || COALESCE('"' || left(raw_billing_period, 80) || '"', 'nothing')
      WHEN currency IS NULL THEN 'BillingCurrency: expected a currency, got nothing'
      WHEN provider IS NULL THEN 'ProviderName: expected a provider, got nothing'
      WHEN account IS NULL THEN 'SubAccountId: expected an account, got nothing'
    END AS problem)
  FROM dated_groups)
SELECT * FROM judged
WHERE billing_period IS NULL
  OR (date_trunc('month', billing_period) >= COALESCE($start::DATE, DATE '0001-01-01')
      AND date_trunc('month', billing_period) <= COALESCE($end::DATE, DATE '9999-12-31'))`;

const refuseOtherCurrencies = async (session: Session, currency: string): Promise<void> => {
  const others = await session.query<{ currency: string; row_count: string }>(
    `SELECT currency, sum(row_count) AS row_count FROM judged_groups
     WHERE problem IS NULL AND upper(trim(currency)) <> $currency GROUP BY ALL ORDER BY ALL`,
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

interface Period {
  billing_period: Day;
  fell_back: boolean;
}

const loadedPeriods = (session: Session): Promise<Period[]> =>
  session.query<Period>(
    `SELECT billing_period, any_value(fell_back) AS fell_back FROM judged_groups
     WHERE problem IS NULL GROUP BY ALL ORDER BY ALL`,
  );

const fallbackNote = ({ billing_period }: Period): string =>
  `billing period ${billing_period}: EffectiveCost is missing or zero in every row, BilledCost was used instead`;

const costTotal = async (session: Session): Promise<DecimalText | null> => {
  const [row] = await session.query<{ cost: DecimalText | null }>(
    'SELECT sum(cost) AS cost FROM daily_money',
  );
  return row?.cost ?? null;
};
