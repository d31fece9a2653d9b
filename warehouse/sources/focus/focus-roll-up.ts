import { refuseInexact, type ExportFile } from '../feeds/export-files.ts';
import type { Candidate } from './collected-values.ts';
import {
  accountOf,
  billingPeriodOf,
  COLUMNS,
  FIELDS,
  isNonzero,
  keyOf,
  moneyOf,
  nullable,
  present,
  quoted,
  rawOf,
  textOf,
  timeOf,
  writtenOut,
  type Field,
} from './focus-columns.ts';
import {
  expectedAmount,
  expectedTime,
  isTooLong,
  isTooLongText,
  lastReadableDay,
  LONGEST_PERIOD,
  LONGEST_TEXT,
  readableAmount,
  readableText,
  readableTime,
} from '../feeds/readable-limits.ts';
import { byShape, fileColumnOf, scanOf, type FilesOfShape } from '../feeds/scan-files.ts';
import { sqlText } from '../../engine/sql/sql-text.ts';
import { got } from '../feeds/tabular-rows.ts';

/** Which column is the cost: amortised, or as invoiced. */
export type CostColumn = 'EffectiveCost' | 'BilledCost';

/**
 * The columns without which a row means nothing; each names the alternatives that would do. Throws `invalid` for one that is read
 * and not exact.
 */
export const missingColumns = (file: ExportFile, costColumn: CostColumn): string[] => {
  refuseInexact(
    file,
    FIELDS.filter((field) => field !== 'EffectiveCost' || costColumn === field).flatMap((field) =>
      present(file, field),
    ),
  );
  const mandatory: Field[] = [
    costColumn,
    'currency',
    'period_start',
    'period_end',
    'billing_period',
    'provider',
    'account',
  ];
  return mandatory
    .filter((field) => present(file, field).length === 0)
    .map((field) => COLUMNS[field].join(' or '));
};

/** One row per line of the export, typed; what cannot be typed is null and stands raw beside it. */
const typedRows = (
  files: FilesOfShape,
  costColumn: CostColumn,
  brokenLines: Parameters<typeof scanOf>[1],
  candidates: readonly Candidate[],
): string => {
  const [file] = files;
  return `
  SELECT ${quoted(fileColumnOf(file.columns))} AS file,
    ${timeOf(file, 'period_start')} AS period_start, ${rawOf(file, 'period_start')} AS raw_period_start,
    ${timeOf(file, 'period_end')} AS period_end, ${rawOf(file, 'period_end')} AS raw_period_end,
    ${moneyOf(file, costColumn)} AS cost, ${rawOf(file, costColumn)} AS raw_cost,
    ${costColumn === 'EffectiveCost' ? isNonzero(file, 'BilledCost') : 'false'} AS billed_nonzero,
    ${billingPeriodOf(file, 'billing_period')} AS billing_period, ${billingPeriodOf(file, 'billing_period_end')} AS billing_period_end,
    ${keyOf(file, 'currency')} AS currency,
    COALESCE(lower(${textOf(file, 'charge_category')}) = 'usage', true) AS is_usage,
    ${keyOf(file, 'provider')} AS provider, ${accountOf(file)} AS account,
    ${keyOf(file, 'account_name')} AS account_name,
    CASE WHEN ${keyOf(file, 'category')} IN ('Compute', 'Networking', 'Storage')
      THEN ${keyOf(file, 'resource')} END AS resource_id${candidates
        .map(
          ({ column, valueIn }) => `,
    ${valueIn(file)} AS ${column}`,
        )
        .join('')}
  FROM ${scanOf(files, brokenLines)}`;
};

/** The texts that are kept of a row, beside the candidates. The groups show which of them are too long, but for the account's name. */
const TEXTS = ['currency', 'provider', 'account', 'account_name', 'resource_id'] as const;

/** A candidate's value as a group key, of rows that reach its first day: the days before stay as few rows as they are. */
const collectedKey = ({ column, firstDay }: Candidate): string =>
  `CASE WHEN period_end >= DATE ${sqlText(firstDay)} THEN ${column} END AS ${column},
  `;

