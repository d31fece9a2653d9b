import type { BigQueryColumn } from '../../../../domain/shared/bigquery-query.ts';
import { entriesOf, type BillTableOf } from './bill-table.ts';
import { columnNamed, decimalOf, nullable } from './google-sql.ts';

/** The fields that are read. A table of detailed usage cost also has `resource`. */
const MANDATORY = [
  'billing_account_id',
  'usage_start_time',
  'usage_end_time',
  'service.description',
  'project.id',
  'project.name',
  'labels.key',
  'labels.value',
  'cost',
  'currency',
  'credits.amount',
  'invoice.month',
] as const;

/** Returns a column or a field in one, such as `project.id`. */
function found(columns: readonly BigQueryColumn[], path: string): BigQueryColumn | undefined {
  const [outer = '', field] = path.split('.');
  const column = columnNamed(columns, outer);
  return field === undefined || column === undefined ? column : columnNamed(column.fields, field);
}

/** What Google calls the columns of FOCUS. */
const CALLED = {
  EffectiveCost: 'cost',
  BilledCost: 'cost',
  BillingCurrency: 'currency',
  ChargePeriodStart: 'usage_start_time',
  ChargePeriodEnd: 'usage_end_time',
  BillingPeriodStart: 'invoice.month',
  SubAccountId: 'project.id',
  SubAccountName: 'project.name',
  ResourceId: 'resource.global_name',
  ServiceName: 'service.description',
  Tags: 'labels',
};

const MONTH = `IF(REGEXP_CONTAINS(bill.invoice.month, r'^[0-9]{4}(0[1-9]|1[0-2])$'),
      CONCAT(SUBSTR(bill.invoice.month, 1, 4), '-', SUBSTR(bill.invoice.month, 5, 2)), NULL)`;

/**
 * Reads Google's tables of standard and detailed usage cost (docs/data-formats.md#googles-usage-cost-table). A line costs its cost with
 * its credits, which are negative. The invoice month is the billing period, the project the account, and labels are tags.
 */
export const gcpBillingTable: BillTableOf = (name, columns) => {
  const missing = MANDATORY.filter((path) => found(columns, path) === undefined);
  const [cost, credit] = [found(columns, 'cost'), found(columns, 'credits.amount')];
  const labels = columnNamed(columns, 'labels');
  if (missing.length > 0 || cost === undefined || credit === undefined || labels === undefined)
    return { missing: [...missing] };
  const has = (path: string): boolean => found(columns, path) !== undefined;
  const amount = `${decimalOf('bill.cost', cost)} + IFNULL(
      (SELECT SUM(${decimalOf('credit.amount', credit)}) FROM UNNEST(bill.credits) AS credit), 0)`;
  const total = { amount, raw: 'CAST(bill.cost AS STRING)' };
  const account = `IFNULL(${nullable('bill.project.id')}, bill.billing_account_id)`;
  const ids = ['resource.global_name', 'resource.name'].filter(has).map((path) => nullable(`bill.${path}`));
  return {
    table: {
      name,
      month: MONTH,
      nearMonth: () => null,
      billingPeriod: null,
      exportTime: has('export_time') ? 'bill.export_time' : null,
      chargeStart: 'bill.usage_start_time',
      chargeEnd: 'bill.usage_end_time',
      effectiveCost: total,
      billedCost: total,
      keys: {
        BillingCurrency: 'bill.currency',
        ProviderName: `'Google Cloud'`,
        SubAccountId: account,
        ChargeCategory: has('cost_type')
          ? `CASE LOWER(bill.cost_type) WHEN 'tax' THEN 'Tax' WHEN 'adjustment' THEN 'Adjustment'
        WHEN 'rounding_error' THEN 'Adjustment' ELSE 'Usage' END`
          : `'Usage'`,
      },
      resource:
        ids.length === 0
          ? null
          : {
              column: 'ResourceId',
              id: `COALESCE(${ids.join(', ')})`,
              names: {
                ...(has('resource.name') ? { ResourceName: 'bill.resource.name' } : {}),
                ...(has('location.zone') ? { AvailabilityZone: 'bill.location.zone' } : {}),
              },
            },
      accountName: { SubAccountName: 'bill.project.name' },
      service: nullable('bill.service.description'),
      resourceGroup: null,
      tags: entriesOf(labels, 'bill.labels'),
      credits: null,
      called: CALLED,
      commitment: null,
    },
  };
};
