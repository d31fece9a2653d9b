import { csvTable } from './csv-table.ts';
import type { Charge } from './charges.ts';

type Row = Record<string, string>;

/** The columns that every line of a report has, in the names of CUR 2.0, and in those of the older reports. */
const COLUMNS = [
  ['bill_payer_account_id', 'bill/PayerAccountId'],
  ['bill_billing_period_start_date', 'bill/BillingPeriodStartDate'],
  ['line_item_usage_account_id', 'lineItem/UsageAccountId'],
  ['line_item_line_item_type', 'lineItem/LineItemType'],
  ['line_item_usage_start_date', 'lineItem/UsageStartDate'],
  ['line_item_usage_end_date', 'lineItem/UsageEndDate'],
  ['line_item_product_code', 'lineItem/ProductCode'],
  ['line_item_resource_id', 'lineItem/ResourceId'],
  ['line_item_currency_code', 'lineItem/CurrencyCode'],
  ['line_item_unblended_cost', 'lineItem/UnblendedCost'],
  ['line_item_net_unblended_cost', 'lineItem/NetUnblendedCost'],
  ['product_product_name', 'product/ProductName'],
  ['savings_plan_savings_plan_a_r_n', 'savingsPlan/SavingsPlanARN'],
  ['savings_plan_savings_plan_effective_cost', 'savingsPlan/SavingsPlanEffectiveCost'],
  ['savings_plan_net_savings_plan_effective_cost', 'savingsPlan/NetSavingsPlanEffectiveCost'],
  ['savings_plan_total_commitment_to_date', 'savingsPlan/TotalCommitmentToDate'],
  ['savings_plan_used_commitment', 'savingsPlan/UsedCommitment'],
  ['reservation_reservation_a_r_n', 'reservation/ReservationARN'],
  ['reservation_effective_cost', 'reservation/EffectiveCost'],
  ['reservation_net_effective_cost', 'reservation/NetEffectiveCost'],
  [
    'reservation_unused_amortized_upfront_fee_for_billing_period',
    'reservation/UnusedAmortizedUpfrontFeeForBillingPeriod',
  ],
  [
    'reservation_net_unused_amortized_upfront_fee_for_billing_period',
    'reservation/NetUnusedAmortizedUpfrontFeeForBillingPeriod',
  ],
  ['reservation_unused_recurring_fee', 'reservation/UnusedRecurringFee'],
  ['reservation_net_unused_recurring_fee', 'reservation/NetUnusedRecurringFee'],
  ['split_line_item_parent_resource_id', 'splitLineItem/ParentResourceId'],
  ['split_line_item_split_cost', 'splitLineItem/SplitCost'],
  ['split_line_item_unused_cost', 'splitLineItem/UnusedCost'],
] as const;

const OLDER = new Map<string, string>(COLUMNS);

const common = (charge: Charge, zeros: string): Row => ({
  bill_payer_account_id: '1000',
  bill_billing_period_start_date: `${charge.period}T00:00:00${zeros}Z`,
  line_item_usage_account_id: charge.account,
  line_item_line_item_type: charge.line,
  line_item_usage_start_date: charge.start.replace('Z', `${zeros}Z`),
  line_item_usage_end_date: charge.end.replace('Z', `${zeros}Z`),
  line_item_product_code: 'AmazonEC2',
  line_item_resource_id: charge.resource ?? '',
  line_item_currency_code: 'USD',
  ...charge.native,
});

/** Returns the tags of a charge as AWS names them. */
const tagsOf = (charge: Charge, prefix: string): Row =>
  Object.fromEntries(Object.entries(charge.tags).map(([key, value]) => [`${prefix}${key}`, value]));

/** Returns CUR 2.0 as CSV: the product and the tags are JSON. Columns for the cost categories are optional. */
export const cur2Csv = (charges: readonly Charge[], categories: Row = {}): string =>
  csvTable(
    charges.map((charge) => ({
      ...common(charge, '.000'),
      line_item_usage_account_name: charge.accountName,
      product: JSON.stringify({ product_name: charge.service, region: 'us-east-1' }),
      resource_tags: JSON.stringify(tagsOf(charge, 'user_')),
      cost_category: JSON.stringify(categories),
    })),
  );

/** Returns an older report as CSV, with a column for each tag. It has no names of accounts. */
export const olderCsv = (charges: readonly Charge[], categories: Row = {}): string =>
  csvTable(
    charges.map((charge) => ({
      ...common(charge, ''),
      product_product_name: charge.service,
      ...tagsOf(charge, 'resourceTags/user:'),
      ...Object.fromEntries(Object.entries(categories).map(([key, value]) => [`costCategory/${key}`, value])),
    })),
    (column) => OLDER.get(column) ?? column,
  );

/** Returns a SELECT that gives a report the types and names that it has in Parquet: times, doubles and maps. */
export const asParquet = (csvFile: string, columns: readonly string[]): string =>
  `SELECT ${columns
    .map((column) => {
      const cell = `"${column}"`;
      return `${typedCell(cell, column)} AS "${NEWER.get(column) ?? athenaName(column)}"`;
    })
    .join(', ')} FROM read_csv('${csvFile}', header = true, all_varchar = true)`;

const NEWER = new Map<string, string>(COLUMNS.map(([newer, older]) => [older, newer]));

/** Athena's names of other columns: `resource_tags_user_team`. */
const athenaName = (column: string): string =>
  column
    .replace('resourceTags/', 'resource_tags_')
    .replace('costCategory/', 'cost_category_')
    .replaceAll(/[: ]/g, '_')
    .toLowerCase();

function typedCell(cell: string, column: string): string {
  if (/(start|end)_?date$/i.test(column)) return `CAST(${cell} AS TIMESTAMP)`;
  if (/(cost|fee|feeforbillingperiod|period|commitment|to_?date)$/i.test(column))
    return `CAST(${cell} AS DOUBLE)`;
  return ['product', 'resource_tags', 'cost_category'].includes(column)
    ? `CAST(CAST(${cell} AS JSON) AS MAP(VARCHAR, VARCHAR))`
    : cell;
}