/**
 * The one pass over an export: a roll-up to day, billing period, account and resource, one `GROUP BY` over all
 * files whatever their size; memory follows the number of groups. Kept as they stand, to be judged when the
 * whole is known: rows longer than a UTC day (for the spread), and rows that cannot be read, by problem; and for the
 * fallback of a whole bill (focus-fallback.ts), whether it has usage, and whether EffectiveCost and BilledCost are
 * anything but zero. The candidates to be collected are group keys of their own.
 *
 * Creates the temporary table `table`; of `bills` that have fallen back, only their rows.
 */
export const focusRollUpStatement = (
  table: string,
  { files, costColumn, now }: { files: readonly ExportFile[]; costColumn: CostColumn; now: Date },
  candidates: readonly Candidate[],
  bills: 'all' | 'fallen back' = 'all',
): string => {
  const lastDay = lastReadableDay(now);
  const scans = byShape(files).map((shape) =>
    typedRows(shape, costColumn, bills === 'all' ? 'counted' : 'skipped', candidates),
  );
  return `
CREATE TEMP TABLE ${table} AS
WITH typed_rows AS (${scans.join('\n  UNION ALL')}),
readable_rows AS (
  SELECT * REPLACE (${readableTime('period_start', lastDay)} AS period_start, ${readableTime('period_end', lastDay)} AS period_end,
    ${readableAmount('cost')} AS cost,
    ${[...TEXTS, ...candidates.map(({ column }) => column)].map((text) => `${readableText(text)} AS ${text}`).join(',\n    ')})
  FROM typed_rows),
judged_rows AS (
  SELECT *, period_end > CAST(CAST(period_start AS DATE) + 1 AS TIMESTAMP) AS spans_days,
    CASE
      WHEN period_start IS NULL THEN 'ChargePeriodStart: expected ' || ${expectedTime('a UTC time', 'raw_period_start')} || ', got ' || ${got('raw_period_start')}
      WHEN period_end IS NULL THEN 'ChargePeriodEnd: expected ' || ${expectedTime('a UTC time', 'raw_period_end')} || ', got ' || ${got('raw_period_end')}
      WHEN period_end < period_start
        THEN 'ChargePeriodEnd: expected a time not before ChargePeriodStart, got ' || ${got('raw_period_end')}
      WHEN ${isTooLong('period_start', 'period_end')}
        THEN 'ChargePeriodEnd: expected a charge period of ${LONGEST_PERIOD}, got ' || ${got('raw_period_end')}
      WHEN cost IS NULL THEN '${costColumn}: expected ' || ${expectedAmount('raw_cost')} || ', got ' || ${got('raw_cost')}
      WHEN ${isTooLongText('account_name')} THEN 'SubAccountName: expected ${LONGEST_TEXT}, got ' || ${got('account_name')}
    END AS problem
  FROM readable_rows AS typed_rows${
    bills === 'all'
      ? ''
      : ' SEMI JOIN temp.main.fallen_back AS bill ON bill.provider = typed_rows.provider AND bill.billing_period = CAST(typed_rows.billing_period AS VARCHAR)'
  })
SELECT
  problem, currency, billing_period, billing_period_end, provider, account, resource_id,
  ${candidates.map(collectedKey).join('')}CAST(period_start AS DATE) AS day,
  CASE WHEN spans_days THEN period_start END AS span_start,
  CASE WHEN spans_days THEN period_end END AS span_end,
  CASE WHEN spans_days THEN cost END AS span_cost,
  any_value(account_name) AS account_name,
  any_value(CASE WHEN problem IS NOT NULL THEN file END) AS file,
  sum(cost) AS cost, count(*) AS row_count,
  bool_or(CASE WHEN cost IS NULL THEN ${nullable(writtenOut('raw_cost'))} IS NOT NULL ELSE cost <> 0 END) AS cost_present,
  bool_or(billed_nonzero) AS billed_nonzero, bool_or(is_usage) AS is_usage
FROM judged_rows
GROUP BY ALL`;
};
