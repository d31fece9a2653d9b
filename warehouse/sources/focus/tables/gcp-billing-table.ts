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

const MONTH = `IF(REGEXP_CONTAINS(bill.invoice.month, r'^[0-9]{4}(0[1-9]|1[0-2])$'),
      CONCAT(SUBSTR(bill.invoice.month, 1, 4), '-', SUBSTR(bill.invoice.month, 5, 2)), NULL)`;

/**
 * Reads Google's tables of standard and detailed usage cost (docs/data-formats.md#google-cloud-billing). A line costs its cost with
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
  const zones = ['location.zone', 'location.region'].filter(has).map((path) => nullable(`bill.${path}`));
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
      resource: has('resource.global_name')
        ? {
            column: 'ResourceId',
            id: nullable('bill.resource.global_name'),
            names: {
              // Some services write the path before the name.
              ...(has('resource.name')
                ? { ResourceName: `REGEXP_EXTRACT(bill.resource.name, r'([^/]+)/*$')` }
                : {}),
              ...(zones.length === 0 ? {} : { AvailabilityZone: `COALESCE(${zones.join(', ')})` }),
            },
          }
        : null,
      accountName: { SubAccountName: 'bill.project.name' },
      service: nullable('bill.service.description'),
      resourceGroup: null,
      tags: entriesOf(labels, 'bill.labels'),
      credits: null,
      commitment: null,
    },
  };
};
